// The words an event rests on, with their character span. Parameters: id. Columns: message, quote, quote_start, quote_end.
MATCH (v:Event {id: $id})-[s:SOURCED_FROM]->(m:Message)
RETURN m.key AS message, s.quote AS quote, s.quote_start AS quote_start, s.quote_end AS quote_end
ORDER BY m.sent_at, message, quote_start
