// The messages an event was taken from, word for word.
// params: event (text)
// columns: message, speaker, role, sent_at, content, quote, quote_start, quote_end

MATCH (v:Event {id: $event})-[s:SOURCED_FROM]->(m:Message) WHERE v.state <> 'forgotten'
RETURN m.key AS message, m.speaker AS speaker, m.role AS role, m.sent_at AS sent_at, m.content AS content,
       s.quote AS quote, s.quote_start AS quote_start, s.quote_end AS quote_end
ORDER BY sent_at, message, quote_start
