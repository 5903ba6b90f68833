"""What a question's class word asks for: "Which instruments …" is answered by a piano, not by the word "instrument".

Everyday classes only, each with the words that commonly stand for one of its members. A row is: class words, a colon,
members. It is a cue for the kind of answer, weighed far below the question's own words.
"""

from __future__ import annotations

from sgraph import analysis

_CLASSES_TEXT = """
child kid: child kid son daughter baby toddler boy girl
family relative: family parent mother father mom dad brother sister son daughter wife husband aunt uncle cousin
  grandma grandpa grandmother grandfather niece nephew
parent: mother father mom dad
sibling: brother sister twin
partner spouse relationship: husband wife boyfriend girlfriend fiance partner married wedding single divorce dating
friend: friend buddy pal friendship
pet animal: dog cat puppy kitten rabbit bird parrot fish turtle hamster horse snake lizard pet animal
job work career profession occupation: job work career boss company office employ hire interview promotion colleague
  salary business teacher nurse engineer lawyer doctor
business company: business company startup store shop customer client brand
money finance: money pay cost price salary budget loan debt income invest fund
trip travel vacation visit: trip travel vacation visit holiday flight tour journey abroad
place destination country city state: city country town village island beach mountain state abroad trip travel visit
home house: home house apartment room flat move rent
hobby activity pastime interest: hobby hike swim run paint draw cook bake read garden camp fish dance sing climb cycle
  bike knit craft pottery photography game yoga ski surf sport music
sport exercise workout fitness: run swim gym yoga soccer football basketball baseball tennis golf hockey volleyball
  cycle bike ski surf boxing training marathon race weight lift workout climb
instrument: guitar piano violin drum flute cello clarinet saxophone trumpet bass keyboard ukulele
music musician band artist song: song band concert album sing singer music guitar piano listen playlist
art artwork: paint painting draw drawing sculpture sketch canvas pottery gallery museum portrait
food dish meal cuisine eat: food dish meal dinner lunch breakfast cook recipe pizza pasta salad soup cake bread rice
  chicken fish vegetable fruit dessert restaurant snack taste
dessert sweet: cake cookie chocolate pie cream candy cupcake pudding
drink beverage: coffee tea wine beer juice water smoothie cocktail
cook bake recipe: cook bake recipe kitchen ingredient oven dish
book author novel: book novel read author series story chapter library
movie film show: movie film show series watch cinema actor episode trilogy
game: game play console card board chess puzzle tournament
health illness medical condition: health doctor hospital sick pain surgery injury disease allergy medicine diet therapy
injury accident: accident hurt injury broken crash fall ankle hospital
emotion mood feel: happy sad proud nervous anxious excited grateful afraid lonely angry upset scared relief joy stress
stress relax cope: stress relax calm peace escape therapy unwind meditate anxious soothe
school education study degree: school college university class course degree study student teacher exam graduate learn
volunteer charity community: volunteer charity donate shelter fundraiser community nonprofit help cause
nature outdoor: nature hike forest mountain lake river park beach camp trail sunset
weather: rain snow storm sun sunny cold hot wind
vehicle transport car: car bike bus train truck motorcycle plane boat drive
cloth clothing outfit: dress shirt shoe jacket hat jean outfit fashion wear necklace ring
gift present: gift present birthday surprise gave
event celebration party: party birthday wedding festival parade concert conference anniversary celebrate ceremony
  graduation meeting
competition contest: competition contest tournament win prize trophy medal race championship
award achievement: award win prize medal promotion graduate achieve certificate
plan goal dream: plan goal dream hope want future aim aspire
challenge problem struggle obstacle: hard tough struggle problem difficult challenge setback stress issue lose
buy purchase: buy purchase shop store order
religion faith: church god faith pray religious bible
country nationality: spain france italy england germany japan china india mexico canada brazil sweden ireland greece
  portugal thailand australia
recommend suggest advice: recommend suggest try should advice must
"""


def _read() -> dict[str, tuple[str, ...]]:
    members: dict[str, dict[str, None]] = {}
    for row in _CLASSES_TEXT.replace("\n  ", " ").strip().splitlines():
        classes, _, words = row.partition(":")
        for term in analysis.terms(classes):
            members.setdefault(term, {}).update(dict.fromkeys(analysis.terms(words)))
    return {term: tuple(word for word in words if word != term) for term, words in members.items()}


#: The terms that may stand for a member of a class, by the term of the class.
MEMBERS = _read()
