"""Closed-class English words and irregular verbs: what the grammar and the guards are made of."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


BE = word_set("am is are was were be been being")
HAVE = word_set("have has had having")
DO = word_set("do does did")
MODALS_ASSERTED = word_set("will shall")
MODALS_OPEN = word_set("would could should might may must can ought")  # a clause under one of these states no fact
AUXILIARIES = BE | HAVE | DO | MODALS_ASSERTED | MODALS_OPEN
PAST_AUXILIARIES = word_set("was were had did")

PRONOUNS = word_set("i we he she they it you this that these those there who what which one")
INDEFINITE = word_set(
    """
    everyone everybody someone somebody anyone anybody nobody people everything something anything nothing none
    all some many most others folks both each either neither no
    """
)
VAGUE = word_set("lot lots ton tons things thing stuff bit bunch plenty let's here glad good great way no")
NUMBERED = word_set("war part chapter phase act type volume section level tier class model mark stage")  # "World War I"
# What only persons do: with one of these a single capitalised word that opens a sentence is taken for a name.
PERSONAL = word_set(
    """
    live reside work move relocate know speak like love hate prefer enjoy buy sell own join marry graduate study
    say tell claim mention go come meet visit adopt quit play write paint cook plan decide leave call travel fly
    drive report switch use
    """
)
POSSESSIVES = word_set("my our his her their your its")
DETERMINERS = word_set("the a an this that these those some any each every another both all no") | POSSESSIVES
PREPOSITIONS = word_set(
    """
    in on at to for with from of by about as into onto over under after before during since until till through
    via than between across around near towards against among like without within per off up out down back along
    behind beside
    """
)
CONJUNCTIONS = word_set(
    """
    and but so because since though although while when if unless whether until or as where which who then plus
    'cause cuz
    """
)
WH = word_set("who whom whose what which when where why how")

# An embedded or subordinate clause behind one of these is not asserted.
OPEN_CONJUNCTIONS = word_set("if unless whether lest until till provided assuming")

NEGATIONS = word_set("not never nor hardly neither")
ADVERBS = word_set(
    """
    really just also always never usually often sometimes recently finally actually still already currently now
    even ever definitely absolutely totally simply mostly mainly rarely seldom generally normally typically only
    honestly literally lately officially basically truly quite pretty so very too kinda sorta personally
    probably certainly obviously eventually originally initially instead therefore thus then once twice again
    soon first later both all almost nearly ultimately unfortunately sadly luckily fortunately happily gladly
    successfully quickly immediately accidentally strongly highly deeply secretly briefly formally not today
    yesterday tonight tomorrow proudly newly kindly longer absolutley definately definitly realy probly hardly
    right seriously especially super freshly last each
    """
)
FILLERS = word_set(
    """
    please kindly tbh imo imho ngl fwiw afaict
    yeah yep yes yup no nope oh ah wow well ok okay hey hi hello thanks thank btw fyi so and but
    plus also anyway anyways honestly actually hmm haha lol sure right cool great nice awesome update sorry um
    uh guess ugh man gosh look listen note remember alright additionally furthermore moreover however basically
    meanwhile otherwise overall yay woohoo hooray whoa woah aw aww correction true exactly absolutely definitely
    totally today yesterday tonight tomorrow recently lately currently now nowadays finally luckily
    unfortunately fortunately sadly apparently later afterwards then eventually previously earlier once still
    personally usually normally sometimes often generally obviously clearly interestingly originally initially
    instead because since though although while when after before as where or 'cause cuz cause
    """
)
TIME_WORDS = word_set(
    """
    today yesterday tomorrow tonight now currently lately recently anymore nowadays ago last next this every
    each week weeks weekend weekends month months year years day days morning afternoon evening night nights
    summer winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday january february
    march april june july august september october november december christmas easter noon midnight hour hours
    minute minutes couple few earlier later past mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun
    jul aug sept oct nov dec may
    """
)
CALENDAR = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december christmas easter halloween thanksgiving
    """
)
SEASONS = word_set("spring summer autumn fall winter")
# A value ends where the time of it begins.
TIME_STARTS = word_set(
    """
    today yesterday tomorrow tonight now currently lately recently anymore nowadays ago already again instead
    too though
    """
)

_LY_VERBS = word_set("rely apply reply supply imply comply multiply bully rally tally family italy july")


def is_adverb(low: str) -> bool:
    """Tell whether a word may stand between subject and verb without changing what is said."""
    return low in ADVERBS or (low.endswith("ly") and len(low) > 4 and low not in _LY_VERBS)


NUMBER_WORDS = word_set("one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty")

