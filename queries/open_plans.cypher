// What is planned, and neither done, moved nor cancelled, the earliest first.
// params: none
// columns: at, title, event_type, status, precision, mentioned_at, event

MATCH (v:Event)
WHERE v.state = 'active' AND v.status = 'planned' AND v.scope <> 'session'
RETURN v.happened_start AS at, v.title AS title, v.event_type AS event_type, v.status AS status,
       v.time_precision AS precision, v.mentioned_at AS mentioned_at, v.id AS event
ORDER BY at, mentioned_at, event
