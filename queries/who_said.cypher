// Who said it, when, and in which words: the evidence of a claim, current or past.
// params: name (text), key (text), value (text, default none)
// columns: value, speaker, sent_at, quote, message, event, fact

MATCH (k:Name)-[s:NAMES]->(named:Entity)
WHERE s.retired_at IS NULL
  AND (toLower(k.display) = toLower($name) OR toLower(named.name) = toLower($name) OR named.id = $name)
WITH DISTINCT named.canon AS canon
MATCH (e:Entity) WHERE e.canon = canon
MATCH (e)-[h:HAS_FACT]->(f:Fact)
WHERE f.key = $key AND f.session IS NULL AND toLower(f.value) = toLower(coalesce($value, f.value))
MATCH (f)-[b:SUPPORTED_BY]->(v:Event) WHERE v.state <> 'forgotten' AND v.state <> 'replaced'
MATCH (v)-[s:SOURCED_FROM]->(m:Message)
RETURN DISTINCT f.value AS value, m.speaker AS speaker, m.sent_at AS sent_at, s.quote AS quote, m.key AS message,
       v.id AS event, f.id AS fact
ORDER BY sent_at, message, fact
