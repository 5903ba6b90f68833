// The events an entity takes part in, the newest first. Parameters: ids.
// Columns: of, event, state, scope, session, recorded_at, mentioned_at.
UNWIND $ids AS of
MATCH (e:Entity {id: of})<-[:INVOLVES]-(v:Event)
RETURN DISTINCT of, v.id AS event, v.state AS state, v.scope AS scope, v.session AS session, v.recorded_at AS recorded_at,
  v.mentioned_at AS mentioned_at
ORDER BY mentioned_at DESC, event DESC
