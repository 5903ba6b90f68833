// The words an event rests on, with their character span. Parameters: ids. Columns: of, message, quote, quote_start, quote_end.
UNWIND $ids AS of
MATCH (v:Event {id: of})-[s:SOURCED_FROM]->(m:Message)
RETURN of, m.key AS message, s.quote AS quote, s.quote_start AS quote_start, s.quote_end AS quote_end
ORDER BY m.sent_at, message, quote_start
