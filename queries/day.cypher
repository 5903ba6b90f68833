// What was said on a day.
// params: day (day)
// columns: sent_at, thread, speaker, role, content, message

MATCH (m:Message)
WHERE m.sent_at >= $day_start AND m.sent_at < $day_end
RETURN m.sent_at AS sent_at, m.thread AS thread, m.speaker AS speaker, m.role AS role, m.content AS content,
       m.key AS message
ORDER BY sent_at, thread, m.position, message
