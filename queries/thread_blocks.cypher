// The Blocks of a conversation, the oldest first.
// params: thread (text)
// columns: number, first_turn, last_turn, state, title, summary, sealed_at, block

MATCH (b:Block) WHERE b.thread = $thread
RETURN b.number AS number, b.first_turn AS first_turn, b.last_turn AS last_turn, b.state AS state, b.title AS title,
       b.summary AS summary, b.sealed_at AS sealed_at, b.id AS block
ORDER BY number, block