KIN: dict[str, str] = {
    "wife": "spouse", "husband": "spouse", "spouse": "spouse", "partner": "spouse", "girlfriend": "spouse",
    "boyfriend": "spouse", "fiance": "spouse", "fiancee": "spouse", "fiancé": "spouse", "fiancée": "spouse",
    "mother": "mother", "mom": "mother", "mum": "mother", "mama": "mother", "father": "father", "dad": "father",
    "son": "child", "daughter": "child", "kid": "child", "child": "child", "baby": "child", "toddler": "child",
    "brother": "sibling", "sister": "sibling", "twin": "sibling", "uncle": "relative", "aunt": "relative",
    "cousin": "relative", "niece": "relative", "nephew": "relative", "grandma": "relative", "grandpa": "relative",
    "grandmother": "relative", "grandfather": "relative", "gran": "relative", "friend": "friend", "buddy": "friend",
    "pal": "friend", "bestie": "friend", "roommate": "friend", "flatmate": "friend", "colleague": "colleague",
    "coworker": "colleague", "co-worker": "colleague", "teammate": "colleague", "boss": "colleague",
    "manager": "colleague", "mentor": "colleague", "dog": "pet", "cat": "pet", "puppy": "pet", "kitten": "pet",
    "pup": "pet", "pet": "pet", "parrot": "pet", "hamster": "pet", "rabbit": "pet", "turtle": "pet", "horse": "pet",
    "bird": "pet", "goldfish": "pet", "bunny": "pet",
}  # fmt: skip
PLURAL_KIN = word_set(
    """
    parents kids children sons daughters brothers sisters siblings grandparents friends colleagues family folks
    """
)

# past, participle and lemma of the irregular verbs people report things with: "lemma past [participle]"
_IRREGULAR = """
be was been/go went gone/come came come/become became become/get got gotten/make made/take took taken/
see saw seen/give gave given/find found/tell told/say said/think thought/know knew known/feel felt/leave left/
keep kept/begin began begun/bring brought/buy bought/build built/catch caught/choose chose chosen/do did done/
draw drew drawn/drink drank drunk/drive drove driven/eat ate eaten/fall fell fallen/fight fought/
fly flew flown/forget forgot forgotten/freeze froze frozen/grow grew grown/hang hung/have had/hear heard/
hide hid hidden/hold held/lead led/learn learnt/lend lent/lose lost/mean meant/meet met/pay paid/
ride rode ridden/ring rang rung/rise rose risen/run ran run/sell sold/send sent/sew sewed sewn/
shake shook shaken/shoot shot/show showed shown/sing sang sung/sink sank sunk/sit sat/sleep slept/
speak spoke spoken/spend spent/stand stood/steal stole stolen/stick stuck/strike struck/swear swore sworn/
swim swam swum/teach taught/tear tore torn/throw threw thrown/understand understood/wake woke woken/
wear wore worn/weave wove woven/win won/write wrote written/dig dug/blow blew blown/break broke broken/
bend bent/bleed bled/deal dealt/dream dreamt/feed fed/flee fled/forgive forgave forgiven/
overcome overcame overcome/rebuild rebuilt/rewrite rewrote rewritten/redo redid redone/undo undid undone/
seek sought/shine shone/slide slid/spin spun/light lit/burn burnt/bind bound/undergo underwent undergone/
withdraw withdrew withdrawn/kneel knelt/lay laid/breed bred
"""
SAME_FORM = word_set(
    """
    put set let cut hit hurt cost quit read shut spread split reset beat bet burst cast rid shed upset
    """
)
PAST: dict[str, str] = {}
PARTICIPLE: dict[str, str] = {}
for _row in _IRREGULAR.replace("\n", "").split("/"):
    _lemma, _past, *_rest = _row.split()
    PAST[_past] = PARTICIPLE[_rest[0] if _rest else _past] = _lemma
PAST["were"] = "be"
PARTICIPLE["got"] = "get"

NOT_PAST = word_set(
    """
    need feed speed embed proceed succeed exceed bleed breed seed weed heed shed wed red bed hundred kindred
    indeed sacred naked wicked shred excited bored interested tired supposed
    """
)

# Verbs that report a state of mind or a way of seeing, not a happening.
STATIVE = word_set(
    """
    lie think believe guess suppose hope wish want know feel mean seem look appear sound wonder assume imagine doubt
    expect need understand agree remember forget care see hear like love hate prefer bet figure consider realize
    realise notice say tell ask mention claim reckon swear promise mind matter hesitate
    """
)
# Verbs under which a clause of one's own stays asserted: "I'm glad we chose Redis", "did I mention that I moved?"
FACTIVE = word_set(
    """
    glad happy sorry proud excited thrilled grateful relieved realise realize discover announce mention confirm
    say tell know note remember noticed notice  share
    """
)
SAYING = word_set(
    """
    say tell mention claim report write announce confirm note explain add reply text email state swear insist
    """
)
