// The names someone or something goes or went by.
// params: name (text)
// columns: name, kind, recorded_at, retired_at, entity

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named.canon AS canon
MATCH (e:Entity) WHERE e.canon = canon
MATCH (n:Name)-[t:NAMES]->(e)
RETURN DISTINCT n.display AS name, n.kind AS kind, t.recorded_at AS recorded_at, t.retired_at AS retired_at, canon AS entity
ORDER BY recorded_at, name, entity
