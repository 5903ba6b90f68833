MATCH (m:Message) WHERE m.echo RETURN m.key AS key
