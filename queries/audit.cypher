// What an answer rested on: from its receipt to the events used, down to the words.
// params: receipt (text)
// columns: used_at, verdict, title, speaker, sent_at, quote, content, event, message

MATCH (r:Receipt {id: $receipt})-[u:USED]->(v:Event)
MATCH (v)-[s:SOURCED_FROM]->(m:Message)
RETURN r.at AS used_at, r.verdict AS verdict, v.title AS title, m.speaker AS speaker, m.sent_at AS sent_at,
       s.quote AS quote, m.content AS content, v.id AS event, m.key AS message
ORDER BY sent_at, message, event
