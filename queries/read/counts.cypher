MATCH (v:Event) WHERE v.state = 'active' OR v.state = 'superseded' RETURN 'events' AS name, count(v) AS number
UNION ALL MATCH (e:Entity) WHERE e.canon = e.id RETURN 'entities' AS name, count(e) AS number
UNION ALL MATCH (f:Fact) WHERE f.visible AND f.retired_at IS NULL RETURN 'facts' AS name, count(f) AS number
