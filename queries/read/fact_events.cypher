MATCH (f:Fact {id: $id})-[s:SUPPORTED_BY]->(v:Event) RETURN v.id AS event
