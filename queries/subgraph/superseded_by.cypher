// The later events that superseded an event. Parameters: id. Columns: event, reason, decided_by, at.
MATCH (v:Event {id: $id})<-[s:SUPERSEDES]-(n:Event)
RETURN n.id AS event, s.reason AS reason, s.decided_by AS decided_by, s.at AS at
ORDER BY event
