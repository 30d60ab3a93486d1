"""Put a table of grammatical errors into a noisy channel: `python tools/models/grammar.py --help`.

What a candidate of a rule costs is set by clean text, which should be none that the language models were
estimated on: as little as leaves no false alarm there. If the rule's own example would then not be corrected,
it costs as much as the example allows, provided that this leaves few false alarms.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from errata.corpus.files import read_lines
from errata.edits.taggers.embedded import EmbeddedTagger
from errata_correct.grammar.grammar import GrammarRules, split_contractions
from errata_correct.noisy_channel import NoisyChannel
from errata_correct.tokens import tokenize

_ABOVE = 1.0  # a false alarm that is to be left out
_BELOW = 0.3  # an example that is to be corrected


def clean_sentences(path: str) -> Iterator[list[str]]:
    """Complete sentences of a treebank or of a text with a sentence per line."""
    for line in read_lines(path):
        text = line.removeprefix("# text = ") if ".conllu" in path else line
        if (".conllu" not in path or text != line) and text[:1].isupper() and text.strip()[-1] in ".?!":
            yield split_contractions(tokenize(text))[0]


def alarms(model: NoisyChannel, sentences: Sequence[list[str]]) -> dict[str, list[float]]:
    """What every rule's best candidates gain in clean sentences, the highest first."""
    grammar = model.grammar
    assert grammar is not None
    found: dict[str, list[float]] = defaultdict(list)
    tagged = EmbeddedTagger("en").tag(sentences)
    for scored in grammar.scored((sentence.forms, sentence.tags) for sentence in tagged):
        best: dict[str, float] = {}
        for one in scored:
            gain = grammar.rules.forms * one.gains[0] + grammar.rules.tags * one.gains[1]
            best[one.candidate.rule] = max(gain, best.get(one.candidate.rule, -math.inf))
        for rule, gain in best.items():
            found[rule].append(gain)
    return {rule: sorted(gains, reverse=True) for rule, gains in found.items()}


def example_gains(model: NoisyChannel) -> dict[str, float]:
    """What each rule gains in the sentence that is its example."""
    grammar = model.grammar
    assert grammar is not None
    rules = [rule for rule in grammar.patterns.rules if rule.wrong]
    tagged = EmbeddedTagger("en").tag([split_contractions(rule.wrong.split())[0] for rule in rules])
    found: dict[str, float] = {}
    scored = grammar.scored((sentence.forms, sentence.tags) for sentence in tagged)
    for rule, found_here in zip(rules, scored, strict=True):
        for one in found_here:
            if one.candidate.rule == rule.name:
                gain = grammar.rules.forms * one.gains[0] + grammar.rules.tags * one.gains[1]
                found[rule.name] = max(gain, found.get(rule.name, -math.inf))
    return found


def costs(
    found: dict[str, list[float]], examples: dict[str, float], allowed: float, least: float
) -> dict[str, float]:
    """The cost of every rule with alarms: none remains, or at most `allowed` if its example needs that."""
    chosen = {}
    for rule, gains in found.items():
        highest, example = gains[0] + _ABOVE, examples.get(rule, math.inf) - _BELOW
        needed = example < highest and sum(gain > example for gain in gains) <= allowed
        chosen[rule] = round(max(least, example if needed else highest), 2)
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a noisy channel with a model of tags")
    parser.add_argument("table", help="the rules, as errata_correct/grammar/patterns.py describes them")
    parser.add_argument("--clean", nargs="+", required=True, help="clean text, plain or .conllu")
    parser.add_argument(
        "--alarms", type=float, default=2.0, help="of a rule that needs them, per 10,000 sentences"
    )
    parser.add_argument("--least", type=float, default=-8.0, help="the lowest cost")
    parser.add_argument("--forms", type=float, default=0.5, help="the weight of the model of forms")
    parser.add_argument("--tags", type=float, default=0.5, help="the weight of the model of tags")
    parser.add_argument("--output", "-o", required=True)
    options = parser.parse_args()
    table = "\n".join(line for line in read_lines(options.table) if line and not line.startswith("#"))
    rules = GrammarRules(table, {}, options.forms, options.tags, options.least)
    model = dataclasses.replace(NoisyChannel.load(options.model), rules=rules)
    sentences = [tokens for path in options.clean for tokens in clean_sentences(path)]
    sure = {rule.name for rule in model.grammar.patterns.rules if rule.sure} if model.grammar else set()
    found = {rule: gains for rule, gains in alarms(model, sentences).items() if rule not in sure}
    allowed = options.alarms * len(sentences) / 10_000
    set_costs = costs(found, example_gains(model), allowed, options.least)
    left = sum(gain > set_costs.get(rule, options.least) for rule, gains in found.items() for gain in gains)
    print(f"{len(sentences):,} sentences; {len(found)} rules have alarms there, {left} remain")
    dataclasses.replace(model, rules=dataclasses.replace(rules, costs=set_costs)).save(options.output)


if __name__ == "__main__":
    main()
