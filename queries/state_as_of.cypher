// What held at a date, as this memory knew it then or knows it now; what has been forgotten stays hidden.
// params: name (text), as_of (time), known_at (time, default now)
// columns: key, value, negated, since, until, recorded_at, retired_at, fact

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named.canon AS canon
MATCH (e:Entity) WHERE e.canon = canon
MATCH (e)-[h:HAS_FACT]->(f:Fact)
WHERE f.visible AND f.session IS NULL
  AND f.valid_from <= $as_of AND (f.valid_to IS NULL OR f.valid_to > $as_of)
  AND f.recorded_at <= $known_at AND (f.retired_at IS NULL OR f.retired_at > $known_at)
MATCH (f)-[b:SUPPORTED_BY]->(v:Event) WHERE v.state <> 'forgotten' AND v.state <> 'replaced'
RETURN DISTINCT f.key AS key, f.value AS value, f.negated AS negated, f.valid_from AS since, f.valid_to AS until,
       f.recorded_at AS recorded_at, f.retired_at AS retired_at, f.id AS fact
ORDER BY key, since, fact
