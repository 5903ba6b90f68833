"""The claim shapes: a table. One row says in which words a kind of claim is made and what is kept of it.

How to read a row: who (`subject`), the verb (`verb`, its lemma), and what follows it (`complement`).

    I                any person: the speaker, "we", a name, "my sister", he or she after a name
    me               the same without a name
    one              any person or thing ("I", "Nora", "our API")
    something        anything but a person who speaks; the claim is about the speaker ("It helps me relax")
    the {subject}    any noun phrase; it becomes the subject. The other subjects are listed in `match.SUBJECTS`
    a|b              either word; a_b two words in a row; ?a may be missing; $ the clause ends, or a time begins
    *                any verb that reports a deed, not a state of mind; "still have": the adverb must stand there
    {slot}           words that are kept (see SLOTS in `slots`): {value} makes one claim, {values} one for each of
                     a list, {old} a second, negated claim ("from A to B"), {topic} the key, {rest} what is left

A verb matches in each form whose tense is in `when`. The first row that fits a clause wins, so the narrow rows
stand above the wide ones. Every `examples` line is a test. To teach sgraph a shape, add a row.
"""

from __future__ import annotations

from dataclasses import dataclass

from sgraph.records.claim import Change, Criticality, EventType, Mention, Scope, Status

NOW = "present perfect progressive"
DONE = "past perfect"
EVER = "present past perfect progressive"


@dataclass(frozen=True, slots=True)
class Shape:
    """One row: how it is said, and what a claim of this shape is. `status` None: taken from the tense."""

    name: str
    subject: str
    verb: str
    complement: str
    key: str | None
    event_type: EventType
    examples: tuple[str, ...]
    when: str = NOW
    status: Status | None = None
    change: Change = "state"
    ends: bool = False  # the claim denies its value: "sold", "left", "stopped using"
    criticality: Criticality = "routine"
    scope: Scope = "user"


PROJECT = Mention(name="project", kind="project")  # the subject of "the default branch", when no project is named
MAX_TITLE = 80

LIKING = "like|love|enjoy|adore|cherish"
HATING = "hate|dislike|detest|despise|loathe"

