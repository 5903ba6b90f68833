// The graph people see. Every TIMESTAMP is UTC. One FROM–TO pair per relationship table.
// Edges between two nodes of a kind point from the newer to the older; NEXT alone runs forward.

// A conversation.
CREATE NODE TABLE Thread (id STRING PRIMARY KEY, title STRING, started_at TIMESTAMP);
// L5: a message exactly as received. `echo`: it only repeats what this memory handed out, so it is not found again.
CREATE NODE TABLE Message (key STRING PRIMARY KEY, id STRING, thread STRING, role STRING, speaker STRING, content STRING, tool_calls STRING, sent_at TIMESTAMP, recorded_at TIMESTAMP, session INT64, turn INT64, position INT64, agent STRING, adapter STRING, digest STRING, echo BOOLEAN);
// One request with what answered it.
CREATE NODE TABLE Turn (id STRING PRIMARY KEY, thread STRING, number INT64, started_at TIMESTAMP, summary STRING, outcome STRING, method STRING);
// A sealed run of turns.
CREATE NODE TABLE Block (id STRING PRIMARY KEY, thread STRING, sequence INT64, number INT64, first_turn INT64, last_turn INT64, state STRING, title STRING, tags STRING[], summary STRING, keypoints STRING[], method STRING, extracted STRING, ready_position INT64, anchor_level INT64, anchor_position INT64, lifted_by STRING, sealed_at TIMESTAMP);
// Something that happened, is planned, was decided, is preferred, is noted.
CREATE NODE TABLE Event (id STRING PRIMARY KEY, title STRING, summary STRING, quotes STRING[], tags STRING[], mentioned_at TIMESTAMP, happened_start TIMESTAMP, happened_end TIMESTAMP, time_precision STRING, time_basis STRING, time_text STRING, time_note STRING, status STRING, event_type STRING, criticality STRING, scope STRING, session STRING, state STRING, method STRING, recorded_at TIMESTAMP, pinned BOOLEAN, use_count INT64, last_used TIMESTAMP);
// A Graph Node: a person, a project, an organization, a tool, a place, … `canon` is the entity it is merged into, or itself.
CREATE NODE TABLE Entity (id STRING PRIMARY KEY, name STRING, kind STRING, canon STRING, tags STRING[], state STRING, degree INT64, recorded_at TIMESTAMP);
// A normalised name of a kind: the way to an entity.
CREATE NODE TABLE Name (key STRING PRIMARY KEY, display STRING, kind STRING, recorded_at TIMESTAMP, retired_at TIMESTAMP);
// One version of one claim about an entity. `session` is set when only that session may see it.
CREATE NODE TABLE Fact (id STRING PRIMARY KEY, claim STRING, key STRING, value STRING, cardinality STRING, negated BOOLEAN, valid_from TIMESTAMP, valid_to TIMESTAMP, recorded_at TIMESTAMP, retired_at TIMESTAMP, status STRING, visible BOOLEAN, session STRING, confidence DOUBLE);
// A navigation term of turn summaries.
CREATE NODE TABLE Term (key STRING PRIMARY KEY, display STRING);
// What an answer really used.
CREATE NODE TABLE Receipt (id STRING PRIMARY KEY, at TIMESTAMP, verdict STRING, fit STRING, batch STRING);
// Where the graph stands: one row, key "graph".
CREATE NODE TABLE Meta (key STRING PRIMARY KEY, space STRING, schema_version INT64, applied INT64, hash STRING);

CREATE REL TABLE IN_THREAD (FROM Message TO Thread);
CREATE REL TABLE NEXT (FROM Message TO Message);
CREATE REL TABLE HAS_MESSAGE (FROM Turn TO Message, position INT64, is_question BOOLEAN, is_answer BOOLEAN);
CREATE REL TABLE CONTAINS (FROM Block TO Turn);
CREATE REL TABLE FROM_BLOCK (FROM Event TO Block);
// The words: `quote` stands at [quote_start, quote_end) of the message's content, in characters.
CREATE REL TABLE SOURCED_FROM (FROM Event TO Message, quote STRING, quote_start INT64, quote_end INT64);
CREATE REL TABLE SUPERSEDES (FROM Event TO Event, at TIMESTAMP, reason STRING, decided_by STRING);
CREATE REL TABLE CONFLICTS_WITH (FROM Event TO Event, at TIMESTAMP, reason STRING, decided_by STRING);
CREATE REL TABLE FOLLOWS (FROM Event TO Event, at TIMESTAMP, reason STRING, decided_by STRING);
CREATE REL TABLE SAME_EVENT (FROM Event TO Event, at TIMESTAMP, reason STRING, decided_by STRING);
CREATE REL TABLE INVOLVES (FROM Event TO Entity, role STRING);
CREATE REL TABLE NAMES (FROM Name TO Entity, recorded_at TIMESTAMP, retired_at TIMESTAMP);
CREATE REL TABLE RESTS_ON (FROM Name TO Event, entity STRING, recorded_at TIMESTAMP);
CREATE REL TABLE HAS_FACT (FROM Entity TO Fact);
CREATE REL TABLE ABOUT (FROM Fact TO Entity);
// What an Event says of the claim: from when (stated, or merely when it was said), until when, whether it reports a change
// or corrects an error, and which later event ended it (or, without ended_at, took it back).
CREATE REL TABLE SUPPORTED_BY (FROM Fact TO Event, since TIMESTAMP, stated BOOLEAN, until TIMESTAMP, change STRING, ended_by STRING, ended_at TIMESTAMP, recorded_at TIMESTAMP);
CREATE REL TABLE REPLACES (FROM Fact TO Fact, at TIMESTAMP, reason STRING, decided_by STRING);
CREATE REL TABLE DISPUTES (FROM Fact TO Fact, at TIMESTAMP, reason STRING, decided_by STRING);
// The current state as plain edges: equal to the unretired versions of visible, affirmed relation facts.
CREATE REL TABLE RELATES (FROM Entity TO Entity, relation STRING, since TIMESTAMP, until TIMESTAMP, fact STRING);
CREATE REL TABLE SAME_AS (FROM Entity TO Entity, recorded_at TIMESTAMP, retired_at TIMESTAMP, reason STRING, decided_by STRING);
CREATE REL TABLE MENTIONS (FROM Turn TO Term);
CREATE REL TABLE STATED (FROM Term TO Term, predicate STRING, turn STRING);
CREATE REL TABLE USED (FROM Receipt TO Event);
CREATE REL TABLE CITED (FROM Receipt TO Message);
