// Who and what someone or something is related to now, in both directions.
// params: name (text), now (time, default now)
// columns: subject, relation, object, since, until, fact

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named.canon AS canon
MATCH (e:Entity) WHERE e.canon = canon
MATCH (a:Entity)-[r:RELATES]->(b:Entity)
WHERE (a.id = e.id OR b.id = e.id) AND r.since <= $now AND (r.until IS NULL OR r.until > $now)
MATCH (s:Entity) WHERE s.id = a.canon
MATCH (o:Entity) WHERE o.id = b.canon
RETURN DISTINCT s.name AS subject, r.relation AS relation, o.name AS object, r.since AS since, r.until AS until,
       r.fact AS fact
ORDER BY subject, relation, object, fact
