// One person, project or thing on one line: its kind, its names, how often it comes up.
// params: name (text)
// columns: name, kind, names, tags, events, first_recorded, entity

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named.canon AS canon
MATCH (e:Entity) WHERE e.canon = canon
MATCH (n:Name)-[t:NAMES]->(e) WHERE t.retired_at IS NULL
WITH canon, collect(DISTINCT n.display) AS names
MATCH (m:Entity) WHERE m.canon = canon
WITH canon, names, sum(m.degree) AS events, min(m.recorded_at) AS first_recorded
MATCH (c:Entity) WHERE c.id = canon
RETURN c.name AS name, c.kind AS kind, names, c.tags AS tags, events, first_recorded, c.id AS entity
ORDER BY name, entity
