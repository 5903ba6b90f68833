// What was replaced by what came later.
// params: none
// columns: newer, older, at, reason, decided_by, newer_event, older_event

MATCH (a:Event)-[s:SUPERSEDES]->(b:Event)
WHERE a.state <> 'forgotten' AND a.state <> 'replaced' AND b.state <> 'forgotten' AND b.state <> 'replaced'
RETURN a.title AS newer, b.title AS older, s.at AS at, s.reason AS reason, s.decided_by AS decided_by,
       a.id AS newer_event, b.id AS older_event
ORDER BY at, newer_event, older_event
