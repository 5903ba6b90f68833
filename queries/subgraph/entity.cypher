// One entity. Parameters: id. Columns: name, kind, tags, recorded_at.
MATCH (e:Entity {id: $id})
RETURN e.name AS name, e.kind AS kind, e.tags AS tags, e.recorded_at AS recorded_at
