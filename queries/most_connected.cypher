// Who and what is involved in most events.
// params: count (int, default 20)
// columns: name, kind, events, entity

MATCH (e:Entity)
WITH e.canon AS canon, sum(e.degree) AS events
MATCH (c:Entity) WHERE c.id = canon
RETURN c.name AS name, c.kind AS kind, events, c.id AS entity
ORDER BY events DESC, name, entity
LIMIT $count
