"""Build a noisy-channel model from texts you have: `python tools/models/build.py --help`.

The lexicon is the most frequent words of the texts and of the `wordfreq` package (if installed). A tagger
gives each word a lemma and a tag, and trigram models of forms, lemmas and tags are estimated. The error model
comes from an M2 file: first from one half of it, to tune the weights by M² F0.5 on a quarter and check them
on another, then from all.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from analyses import Seen, analyse, morphology, tagged
from arpa import write_arpa
from errors import learned_errors, with_weights
from tuning import START, f_half, tune

from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2, write_m2
from errata.corpus.model import Corpus
from errata.edits.taggers import Tagger, tagger
from errata.edits.taggers.models import LANGUAGES
from errata.models.ngram_model import UNKNOWN
from errata_correct.corrector import Corrector
from errata_correct.error_model import ErrorModel, Weights
from errata_correct.language_model import Morphology, estimate, no_grams
from errata_correct.noise import confusion_sets
from errata_correct.noisy_channel import NoisyChannel
from errata_correct.profile import pairs_of
from errata_correct.tokens import sentences, tokenize, tokenize_english

_BLOCK = 50  # segments that stay together where documents are not known
_SEED = 5


def text_tokens(path: str, english: bool) -> Iterator[list[str]]:
    """Tokenised sentences of a plain text, of CoNLL-U, or of an M2 file's corrections."""
    if ".conllu" in path:
        words: list[str] = []
        inside = 0
        for line in read_lines(path):
            fields = line.split("\t")
            if not line:
                yield words
                words, inside = [], 0
            elif not line.startswith("#") and "." not in fields[0]:
                first, _, last = fields[0].partition("-")
                if last or int(first) > inside:
                    words.append(fields[1].replace(" ", ""))
                inside = int(last) if last else inside
        return
    if path.endswith(".m2"):
        for segment in read_m2(path):
            yield segment.references[0].split()
        return
    split = tokenize_english if english else tokenize
    for line in read_lines(path):
        for sentence in sentences(line):
            yield split(sentence)


def names_of(texts: list[list[str]]) -> list[str]:
    """Words that stand with a capital inside sentences nearly always."""
    capital: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for tokens in texts:
        for before, token in itertools.pairwise(tokens):
            if before[-1:].isalnum() or before == ",":
                (capital if token[:1].isupper() and token[1:].islower() else small)[token.lower()] += 1
    return [w for w, n in capital.items() if n >= 5 and n >= 50 * small[w] and len(w) > 2]


def likely_misspelt(score: dict[str, float], counts: Counter[str], ratio: float) -> set[str]:
    """Words of the frequency list alone that have a neighbour so many times as frequent: `recieved`."""
    near = confusion_sets([w for w in sorted(score, key=lambda w: -score[w]) if w.isalpha()][:300_000])
    return {
        word
        for word, others in near.items()
        if len(word) >= 5 and counts[word] < 3 and any(score[o] > ratio * score[word] for o in others)
    }


def word_scores(
    lang: str, counts: Counter[str], misspelt: float
) -> tuple[dict[str, float], dict[str, float]]:
    """How frequent words are in the texts and in `wordfreq` together, and in the latter alone."""
    frequencies: dict[str, float] = {}
    try:
        from wordfreq import get_frequency_dict

        frequencies = get_frequency_dict(lang, "best")
    except (ImportError, LookupError):
        print("wordfreq is not installed or lacks the language: the lexicon is that of the texts")
    total = counts.total()
    score = {w: n / total for w, n in counts.items() if n >= 2}
    for word, p in frequencies.items():
        if all(c.isalpha() or c in "'’" for c in word):
            score[word] = score.get(word, 0.0) + p
    if misspelt:
        wrong = likely_misspelt(score, counts, misspelt)
        score = {word: p for word, p in score.items() if word not in wrong}
        print(f"{len(wrong)} words left out as likely misspelt", flush=True)
    return score, frequencies


def assemble(
    options: argparse.Namespace,
    texts: list[list[str]],
    seen: Seen | None,
    training: Corpus | None,
    errors: ErrorModel,
) -> NoisyChannel:
    """A model of the texts and of the training part's corrections, which count three times."""
    corrections = [segment.references[0].split() for segment in training] if training else []
    texts = texts + corrections * 3
    lowered = [[token.lower() for token in tokens] for tokens in texts if tokens]
    counts = Counter(token for tokens in lowered for token in tokens)
    score, frequencies = word_scores(options.lang, counts, options.misspelt)
    words = sorted(sorted(score, key=lambda w: -score[w])[: options.lexicon])
    print(f"{len(texts)} sentences, {counts.total()} tokens, {len(words)} words", flush=True)
    forms = estimate(lowered, words, prior=frequencies, prune=tuple(options.prune))
    models = {"forms": forms}
    found = None
    if seen is not None:
        analyses = analyse(seen, words, analyser(options))
        prune = tuple(options.prune_lemmas), tuple(options.prune_tags)
        found, (models["lemmas"], models["tags"]) = morphology(lowered, words, analyses, frequencies, prune)
    for name, model in models.items():
        sizes = " + ".join(f"{len(keys):,}" for keys in model.keys)
        print(f"{name}: {sizes} n-grams", flush=True)
        if options.arpa:
            Path(options.arpa).mkdir(parents=True, exist_ok=True)
            write_arpa(model, str(Path(options.arpa) / f"{name}.arpa"))
    return NoisyChannel.build(forms, errors, names_of(texts), START, found)


def analyser(options: argparse.Namespace) -> Tagger:
    return tagger(options.tagger or f"embedded:{options.lang}")


