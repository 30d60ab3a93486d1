"""Czech function words by part of speech, and endings of adjectives: what formal treebanks lack."""

from __future__ import annotations

FUNCTION_WORDS = {
    "PRON": (
        "já ty on ona ono oni ony my vy mě mne mi mně mnou tě tebe ti tobě tebou ho jej něho něj mu jemu "
        "němu něm jím ním ji ni jí ní jich nich jim nim jimi nimi nás nám námi vás vám vámi se si sebe "
        "sobě sebou kdo koho komu kom kým co čeho čemu čem čím nikdo nikoho nikomu nikom nikým nic "
        "ničeho ničemu ničem ničím někdo někoho někomu někom někým něco něčeho něčemu něčem něčím kdosi "
        "cosi kdokoli kdokoliv cokoli cokoliv copak kdopak jenž jež jehož jemuž jejž jíž jimiž jichž"
    ),
    "DET": (
        "ten ta to ti ty té tu tou tom toho tomu tím těch těm těmi tento tato toto tito tyto této tuto "
        "touto tomto tohoto tomuto tímto těchto těmto těmito tenhle tahle tohle tihle tyhle tenhleten "
        "můj má mé moje mého mému mém mým moji mou mých mými tvůj tvá tvé tvoje tvého tvému tvém tvým "
        "tvoji tvou tvých tvými svůj svá své svoje svého svému svém svým svoji svou svých svými náš naše "
        "našeho našemu našem naším naši našich našim našimi váš vaše vašeho vašemu vašem vaším vaši "
        "vašich vašim vašimi jeho její jejího jejímu jejím jejích jejími jejich který která které "
        "kterého kterému kterém kterým kteří kterou kterých kterými jaký jaká jaké jakého jakému jakém "
        "jakým jací jakou jakých jakými takový taková takové takového takovému takovém takovým takoví "
        "takovou takových takovými nějaký nějaká nějaké nějakého nějakému nějakém nějakým nějací nějakou "
        "nějakých nějakými některý některá některé některého některém některým někteří některou "
        "některých některými žádný žádná žádné žádného žádnému žádném žádným žádní žádnou žádných "
        "žádnými každý každá každé každého každému každém každým každou všechen všechna všechno všichni "
        "všechny všeho všemu všem vším vší všech všemi několik několika mnoho mnoha kolik tolik sám sama "
        "samo sami samy čí"
    ),
    "AUX": (
        "být byl byla bylo byli byly jsem jsi je jsme jste jsou není nejsem nejsi nejsme nejste nejsou "
        "budu budeš bude budeme budete budou nebudu nebudeš nebude nebudeme nebudete nebudou nebyl "
        "nebyla nebylo nebyli nebyly bych bys by bychom byste"
    ),
    "ADP": (
        "v ve na s se z ze k ke ku u o od ode do po pod pode pro při před přede přes nad nade za bez "
        "beze mezi mimo kolem okolo podle vedle proti kromě skrz během díky kvůli místo blízko uprostřed "
        "dle vůči"
    ),
    "CCONJ": "a i ani nebo ale avšak však ba či neboť nýbrž buď anebo zato",
    "SCONJ": (
        "že aby abych abys abychom abyste kdyby kdybych kdybys kdybychom kdybyste když protože jestli "
        "jestliže pokud až než jelikož zatímco ačkoli ačkoliv přestože dokud zda zdali jakmile kdežto"
    ),
    "PART": "ať ne ano jo asi snad možná prý kéž vždyť no nechť",
    "ADV": (
        "kde kam kdy jak proč odkud kudy tady tam tu sem zde tak teď pak potom taky také velmi moc hodně "
        "trochu už ještě jen jenom pouze vždy vždycky nikdy nikde nikam někdy někde někam dnes včera "
        "zítra doma domů ráno večer často občas rád spolu znovu brzy brzo potřeba takhle tehdy"
    ),
}
CLASS_OF_WORD = {word: upos for upos, words in FUNCTION_WORDS.items() for word in words.split()}

# Contractions of a conjunction and an auxiliary: no lemma but themselves.
CONTRACTED = frozenset(
    ["abych", "abys", "abychom", "abyste", "kdybych", "kdybys", "kdybychom", "kdybyste", "ses", "sis"]
)

# Endings of adjectives, also those of common Czech (velkýho, velkej, velkýma).
HARD = "ý á é ého ému ém ým ou í ých ými ýho ýmu ej ýma"
SOFT = "í ího ímu ím ích ími íma"


def adjective_forms(lemma: str) -> list[str]:
    """The forms of an adjective with this lemma."""
    endings = HARD if lemma.endswith("ý") else SOFT
    return [lemma[:-1] + ending for ending in endings.split()]
