// What a name of an entity rests on. Parameters: key, entity. Columns: recorded_at, event, state, scope, session.
MATCH (n:Name {key: $key})-[r:RESTS_ON]->(v:Event)
WHERE r.entity = $entity
RETURN r.recorded_at AS recorded_at, v.id AS event, v.state AS state, v.scope AS scope, v.session AS session
ORDER BY recorded_at, event
