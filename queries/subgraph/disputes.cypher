// What the versions of an entity dispute. Parameters: id. Columns: source, fact, reason, decided_by.
MATCH (e:Entity {id: $id})-[:HAS_FACT]->(f:Fact)-[r:DISPUTES]->(o:Fact)
RETURN f.id AS source, o.id AS fact, r.reason AS reason, r.decided_by AS decided_by
ORDER BY source, fact
