// The messages an answer cited directly, word for word.
// params: receipt (text)
// columns: used_at, verdict, speaker, sent_at, content, message

MATCH (r:Receipt {id: $receipt})-[c:CITED]->(m:Message)
RETURN r.at AS used_at, r.verdict AS verdict, m.speaker AS speaker, m.sent_at AS sent_at, m.content AS content,
       m.key AS message
ORDER BY sent_at, message
