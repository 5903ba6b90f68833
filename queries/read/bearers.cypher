MATCH (n:Name {key: $name})-[r:NAMES]->(e:Entity) RETURN e.id AS entity, r.recorded_at AS recorded_at, r.retired_at AS retired_at
