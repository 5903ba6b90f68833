// Events that contradict each other and are not yet decided between.
// params: none
// columns: newer, older, newer_said, older_said, at, reason, decided_by, newer_event, older_event

MATCH (a:Event)-[c:CONFLICTS_WITH]->(b:Event)
WHERE a.state = 'active' AND b.state = 'active'
RETURN a.title AS newer, b.title AS older, a.mentioned_at AS newer_said, b.mentioned_at AS older_said,
       c.at AS at, c.reason AS reason, c.decided_by AS decided_by, a.id AS newer_event, b.id AS older_event
ORDER BY at, newer_event, older_event
