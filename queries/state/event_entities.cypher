MATCH (v:Event)-[r:INVOLVES]->(e:Entity) RETURN v.id AS event, e.id AS entity, r.role AS role
