"""Czech function words by part of speech, and endings of adjectives: what formal treebanks lack."""

from __future__ import annotations

FUNCTION_WORDS = {
    "PRON": (
        "já ja ty on ona ono oni ony my vy mě mne mi mně mnou tě tebe ti tobě tebou ho jej něho něj mu jemu "
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
        "že aby kdyby když protože jestli "
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

# A conjunction with an auxiliary. Treebanks split it into two words, so no tagger has seen it as one.
_CONTRACTED = "abych abys abychom abyste kdybych kdybys kdybychom kdybyste ses sis"
CONTRACTED = frozenset(_CONTRACTED.split())

# Pronouns and the auxiliary: of their forms a tagger that learnt from formal text knows the formal ones.
_FUNCTION_LEMMAS = (
    "být ten tento svůj můj tvůj náš váš takový žádný nějaký některý který jaký každý všechen on já ty se sám"
)
FUNCTION_LEMMAS = frozenset(_FUNCTION_LEMMAS.split())
_COLLOQUIAL = (
    "seš sme ste sou du deš de dem dete dou bejt bysme von vona vono voni vony vo vod tý tejch těma kerej "
    "kerá kerý dvouma dvouch"
)
COLLOQUIAL = frozenset(_COLLOQUIAL.split())

# Endings of adjectives.
HARD = "ý á é ého ému ém ým ou í ých ými"
SOFT = "í ího ímu ím ích ími"

# Words that are right though no list has them: forms in the first ending, of words in the second, whose
# lemma is in the third. Most are common Czech; the others regular forms of words that a list has in part.
VARIANTS = """
ej<ý ýho<ý ýmu<ý ejch<ý ejm<ý ejma<ý ýma<ý -ý  velkej, velkýho, velkejch
íma<í -í  cizíma
na<ný no<ný ni<ný ny<ný nu<ný -ný  schopna
ta<tý to<tý ti<tý ty<tý tu<tý -tý  kryta
ama<ami ema<emi ěma<ěmi ma<mi ama<ům ema<ům -  ženama, mužema
ův<ovi ova<ovi ovo<ovi ovy<ovi ově<ovi ovu<ovi ovou<ovi ových<ovi ovým<ovi ovými<ovi -  vlkova
ejc<eji ějc<ěji -  levnějc
izmus<ismus izmu<ismu -  socializmus
ost<ý osti<ý ostí<ý -ý  uplacenost
ě<ý -ný  bezmocně
ě<ý -vý  zlobivě
aj<ají ej<ejí ěj<ějí ujou<ují uju<uji jou<jí jou<je em<eme im<ím -t  dělaj, pracujou, budem, vidim
la<l lo<l li<l ly<l l<la lo<la li<la ly<la l<li la<li ly<li l<ly la<ly li<ly l<lo la<lo li<lo ly<lo -t  četla
la<l lo<l li<l ly<l l<la lo<la li<la ly<la l<li la<li ly<li l<ly la<ly li<ly l<lo la<lo li<lo ly<lo -ci  mohla
al<at ala<at alo<at ali<at aly<at il<it ila<it ilo<it ili<it ily<it -t  skotačila
el<et ela<et elo<et eli<et ely<et ěl<ět ěla<ět ělo<ět ěli<ět ěly<ět -t  viděla
nul<nout nula<nout nulo<nout nuli<nout nuly<nout -t  zakopnul
als<al alas<ala ils<il ilas<ila -t  narodilas
án<at ána<at áno<at áni<at ány<at aný<at aná<at ané<at -t  dodělaný
aní<at ání<at ání<át ení<it ěním<it áním<at -t  kašlání
"""
PREFIXES = ("ne", "nej", "nejne")
PREFIXED = ("t", "ci", "ý", "í")  # lemmas that take them


def variants() -> list[tuple[str, str, str]]:
    """The table as ending, ending of the word it is a form of, ending of the lemma."""
    found = []
    for line in VARIANTS.strip().splitlines():
        rules, _, lemma = line.partition("  ")[0].rpartition(" -")
        found += [(*rule.split("<"), lemma) for rule in rules.split()]
    return found


def adjective_forms(lemma: str) -> list[str]:
    """The forms of an adjective with this lemma."""
    endings = HARD if lemma.endswith("ý") else SOFT
    return [lemma[:-1] + ending for ending in endings.split()]
