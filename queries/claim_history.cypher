// Every version of one claim: what was believed, for when, and from when to when it was believed.
// params: name (text), key (text)
// columns: value, negated, valid_from, valid_to, recorded_at, retired_at, status, fact

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named.canon AS canon
MATCH (e:Entity) WHERE e.canon = canon
MATCH (e)-[h:HAS_FACT]->(f:Fact) WHERE f.key = $key AND f.session IS NULL
MATCH (f)-[b:SUPPORTED_BY]->(v:Event) WHERE v.state <> 'forgotten' AND v.state <> 'replaced'
RETURN DISTINCT f.value AS value, f.negated AS negated, f.valid_from AS valid_from, f.valid_to AS valid_to,
       f.recorded_at AS recorded_at, f.retired_at AS retired_at, f.status AS status, f.id AS fact
ORDER BY valid_from, recorded_at, fact
