// The events an entity takes part in, the newest first. Parameters: id.
// Columns: event, state, scope, session, recorded_at, mentioned_at.
MATCH (e:Entity {id: $id})<-[:INVOLVES]-(v:Event)
RETURN DISTINCT v.id AS event, v.state AS state, v.scope AS scope, v.session AS session, v.recorded_at AS recorded_at,
  v.mentioned_at AS mentioned_at
ORDER BY mentioned_at DESC, event DESC
