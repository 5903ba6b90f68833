MATCH (n:Name)-[r:NAMES]->(e:Entity) RETURN n.key AS name, n.display AS display, e.id AS entity, r.recorded_at AS recorded_at, r.retired_at AS retired_at
