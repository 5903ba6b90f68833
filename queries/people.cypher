// The people this memory knows, those who come up most first.
// params: none
// columns: name, events, first_recorded, entity

MATCH (e:Entity) WHERE e.kind = 'person'
WITH e.canon AS canon, sum(e.degree) AS events, min(e.recorded_at) AS first_recorded
MATCH (c:Entity) WHERE c.id = canon
RETURN c.name AS name, events, first_recorded, c.id AS entity
ORDER BY events DESC, name, entity
