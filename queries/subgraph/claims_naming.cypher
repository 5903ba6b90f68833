// Which entities claim something about an entity. Parameters: id. Columns: entity.
MATCH (o:Entity {id: $id})<-[:ABOUT]-(f:Fact)<-[:HAS_FACT]-(e:Entity)
RETURN DISTINCT e.id AS entity
ORDER BY entity
