// What was decided, the latest first.
// params: since (time, default none)
// columns: said_at, title, summary, status, happened_start, event

MATCH (v:Event)
WHERE v.event_type = 'decision' AND v.state = 'active' AND v.scope <> 'session'
  AND v.mentioned_at >= coalesce($since, v.mentioned_at)
RETURN v.mentioned_at AS said_at, v.title AS title, v.summary AS summary, v.status AS status,
       v.happened_start AS happened_start, v.id AS event
ORDER BY said_at DESC, event
