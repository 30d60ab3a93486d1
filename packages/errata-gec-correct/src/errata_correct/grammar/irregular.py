"""Irregular forms of English: verbs, nouns, comparisons."""

from __future__ import annotations

# base, past tense, past participle
_VERBS = """
arise arose arisen; awake awoke awoken; be was been; bear bore borne; beat beat beaten; become became become;
begin began begun; bend bent bent; bet bet bet; bind bound bound; bite bit bitten; bleed bled bled;
blow blew blown; break broke broken; breed bred bred; bring brought brought; build built built;
burst burst burst; buy bought bought; catch caught caught; choose chose chosen; cling clung clung;
come came come; cost cost cost; creep crept crept; cut cut cut; deal dealt dealt; dig dug dug; do did done;
draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed fed;
feel felt felt; fight fought fought; find found found; flee fled fled; fling flung flung; fly flew flown;
forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got got;
give gave given; go went gone; grind ground ground; grow grew grown; hang hung hung; have had had;
hear heard heard; hide hid hidden; hit hit hit; hold held held; hurt hurt hurt; keep kept kept;
know knew known; lay laid laid; lead led led; leave left left; lend lent lent; let let let; lie lay lain;
light lit lit; lose lost lost; make made made; mean meant meant; meet met met; mistake mistook mistaken;
overcome overcame overcome; pay paid paid; put put put; quit quit quit; read read read; ride rode ridden;
ring rang rung; rise rose risen; run ran run; say said said; see saw seen; seek sought sought; sell sold sold;
send sent sent; set set set; shake shook shaken; shine shone shone; shoot shot shot; show showed shown;
shrink shrank shrunk; shut shut shut; sing sang sung; sink sank sunk; sit sat sat; sleep slept slept;
slide slid slid; speak spoke spoken; speed sped sped; spend spent spent; spin spun spun; split split split;
spread spread spread; spring sprang sprung; stand stood stood; steal stole stolen; stick stuck stuck;
sting stung stung; strike struck struck; swear swore sworn; sweep swept swept; swim swam swum;
swing swung swung; take took taken; teach taught taught; tear tore torn; tell told told;
think thought thought; throw threw thrown; undergo underwent undergone;
understand understood understood; undertake undertook undertaken; upset upset upset; wake woke woken;
wear wore worn; weave wove woven; weep wept wept; win won won; wind wound wound; withdraw withdrew withdrawn;
write wrote written
"""
VERBS: dict[str, tuple[str, str]] = {
    base: (past, participle) for base, past, participle in (entry.split() for entry in _VERBS.split(";"))
}

_NOUNS = """
man men; woman women; child children; foot feet; tooth teeth; goose geese; mouse mice; person people;
knife knives; life lives; wife wives; leaf leaves; shelf shelves; half halves; wolf wolves; thief thieves;
loaf loaves; calf calves; self selves; potato potatoes; tomato tomatoes; hero heroes; echo echoes;
sheep sheep; deer deer; fish fish; series series; species species; aircraft aircraft; phenomenon phenomena;
criterion criteria; crisis crises; analysis analyses; basis bases; hypothesis hypotheses; ox oxen;
policeman policemen; policewoman policewomen; businessman businessmen; gentleman gentlemen;
grandchild grandchildren; fireman firemen; postman postmen; fisherman fishermen
"""
NOUNS: dict[str, str] = {entry.split()[0]: entry.split()[1] for entry in _NOUNS.split(";")}

# comparative and superlative
COMPARISONS: dict[str, tuple[str, str]] = {
    "good": ("better", "best"),
    "well": ("better", "best"),
    "bad": ("worse", "worst"),
    "badly": ("worse", "worst"),
    "far": ("further", "furthest"),
    "little": ("less", "least"),
    "much": ("more", "most"),
    "many": ("more", "most"),
}
ADVERBS = {"good": "well", "fast": "fast", "hard": "hard", "early": "early", "late": "late", "long": "long"}
