// Which entities claim something about an entity. Parameters: ids. Columns: of, entity.
UNWIND $ids AS of
MATCH (o:Entity {id: of})<-[:ABOUT]-(f:Fact)<-[:HAS_FACT]-(e:Entity)
RETURN DISTINCT of, e.id AS entity
ORDER BY entity
