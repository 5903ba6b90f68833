MATCH (t:Turn {thread: $thread}) WHERE t.number < $number AND t.number >= $first AND t.summary IS NOT NULL RETURN t.number AS number, t.summary AS summary ORDER BY t.number
