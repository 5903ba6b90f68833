// What the versions of an entity replaced. Parameters: ids. Columns: of, source, fact, reason, decided_by.
UNWIND $ids AS of
MATCH (e:Entity {id: of})-[:HAS_FACT]->(f:Fact)-[r:REPLACES]->(o:Fact)
RETURN of, f.id AS source, o.id AS fact, r.reason AS reason, r.decided_by AS decided_by
ORDER BY source, fact
