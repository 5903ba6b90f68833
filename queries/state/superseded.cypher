MATCH (a:Event)-[r:SUPERSEDES]->(b:Event) RETURN a.id AS source, b.id AS target, r.reason AS reason, r.decided_by AS decided_by
