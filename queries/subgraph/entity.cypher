// One entity. Parameters: ids. Columns: of, name, kind, tags, recorded_at.
UNWIND $ids AS of
MATCH (e:Entity {id: of})
RETURN of, e.name AS name, e.kind AS kind, e.tags AS tags, e.recorded_at AS recorded_at
