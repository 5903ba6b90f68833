MATCH (v:Event)-[r:SOURCED_FROM]->(m:Message) RETURN v.id AS event, m.key AS message
