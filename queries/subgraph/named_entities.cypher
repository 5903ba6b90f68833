// Which entities have a name that rests on an event, and what became of the event.
// Columns: entity, recorded_at (when the name was first rested on such an event), state, scope, session.
MATCH (n:Name)-[r:RESTS_ON]->(v:Event)
RETURN r.entity AS entity, min(r.recorded_at) AS recorded_at, v.state AS state, v.scope AS scope, v.session AS session
