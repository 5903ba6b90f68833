// Who takes part in an event. Parameters: ids. Columns: of, entity, role.
UNWIND $ids AS of
MATCH (v:Event {id: of})-[i:INVOLVES]->(e:Entity)
RETURN of, e.id AS entity, i.role AS role
ORDER BY entity, role
