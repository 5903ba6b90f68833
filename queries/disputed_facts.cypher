// Claims that stand against each other.
// params: none
// columns: entity, key, value, other_value, since, other_since, reason, fact, other_fact

MATCH (f:Fact)-[d:DISPUTES]->(g:Fact)
WHERE f.visible AND g.visible AND f.retired_at IS NULL AND g.retired_at IS NULL
  AND f.session IS NULL AND g.session IS NULL
MATCH (e:Entity)-[h:HAS_FACT]->(f)
MATCH (c:Entity) WHERE c.id = e.canon
RETURN c.name AS entity, f.key AS key, f.value AS value, g.value AS other_value, f.valid_from AS since,
       g.valid_from AS other_since, d.reason AS reason, f.id AS fact, g.id AS other_fact
ORDER BY entity, key, fact, other_fact
