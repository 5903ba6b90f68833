// Which claims this memory learned or gave up since an instant.
// params: since (time)
// columns: entity, key, value, recorded_at, retired_at, status, fact

MATCH (e:Entity)-[h:HAS_FACT]->(f:Fact)
WHERE (f.recorded_at >= $since OR f.retired_at >= $since) AND f.session IS NULL
MATCH (f)-[b:SUPPORTED_BY]->(v:Event) WHERE v.state <> 'forgotten' AND v.state <> 'replaced'
MATCH (c:Entity) WHERE c.id = e.canon
RETURN DISTINCT c.name AS entity, f.key AS key, f.value AS value, f.recorded_at AS recorded_at,
       f.retired_at AS retired_at, f.status AS status, f.id AS fact
ORDER BY recorded_at, fact
