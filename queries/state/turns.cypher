MATCH (t:Turn) WHERE t.method IS NOT NULL RETURN t.id AS id
