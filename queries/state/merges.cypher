MATCH (a:Entity)-[r:SAME_AS]->(b:Entity) WHERE r.retired_at IS NULL RETURN a.id AS source, b.id AS target, r.recorded_at AS recorded_at, r.reason AS reason
