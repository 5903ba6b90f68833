MATCH (e:Entity) RETURN e.id AS id, e.name AS name, e.kind AS kind, e.canon AS canon, e.tags AS tags ORDER BY e.id