def ablation(options: argparse.Namespace, model: NoisyChannel, tuning: Corpus, check: Corpus) -> NoisyChannel:
    """Tune with and without the lemmas' and the tags' models; write what each makes of the part to check."""
    folder = Path(options.ablation)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "check.m2", "w", encoding="utf-8") as file:
        write_m2(check, file)
    best = 0.0, model
    for name, fixed in (("forms", ("lemma", "tag")), ("lemmas", ("tag",)), ("tags", ("lemma",)), ("all", ())):
        tuned = tune(model if fixed else best[1], tuning, fixed)
        score = f_half(tuned, tuning)
        print(f"{name}: tuned {score:.4f}, checked {f_half(tuned, check):.4f}", flush=True)
        lines = Corrector(tuned).correct_tokenized(check.sources)
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        if name == "forms":  # the others start from there
            model = tuned
        best = max(best, (score, tuned), key=lambda found: found[0])
    return best[1]


def without_unused(model: NoisyChannel) -> NoisyChannel:
    """The model without language models of no weight."""
    weights, found = model.weights, model.morphology
    if found is None or not (weights.lemma or weights.tag):
        return dataclasses.replace(model, morphology=None)
    unused = (not weights.lemma, not weights.tag)
    return dataclasses.replace(
        model,
        morphology=Morphology(
            np.where(unused, UNKNOWN, found.classes).astype(np.int32),
            no_grams() if unused[0] else found.lemmas,
            no_grams() if unused[1] else found.tags,
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "texts", nargs="+", help="plain text, .conllu or .m2 (its corrections); may be compressed"
    )
    parser.add_argument("--lang", required=True, help="for wordfreq and the embedded taggers: cs, en, …")
    parser.add_argument("--output", required=True)
    parser.add_argument(
        "--annotated", help="M2: errors from one half, weights from a quarter, a check; then errors from all"
    )
    parser.add_argument("--documents", help="the document of every segment of --annotated, a line each")
    parser.add_argument("--split", help="or its part, a line each: `train`, `tune` or `check`")
    parser.add_argument("--tune-only", action="store_true", help="--annotated sets the weights, nothing else")
    parser.add_argument(
        "--error-model", choices=("em", "counts"), default="em", help="how letter errors are learned"
    )
    parser.add_argument("--lexicon", type=int, default=250_000, help="most words")
    parser.add_argument(
        "--prune", type=int, nargs=2, default=(2, 3), help="least counts of bigrams, trigrams of forms"
    )
    parser.add_argument(
        "--tagger", help="see `errata edits`; `none` for forms alone; embedded:LANG otherwise"
    )
    parser.add_argument("--prune-lemmas", type=int, nargs=2, default=(3, 4), help="the same for lemmas")
    parser.add_argument("--prune-tags", type=int, nargs=2, default=(3, 4), help="the same for tags")
    parser.add_argument("--arpa", metavar="FOLDER", help="write the language models as ARPA too")
    parser.add_argument(
        "--misspelt", type=float, default=0.0, metavar="RATIO",
        help="leave out words of the frequency list with a neighbour so many times as frequent",
    )  # fmt: skip
    parser.add_argument("--weights", nargs="*", default=(), metavar="NAME=VALUE", help="instead of tuning")
    parser.add_argument(
        "--ablation", metavar="FOLDER", help="tune by parts, outputs of the part to check there"
    )
    options = parser.parse_args()

    texts = [tokens for path in options.texts for tokens in text_tokens(path, options.lang == "en")]
    corpus = read_m2(options.annotated) if options.annotated else None
    weights = Weights()
    with_tags = options.tagger != "none" and (options.tagger or options.lang in LANGUAGES)
    seen = tagged(texts, analyser(options)) if with_tags else None
    errors = ErrorModel(swap=5e-4, drop={",": 0.05}, other=3e-4) if options.tune_only else ErrorModel()
    if options.weights:
        weights = with_weights(Weights(), options.weights)
    elif corpus is not None:
        training, tuning, check = parts(options, corpus)
        if len(training):
            errors = learned_errors(pairs_of(training), options.error_model)
        model = assemble(options, texts, seen, training, errors)
        model = ablation(options, model, tuning, check) if options.ablation else tune(model, tuning)
        weights = model.weights
        if len(check):
            print(f"checked: F0.5 {f_half(model, check):.4f}")
    if corpus is None or options.tune_only:
        model = assemble(options, texts, seen, None, errors)
    else:
        model = assemble(options, texts, seen, corpus, learned_errors(pairs_of(corpus), options.error_model))
    model = without_unused(dataclasses.replace(model, weights=weights))
    model.save(options.output)
    print(f"{options.output}: {Path(options.output).stat().st_size / 1e6:.1f} MB")


def parts(options: argparse.Namespace, corpus: Corpus) -> tuple[Corpus, Corpus, Corpus]:
    """What to learn errors from, tune weights on and check them on: one half, two quarters, by documents."""
    if options.tune_only:  # for corpora whose licence allows no more
        return corpus.select(()), corpus, corpus.select(())
    if options.split:
        kinds = read_lines(options.split)
    else:
        documents = (
            read_lines(options.documents)
            if options.documents
            else [str(i // _BLOCK) for i in range(len(corpus))]
        )
        names = sorted(set(documents))
        random.Random(_SEED).shuffle(names)
        kind_of = {name: ("train", "tune", "train", "check")[i % 4] for i, name in enumerate(names)}
        kinds = [kind_of[document] for document in documents]
    found = [
        corpus.select(i for i, k in enumerate(kinds) if k == kind) for kind in ("train", "tune", "check")
    ]
    return found[0], found[1], found[2]


if __name__ == "__main__":
    main()
