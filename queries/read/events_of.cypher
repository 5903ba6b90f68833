MATCH (v:Event)-[i:INVOLVES]->(e:Entity {id: $id}) RETURN v.id AS event, v.recorded_at AS recorded_at
