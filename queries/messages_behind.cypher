// The messages a claim rests on, word for word.
// params: fact (text)
// columns: message, speaker, role, sent_at, content, quote, quote_start, quote_end, event

MATCH (f:Fact {id: $fact})-[b:SUPPORTED_BY]->(v:Event) WHERE v.state <> 'forgotten'
MATCH (v)-[s:SOURCED_FROM]->(m:Message)
RETURN m.key AS message, m.speaker AS speaker, m.role AS role, m.sent_at AS sent_at, m.content AS content,
       s.quote AS quote, s.quote_start AS quote_start, s.quote_end AS quote_end, v.id AS event
ORDER BY sent_at, message, quote_start, event
