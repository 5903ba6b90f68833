// How two are related: one shortest path over current relations, at most six steps.
// params: name (text), other (text)
// columns: names, relations, steps

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named AS a
MATCH (l:Name)-[t:NAMES]->(b:Entity)
WHERE t.retired_at IS NULL AND a.id <> b.id
  AND (toLower(l.display) = toLower($other) OR toLower(b.name) = toLower($other) OR b.id = $other)
WITH DISTINCT a, b
MATCH p = (a)-[r:RELATES* SHORTEST 1..6]-(b)
RETURN properties(nodes(p), 'name') AS names, properties(relationships(p), 'relation') AS relations, length(p) AS steps
ORDER BY steps, a.id, b.id
LIMIT 1
