// Every version of every claim about an entity, one row for each supporting event. Parameters: ids.
// Columns: of, the version and the entity it names, then what the event says of it and whether the event still counts.
UNWIND $ids AS of
MATCH (e:Entity {id: of})-[:HAS_FACT]->(f:Fact)-[s:SUPPORTED_BY]->(v:Event)
OPTIONAL MATCH (f)-[:ABOUT]->(o:Entity)
RETURN of, f.id AS id, f.claim AS claim, f.key AS key, f.value AS value, o.id AS about,
  f.cardinality AS cardinality, f.negated AS negated, f.valid_from AS valid_from, f.valid_to AS valid_to,
  f.recorded_at AS recorded_at, f.retired_at AS retired_at, f.status AS status, f.visible AS visible,
  f.session AS fact_session, f.confidence AS confidence, v.id AS event, v.state AS state, v.scope AS scope,
  v.session AS session, s.since AS since, s.stated AS stated, s.until AS until, s.change AS change,
  s.ended_by AS ended_by, s.ended_at AS ended_at, s.recorded_at AS supported_at
ORDER BY f.id, s.recorded_at, v.id
