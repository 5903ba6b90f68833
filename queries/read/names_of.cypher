MATCH (n:Name)-[r:NAMES]->(e:Entity {id: $id}) RETURN n.key AS name, r.recorded_at AS recorded_at, r.retired_at AS retired_at
