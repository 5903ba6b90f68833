MATCH (r:Receipt) RETURN r.id AS id
