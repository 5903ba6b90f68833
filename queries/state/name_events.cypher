MATCH (n:Name)-[r:RESTS_ON]->(v:Event) RETURN n.key AS name, r.entity AS entity, v.id AS event
