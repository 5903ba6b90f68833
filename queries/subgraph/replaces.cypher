// What the versions of an entity replaced. Parameters: id. Columns: source, fact, reason, decided_by.
MATCH (e:Entity {id: $id})-[:HAS_FACT]->(f:Fact)-[r:REPLACES]->(o:Fact)
RETURN f.id AS source, o.id AS fact, r.reason AS reason, r.decided_by AS decided_by
ORDER BY source, fact
