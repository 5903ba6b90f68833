// The names of an entity. Parameters: ids. Columns: of, key, display, kind, recorded_at, retired_at.
UNWIND $ids AS of
MATCH (e:Entity {id: of})<-[r:NAMES]-(n:Name)
RETURN of, n.key AS key, n.display AS display, n.kind AS kind, r.recorded_at AS recorded_at, r.retired_at AS retired_at
ORDER BY recorded_at, key
