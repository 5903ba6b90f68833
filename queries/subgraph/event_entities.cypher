// Who takes part in an event. Parameters: id. Columns: entity, role, name, kind.
MATCH (v:Event {id: $id})-[i:INVOLVES]->(e:Entity)
RETURN e.id AS entity, i.role AS role, e.name AS name, e.kind AS kind
ORDER BY entity, role
