// Events that rest on no message. There must be none.
// params: none
// columns: title, mentioned_at, event

MATCH (v:Event)
OPTIONAL MATCH (v)-[s:SOURCED_FROM]->(m:Message)
WITH v, count(s) AS sources
WHERE sources = 0
RETURN v.title AS title, v.mentioned_at AS mentioned_at, v.id AS event
ORDER BY event
