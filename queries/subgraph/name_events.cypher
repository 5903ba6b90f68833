// What the names of entities rest on. Parameters: ids. Columns: of, key, recorded_at, event, state, scope, session.
UNWIND $ids AS of
MATCH (e:Entity {id: of})<-[:NAMES]-(n:Name)-[r:RESTS_ON]->(v:Event)
WHERE r.entity = of
RETURN DISTINCT of, n.key AS key, r.recorded_at AS recorded_at, v.id AS event, v.state AS state, v.scope AS scope,
  v.session AS session
ORDER BY recorded_at, event
