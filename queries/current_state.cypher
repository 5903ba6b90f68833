// What holds of a person, project or thing now, and since when.
// params: name (text), now (time, default now)
// columns: key, value, negated, since, until, status, confidence, fact

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named.canon AS canon
MATCH (e:Entity) WHERE e.canon = canon
MATCH (e)-[h:HAS_FACT]->(f:Fact)
WHERE f.visible AND f.session IS NULL AND f.retired_at IS NULL
  AND f.valid_from <= $now AND (f.valid_to IS NULL OR f.valid_to > $now)
RETURN f.key AS key, f.value AS value, f.negated AS negated, f.valid_from AS since, f.valid_to AS until,
       f.status AS status, f.confidence AS confidence, f.id AS fact
ORDER BY key, since, fact
