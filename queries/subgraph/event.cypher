// One event. Parameters: ids. Columns: of, its properties.
UNWIND $ids AS of
MATCH (v:Event {id: of})
RETURN of, v.id AS id, v.title AS title, v.summary AS summary, v.tags AS tags, v.event_type AS event_type, v.status AS status,
  v.state AS state, v.criticality AS criticality, v.scope AS scope, v.session AS session, v.method AS method,
  v.mentioned_at AS mentioned_at, v.happened_start AS happened_start, v.happened_end AS happened_end,
  v.time_precision AS time_precision, v.time_basis AS time_basis, v.time_text AS time_text, v.time_note AS time_note,
  v.recorded_at AS recorded_at
