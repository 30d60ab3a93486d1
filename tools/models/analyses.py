"""A lemma and a tag for every word of a lexicon, whatever its context: those it mostly has in tagged text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from errata.edits.taggers import Tagger
from errata.edits.taggers.lexicon import common_prefix
from errata_correct.language_model import OTHER, LanguageModel, Morphology, estimate

_CLOSED = frozenset(["ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ"])
_BATCH = 20_000  # sentences tagged at once
_OFTEN = 40  # a function word seen so often is a tag of its own: prepositions govern cases
_LEAST = 1000  # tokens of a tag; rarer ones give way to coarser ones
Seen = Counter[tuple[str, str, str, str]]  # lower-case form, lemma, part of speech, fine tag
Analyses = dict[str, tuple[str, str]]


def tagged(texts: Sequence[Sequence[str]], tagger: Tagger) -> Seen:
    """How often each word has which analysis."""
    seen: Seen = Counter()
    for start in range(0, len(texts), _BATCH):
        for sentence in tagger.tag(texts[start : start + _BATCH]):
            lemmas = map(str.lower, sentence.lemmas)
            seen.update(zip(sentence.lower, lemmas, sentence.upos, sentence.tags, strict=True))
    return seen


def analyse(seen: Seen, words: Sequence[str], tagger: Tagger) -> Analyses:
    """The (lemma, tag) of each word; words that were not seen are tagged alone.

    A fine tag is made of all tags that a word usually has, or of a function word itself, so that *she walks*
    and *she walk* differ though *walks* may be a noun. Where the tagger has no fine tags,
    the tag is made of the part of speech and of the endings of the word
    and its lemma, which in an inflecting language say case, number, gender and person, or leave them open
    just as the form does.
    """
    counts: Counter[str] = Counter()
    usual: dict[str, Counter[str]] = defaultdict(Counter)
    best: dict[str, tuple[int, str, str, str]] = {}
    for (word, *analysis), count in seen.items():
        counts[word] += count
        best[word] = max(best.get(word, (0, "", "", "")), (count, *analysis))
        usual[word][analysis[2]] += count
    for word, *analysis in tagged([[word] for word in words if word not in best], tagger):
        best[word] = (0, *analysis)
    known = {word: best[word][1:] for word in words if word in best}
    fine = any(tag for _, _, tag in known.values())
    keys = {
        word: fine_tags(word, upos, tag, usual[word], counts[word] >= _OFTEN)
        if fine
        else ending_tags(word, lemma, upos, counts[word] >= _OFTEN)
        for word, (lemma, upos, tag) in known.items()
    }
    totals: Counter[str] = Counter()
    for word, names in keys.items():
        for name in names:
            totals[name] += counts[word]
    return {
        word: (known[word][0], next((name for name in names if totals[name] >= _LEAST), names[-1]))
        for word, names in keys.items()
    }


def fine_tags(word: str, upos: str, tag: str, usual: Counter[str], often: bool) -> list[str]:
    """Tags of a word, the finest first: itself if it is a function word, all its usual tags, one tag."""
    often_used = "|".join(sorted(name for name, count in usual.items() if 8 * count >= usual.total()))
    return [*([f"{tag}={word}"] if upos in _CLOSED and often else []), often_used or tag, tag]


def ending_tags(word: str, lemma: str, upos: str, often: bool) -> list[str]:
    """Tags of a word, the finest first."""
    if upos in _CLOSED and often:
        return [f"{upos}={word}", upos]
    if not word[-1:].isalpha():
        return [upos]
    stem = common_prefix(word, lemma)
    one, two = word[stem:] or f"+{word[-1]}", lemma[stem:]
    # Czech negates by a prefix
    negative = "-" if word.startswith("ne") and not lemma.startswith("ne") else ""
    return [
        f"{upos}|{one}|{two}{negative}",
        f"{upos}|{one[-3:]}|{two[-2:]}",
        f"{upos}|{word[-2:]}|{lemma[-1:]}",
        f"{upos}|{word[-1:]}",
        upos,
    ]


def morphology(
    lowered: Sequence[Sequence[str]],
    words: Sequence[str],
    analyses: Analyses,
    frequencies: Mapping[str, float],
    prune: tuple[tuple[int, int], tuple[int, int]],
) -> tuple[Morphology, tuple[LanguageModel, LanguageModel]]:
    """Trigram models over lemmas and over tags; `prune` has the least counts of each."""
    prior: Counter[str] = Counter()
    for word, p in frequencies.items():
        if word in analyses:
            prior[analyses[word][0]] += p  # type: ignore[assignment]
    models = []
    for k in (0, 1):
        # numbered as the words come: neighbours in the lexicon are neighbours here
        names = list(dict.fromkeys([OTHER, *(analyses[word][k] for word in words if word in analyses)]))
        text = ([analyses[w][k] if w in analyses else OTHER for w in sentence] for sentence in lowered)
        models.append(estimate(text, names, prior=None if k else prior, prune=prune[k]))
    return Morphology.build(["", "", "", *words], analyses, *models), (models[0], models[1])
