// Claims that rest on no event. There must be none.
// params: none
// columns: entity, key, value, fact

MATCH (e:Entity)-[h:HAS_FACT]->(f:Fact)
OPTIONAL MATCH (f)-[b:SUPPORTED_BY]->(v:Event)
WITH e, f, count(b) AS supports
WHERE supports = 0
RETURN e.name AS entity, f.key AS key, f.value AS value, f.id AS fact
ORDER BY fact
