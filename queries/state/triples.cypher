MATCH (a:Term)-[s:STATED]->(b:Term) RETURN s.turn AS turn, a.display AS subject, s.predicate AS predicate, b.display AS object