SHAPES: tuple[Shape, ...] = (
    # ---- cancelled, moved, done: before everything that would read them as plain happenings
    Shape("cancellation", "the {subject}", "be|get", "off|cancelled|canceled|called_off|scrapped $", None,
          "cancellation", ("The quarry visit is off.", "Our offsite got called off."), when=EVER,
          status="cancelled", change="cancellation"),
    Shape("cancellation", "I", "cancel|scrap|abandon", "{event}", None, "cancellation",
          ("We cancelled the trip to Norway.",), when="past perfect progressive", status="cancelled",
          change="cancellation"),
    Shape("cancellation", "I", "call", "off {event}", None, "cancellation", ("We called off the wedding.",),
          when=DONE, status="cancelled", change="cancellation"),
    Shape("move", "the {subject}", "be|get",
          "moved|postponed|rescheduled|pushed|delayed|brought_forward|shifted ?back to|until|till|for {date}",
          "date", "change",
          ("The dentist on May 28 is moved to June 4.", "The launch has been postponed to September."), when=EVER,
          status="planned", change="move"),
    Shape("move", "I", "move|postpone|reschedule|push|delay|shift|push_back",
          "{object} ?back to|until|till|for {date}", "date", "change",
          ("We rescheduled the demo to next Tuesday.",), when=DONE, status="planned", change="move"),
    Shape("move", "the {subject}", "be|get", "postponed|rescheduled|pushed_back|delayed $", None, "change",
          ("The tournament got pushed back.",), when=EVER, status="planned", change="move"),
    Shape("move", "the {subject}", "move|shift|slip", "?from ?{thing} ?back to|until|till|for {date}", "date",
          "change", ("The meeting with Petra moved to Tuesday.",), when=DONE, status="planned", change="move"),
    Shape("completion", "the {subject}", "be",
          "done|built|finished|complete|completed|merged|deployed|fixed|released|shipped|resolved|live ?{rest}",
          None, "task_completed", ("The shelf is built.", "The migration is done."), when=EVER, status="occurred",
          change="completion"),

    # ---- what was decided
    Shape("decision", "one", "decide|agree", "not to|on|upon {value}", "decision", "decision",
          ("We decided not to support Python 3.9.",), when=DONE, status="occurred", ends=True, scope="project"),
    Shape("decision", "one", "decide", "against {value}", "decision", "decision", ("I've decided against Redis.",),
          when=DONE, status="occurred", ends=True, scope="project"),
    Shape("decision", "one", "decide|agree",
          "to_use|to_go_with|to_adopt|on|upon {value} for|as ?the|our|my {topic}", None, "decision",
          ("We decided to use Postgres for the database.",), when=DONE, status="occurred", scope="project"),
    Shape("decision", "one", "settle|go|land", "on|with|for {value} for|as ?the|our|my {topic}", None, "decision",
          ("We settled on Redis as the cache.", "We're going with FastAPI for the web framework."),
          when="past perfect progressive", status="occurred", scope="project"),
    Shape("decision", "one", "choose|pick|select|adopt", "{value} for|as ?the|our|my {topic}", None, "decision",
          ("The team picked Grafana for monitoring.",), when=DONE, status="occurred", scope="project"),
    Shape("decision", "one", "settle", "on {value}", "decision", "decision", ("We settled on Postgres.",),
          when=DONE, status="occurred", scope="project"),
    Shape("decision", "one", "go", "with {value}", "decision", "decision", ("We're going with the blue logo.",),
          when="progressive", status="occurred", scope="project"),
    Shape("decision", "one", "decide|agree", "on|to|upon {value}", "decision", "decision",
          ("We've decided to sell the car.", "We agreed on a weekly release schedule."), when=DONE,
          status="occurred"),

    Shape("decision", "the {chosen}", "be", "chosen|picked|selected|adopted as|for ?the|our {topic}", None,
          "decision", ("Redis was chosen as the cache.",), when=EVER, status="occurred", scope="project"),
    Shape("attribute", "the {chosen}", "be", "our {attribute}", None, "fact", ("Postgres is our database.",),
          when="present", scope="project"),

    # ---- who somebody is
    Shape("name", "my name", "be", "{value}", "name", "fact", ("My name is Mara Lindqvist.",),
          criticality="identity"),
    Shape("favourite", "my favourite {topic}", "be", "{value}", None, "preference",
          ("My favourite colour is teal.",), when="present", criticality="preference"),
    Shape("favourite", "my favourite", "be", "{value}", "likes", "preference",
          ("My favourite is the banana split.",), when="present", criticality="preference"),
    Shape("favourite", "the {liked}", "be", "my favourite|favorite|fave ?{rest}", "likes", "preference",
          ("Teal is my favourite colour.",), when="present", criticality="preference"),
    Shape("relative", "my {kin} name", "be", "{value}", None, "fact", ("My cat's name is Olive.",), when="present",
          criticality="identity"),
    Shape("relative", "my {kin}", "be", "called|named {value}", None, "fact", ("My son is called Otto.",),
          when="present", criticality="identity"),
    Shape("relative", "my {kin}", "be", "{people} $", None, "fact", ("My brother is Ivo.",), when="present",
          criticality="identity"),
    Shape("relative", "a {person}", "be", "my ?older|younger|little|big|best|new {kin}", None, "fact",
          ("Ivo is my brother.",), when="present", criticality="identity"),
    Shape("attribute", "my {attribute}", "be", "?now ?on|in {value}", None, "fact",
          ("My email is mara@example.org.", "My birthday is on 9 April."), when="present", criticality="identity"),
    Shape("attribute", "the {attribute}", "be", "?now ?on|in|called|named|set_to {value}", None, "fact",
          ("The guest Wi-Fi password is heron-blue.", "The default branch is trunk."), when="present",
          scope="project"),
    Shape("attribute", "it", "now be", "{value}", None, "fact",
          ("We changed the guest Wi-Fi password, it is now otter-green.",), when="present", change="change",
          scope="project"),
    Shape("attribute", "I", "change|update|set|reset|rename|bump|raise",
          "the|our|my {attribute} ?from ?{old} to {value}", None, "change",
          ("We changed the guest Wi-Fi password to otter-green.",), when=DONE, change="change", scope="project"),
    Shape("policy", "the {subject}", "be", "{policy} ?{rest}", "allowed", "fact",
          ("Weekend deploys are allowed.", "Weekend deploys are not allowed."), when="present", scope="project"),
    Shape("age", "I", "be", "{years} years|yrs|$", "age", "fact", ("I am 34 years old.",), when="present",
          criticality="identity"),
    Shape("age", "I", "turn", "{years}", "age", "fact", ("I turned 40 in March.",), when=DONE, status="occurred",
          criticality="identity"),
    Shape("allergy", "I", "be", "allergic|intolerant to {values}", "allergic_to", "fact",
          ("I'm allergic to peanuts.",), when="present", criticality="safety"),
    Shape("allergy", "I", "have", "a|an {allergen} allergy|intolerance", "allergic_to", "fact",
          ("I have a peanut allergy.",), when="present", criticality="safety"),
    Shape("diet", "I", "be", "?a|an|on {diet}", "diet", "fact", ("I'm vegetarian.",), when="present",
          criticality="safety"),
    Shape("lives_in", "I", "live|reside", "in|at {name}", "lives_in", "fact", ("I live in Brask.",),
          criticality="identity"),
    Shape("lives_in", "I", "be", "based in {name}", "lives_in", "fact", ("I'm based in Ghent.",), when="present",
          criticality="identity"),
    Shape("origin", "I", "be|come", "?originally from {name}", "from", "fact", ("I'm originally from Estonia.",),
          when="present", criticality="identity"),
    Shape("relocation", "I", "move|relocate", "?back|over ?from ?{old} to {name}", "lives_in", "change",
          ("Nora moved to Brask.", "We moved from Turku to Tampere."), when=DONE, status="occurred",
          change="change", criticality="identity"),
    Shape("preference", "I", "be", "?a|an ?big|huge|great|massive fan of {value}", "likes", "preference",
          ("I'm a big fan of brutalist architecture.",), when="present", criticality="preference"),
    Shape("preference", "I", "be", "?really into|fond_of|keen_on|obsessed_with|passionate_about {value}", "likes",
          "preference", ("I'm really into bouldering these days.",), when="present", criticality="preference"),
    Shape("role", "I", "be", "a|an|the|our|your {role}", "role", "fact", ("I'm a backend developer.",),
          when="present", criticality="identity"),
    Shape("role", "I", "work", "as a|an|the {name}", "role", "fact", ("Ivo works as a plumber.",),
          criticality="identity"),

    Shape("health", "I", "have", "?a|severe|chronic|bad {condition}", "condition", "fact", ("I have asthma.",),
          when="present", criticality="safety"),
    Shape("eats", "I", "eat", "{object}", "eats", "preference", ("I don't eat pork.",), when="present",
          criticality="preference"),
    Shape("drinks", "I", "drink", "{object}", "drinks", "preference", ("I never drink coffee.",), when="present",
          criticality="preference"),

    # ---- what somebody likes
    Shape("preference", "I", "stand|bear|handle", "{value}", "dislikes", "preference",
          ("I can't stand dark mode.",), when="open", ends=True),
    Shape("preference", "I", "prefer", "{value} ?over|to|rather_than ?{other}", "prefers", "preference",
          ("I prefer tabs over spaces.",), criticality="preference"),
    Shape("preference", "I", LIKING, "{likings}", "likes", "preference", ("I love rainy mornings.",),
          criticality="preference"),
    Shape("preference", "I", HATING, "{likings}", "dislikes", "preference", ("I hate coriander.",),
          criticality="preference"),

    # ---- work, people, animals
    Shape("works_at", "I", "work|freelance", "?now at|for {name}", "works_at", "fact", ("I work at Northgate.",)),
    Shape("works_at", "I", "start", "at {org} ?{rest}", "works_at", "change",
          ("I started at Quill & Co. last Monday.",), when=DONE, status="occurred", change="change"),
    Shape("works_at", "I", "join", "{org} ?{rest}", "works_at", "change", ("Petra joined Halden Robotics in May.",),
          when=DONE, status="occurred", change="change"),
    Shape("works_at", "I", "get|land|take", "?hired a|the|my ?new|full-time|part-time|dream job at|with {name}",
          "works_at", "change", ("I got a job at the aquarium!",), when=DONE, status="occurred", change="change"),
    Shape("works_at", "I", "lose", "my|his|her job at {name}", "works_at", "change",
          ("I lost my job at the bank.",), when=DONE, status="occurred", change="change", ends=True),
    Shape("works_at", "I", "leave|quit", "my|his|her|the job at {name}", "works_at", "change",
          ("I quit my job at Acme.",), when=DONE, status="occurred", change="change", ends=True),
    Shape("works_at", "I", "leave|quit", "{org} ?{rest}", "works_at", "change", ("I left Northgate in June.",),
          when=DONE, status="occurred", change="change", ends=True),
    Shape("studies_at", "I", "study", "at {name}", "studies_at", "fact", ("I study at Aalto University.",)),
    Shape("child", "I", "have",
          "{count} ?adopted|young|wonderful kids|children|sons|daughters|boys|girls ,|:|named|called {people}",
          "child", "fact", ("We have two kids, Ada and Finn.",), when="present", criticality="identity"),
    Shape("pet", "I", "have|own|get|adopt", "?{count} ?a|an ?new {pet} named|called|:|, {people}", "pet", "fact",
          ("I have a dog named Biscuit.", "I got a puppy named Waffles last weekend."), when=EVER,
          criticality="identity"),
    Shape("speaks", "I", "speak", "?fluent|some|a_little|a_bit_of|only {languages}", "speaks", "skill",
          ("I speak Danish and some Dutch.",)),
    Shape("knows", "I", "know", "{people} ?from|through|since ?{rest}", "knows", "fact", ("Nora knows Ivo.",)),

    # ---- things and tools
    Shape("switch", "one", "switch|migrate|move|convert", "?over ?{thing} from {old} to {tool}", "uses",
          "migration", ("I switched from VS Code to Zed.",), when=DONE, status="occurred", change="change",
          scope="project"),
    Shape("switch", "one", "switch|migrate|upgrade", "?over to {tool}", "uses", "migration",
          ("We switched to pnpm.",), when=DONE, status="occurred", change="change", scope="project"),
    Shape("switch", "one", "replace", "{old} with|by {tool}", "uses", "migration",
          ("We replaced Jenkins with Buildkite.",), when=DONE, status="occurred", change="change", scope="project"),
    Shape("uses", "one", "stop", "using {tool}", "uses", "change", ("I stopped using Docker.",), when=DONE,
          status="occurred", change="change", ends=True, scope="project"),
    Shape("uses", "one", "start", "using {tool}", "uses", "change", ("We started using Linear.",), when=DONE,
          status="occurred", change="change", scope="project"),
    Shape("uses", "one", "use", "{tools}", "uses", "fact",
          ("I use Neovim for everything.", "The API uses GraphQL."), when="present progressive", scope="project"),
    Shape("uses", "one", "be", "written|built|implemented|coded in|with|on {tool}", "uses", "fact",
          ("Our API is written in Go.",), when="present", scope="project"),
    Shape("uses", "one", "run", "on {tool}", "uses", "fact", ("Our project runs on Kubernetes.",), when="present",
          scope="project"),
    Shape("sold", "I", "sell", "{object}", "owns", "change", ("Bram sold his boat.",), when=DONE, status="occurred",
          change="change", ends=True),
    Shape("sold", "I", "give", "away {object}", "owns", "change", ("I gave away my piano.",), when=DONE,
          status="occurred", change="change", ends=True),
    Shape("bought", "I", "buy|purchase", "?myself|us {object}", "owns", "change",
          ("I bought a cargo bike yesterday.",), when=DONE, status="occurred", change="change"),
    Shape("owns", "I", "own", "{object}", "owns", "fact", ("I own a sailboat.",)),
    Shape("owns", "I", "still have", "{object}", "owns", "fact", ("Bram still has the boat.",), when="present"),

    # ---- what went on, goes on, or is to come
    Shape("plan", "I", "*", "{rest}", None, "plan",
          ("I will visit the quarry on May 20.", "Next month I'm flying to Lisbon."), when="future coming",
          status="planned"),
    Shape("plan", "I", "plan|intend|aim|hope|arrange", "to|on {rest}", None, "plan",
          ("I plan to learn the cello this year.",), status="planned"),
    Shape("plan", "I", "consider", "{rest}", None, "plan", ("We're considering adopting a rescue dog.",),
          when="progressive", status="unknown"),
    Shape("plan", "I", "think", "about|of {rest}", None, "plan", ("I'm thinking about going back to school.",),
          when="progressive", status="unknown"),
    Shape("progress", "I", "*", "{rest}", None, "task", ("I'm learning to play the ukulele.",), when="progressive",
          status="ongoing"),
    Shape("outcome", "the {subject}", "fail|crash|break|leak|hang|succeed|pass|arrive|launch|ship", "?{rest}", None,
          "other", ("The deploy failed at 14:05.",), when=DONE, status="occurred"),
    Shape("outcome", "my {thing}", "be", "open|live|online|out|ready|finished|done $", None, "other",
          ("My online store is open!",), when="present", status="occurred"),
    Shape("happening", "I", "be", "{event_place}", None, "other", ("We were at the beach.",), when=DONE,
          status="occurred"),
    Shape("happening", "I", "*", "{deed}", None, "other", ("I went to the climbing gym yesterday.",), when=DONE,
          status="occurred"),

    # ---- what somebody tells of themselves that is no fact of a known key: kept as an event in their own words
    Shape("effect", "something",
          "make|give|help|teach|bring|remind|show|let|keep|inspire|push|motivate|encourage|touch|allow|get|take",
          "me {rest}", None, "note", ("The support group made me feel accepted.", "It helps me relax after work."),
          when=EVER),
    Shape("effect", "something", "be", "{to_me}", None, "note", ("The mural is important to me.",), when=EVER),
    Shape("own", "my {thing}", "be", "{telling}", None, "note", ("My goal is to get more people to vote.",),
          when=EVER),
    Shape("own", "my {thing}", "*", "{telling}", None, "note", ("My turtles got a new tank.",), when=EVER),
    Shape("state", "me", "be", "{telling}", None, "note",
          ("I'm busy at the shelter this week.", "I've been into dancing since I was a kid."), when=EVER),
    Shape("state", "it", "be", "{described}", None, "note", ("It was a poetry reading for beginners.",), when="past"),
    Shape("outcome", "the thing", "*", "{doing}", None, "other", ("The client rejected the proposal.",),
          when=DONE, status="occurred"),
    Shape("habit", "I", "*", "{doing}", None, "note", ("We usually play cards on Sundays.",), when="present"),
)  # fmt: skip

# What a happening is called by its verb; everything else is "other".
_BY_VERB: dict[EventType, str] = {
    "meeting": "meet chat catch",
    "task_completed": "finish complete fix solve resolve implement merge refactor clean submit",
    "release": "release ship deploy launch publish",
    "migration": "migrate port",
    "incident": "fail crash break leak hang",
    "collaboration": "collaborate partner team pair",
    "change": "change replace rename update remove",
    "skill": "learn practice practise study",
}
EVENT_TYPES: dict[str, EventType] = {verb: kind for kind, verbs in _BY_VERB.items() for verb in verbs.split()}

# Two shapes that are no row: a sentence kept whole because it sets something right, or because it says when.
CORRECTION = Shape(
    "correction", "", "", "", None, "change", ("No, actually it's port 8443, not 8080.",), change="correction"
)
DATED = Shape("dated", "", "", "", None, "note", ("That road trip last weekend was insane.",))
