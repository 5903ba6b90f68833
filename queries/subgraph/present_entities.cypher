// Which entities take part in events, and what became of the events.
// Columns: entity, tags, recorded_at (of the first such event), state, scope, session.
MATCH (v:Event)-[:INVOLVES]->(e:Entity)
RETURN e.id AS entity, e.tags AS tags, min(v.recorded_at) AS recorded_at, v.state AS state, v.scope AS scope, v.session AS session
