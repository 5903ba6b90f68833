// Every entity, the most connected first. Columns: id, kind.
MATCH (e:Entity)
RETURN e.id AS id, e.kind AS kind
ORDER BY e.degree DESC, id
