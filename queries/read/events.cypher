MATCH (v:Event) RETURN v.id AS event, v.recorded_at AS recorded_at
