// The names of an entity. Parameters: id. Columns: key, display, kind, recorded_at, retired_at.
MATCH (e:Entity {id: $id})<-[r:NAMES]-(n:Name)
RETURN n.key AS key, n.display AS display, n.kind AS kind, r.recorded_at AS recorded_at, r.retired_at AS retired_at
ORDER BY recorded_at, key
