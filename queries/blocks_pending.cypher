// Blocks that still wait for a summary or for their events, the oldest first.
// params: none
// columns: thread, number, first_turn, last_turn, sealed_at, block

MATCH (b:Block) WHERE b.state = 'pending'
RETURN b.thread AS thread, b.number AS number, b.first_turn AS first_turn, b.last_turn AS last_turn,
       b.sealed_at AS sealed_at, b.id AS block
ORDER BY sealed_at, block
