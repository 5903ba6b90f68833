// The later events that superseded an event. Parameters: ids. Columns: of, event, reason, decided_by, at.
UNWIND $ids AS of
MATCH (v:Event {id: of})<-[s:SUPERSEDES]-(n:Event)
RETURN of, n.id AS event, s.reason AS reason, s.decided_by AS decided_by, s.at AS at
ORDER BY event
