// What happened to or was planned with someone or something, in the order it happened.
// params: name (text), start (time, default none), finish (time, default none)
// columns: at, title, event_type, status, role, happened_start, happened_end, precision, mentioned_at, event

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named.canon AS canon
MATCH (e:Entity) WHERE e.canon = canon
MATCH (v:Event)-[i:INVOLVES]->(e)
WHERE v.state <> 'forgotten' AND v.state <> 'replaced' AND v.scope <> 'session'
WITH v, i, coalesce(v.happened_start, v.mentioned_at) AS at
WHERE at >= coalesce($start, at) AND at <= coalesce($finish, at)
RETURN DISTINCT at, v.title AS title, v.event_type AS event_type, v.status AS status, i.role AS role,
       v.happened_start AS happened_start, v.happened_end AS happened_end, v.time_precision AS precision,
       v.mentioned_at AS mentioned_at, v.id AS event
ORDER BY at, event, role
