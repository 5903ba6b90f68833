// Every merge there ever was. Columns: source, target, recorded_at, retired_at.
MATCH (a:Entity)-[r:SAME_AS]->(b:Entity)
RETURN a.id AS source, b.id AS target, r.recorded_at AS recorded_at, r.retired_at AS retired_at
