#!/usr/bin/env python3
"""Build the sample corpus of errata from its annotated sources.

Usage: python tools/sample/build.py [--check]

Reads annotated/en.txt and annotated/cs.txt (notation: see src/errata/sample/README.md) and
writes the folders en/ and cs/ of src/errata/sample.  The output is deterministic.  With --check
nothing is written; the files on disk are compared with what would be written.
"""

import itertools
import random
import re
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "src" / "errata" / "sample"
SYSTEMS = ["input", "spellfix", "rules", "neural", "fluent", "overcorrect"]
LETTER = {"s": "spellfix", "r": "rules", "n": "neural", "o": "overcorrect"}
EXPECTED = {  # language: sentences, documents per domain
    "en": (60, {"essay": 4, "email": 4}),
    "cs": (20, {"esej": 2, "zpráva": 2}),
}

# What the simple systems correct unless the annotation says otherwise.
SPELLFIX = {"R:SPELL", "R:ORTH", "R:DIACR", "R:ORTH:CASING"}
RULES = {
    "en": {
        "M:DET",
        "U:DET",
        "R:DET",
        "R:VERB:SVA",
        "R:NOUN:NUM",
        "R:CONTR",
        "R:VERB:FORM",
        "U:VERB:FORM",
        "M:VERB:FORM",
        "R:ORTH",
        "M:PUNCT",
    },
    "cs": {"M:PUNCT", "R:ADP", "R:ORTH:WSPACE", "R:ORTH:CASING"},
}

# How much a defect costs in the eyes of a judge.
COST = {"PUNCT": 0.4, "DET": 0.7, "SPELL": 0.9, "DIACR": 0.6, "ORTH": 0.5}
OPTIONAL, BAD, NEEDLESS, VARIANT = 0.2, 1.1, 0.35, 0.25

# Judges: spread of the noise, liking of rewrites, dislike of needless
# changes, strictness (points of the scalar scale), tie threshold.
JUDGES = {
    "judge1": {"noise": 0.30, "fluency": 0.30, "needless": 1.0, "strict": 0.0, "tie": 0.25},
    "judge2": {"noise": 0.45, "fluency": 0.55, "needless": 0.7, "strict": 0.3, "tie": 0.35},
    "judge3": {"noise": 0.40, "fluency": 0.05, "needless": 1.3, "strict": 1.5, "tie": 0.30},
}

MARKUP = re.compile(r"\[([^\]]*)\]|\{([^}]*)\}|(\S+)")


def cost(kind):
    for part in kind.split(":")[1:]:
        if part in COST:
            return COST[part]
    return 1.0


def starred(text):
    """Split the mark of a wrong change ('*') off a replacement."""
    return (text[:-1], True) if text.endswith("*") else (text, False)


def trim(start, source, target):
    """Shrink an edit to the tokens that really change."""
    source, target = list(source), list(target)
    while source and target and source[0] == target[0]:
        source.pop(0), target.pop(0)
        start += 1
    while source and target and source[-1] == target[-1]:
        source.pop(), target.pop()
    return start, start + len(source), target


def options(text):
    """Options of a marked place: annotators and what each system does."""
    only, act = None, {}
    for option in filter(None, text.split(";")):
        if option in ("0", "1"):
            only = int(option)
        elif option[0] in LETTER and option[1:] in ("!", "+"):
            act[LETTER[option[0]]] = option[1:]
        elif option[0] in LETTER and option[1:2] == "=":
            act[LETTER[option[0]]] = ("=", *starred(option[2:]))
        else:
            raise ValueError(f"unknown option {option!r}")
    return only, act


class Sentence:
    def __init__(self, lang, document, paragraph, domain, markup):
        self.lang, self.document = lang, document
        self.paragraph, self.domain = paragraph, domain
        self.source, self.gold = [], {0: [], 1: []}
        self.out = {name: [] for name in SYSTEMS}
        self.remaining = dict.fromkeys(SYSTEMS, 0)  # gold edits not made
        self.bad = dict.fromkeys(SYSTEMS, 0)  # errors introduced
        self.needless = dict.fromkeys(SYSTEMS, 0)  # harmless changes
        self.cost = dict.fromkeys([*SYSTEMS, "reference"], 0.0)
        self.pickiness = dict.fromkeys([*SYSTEMS, "reference"], 0.0)
        for match in MARKUP.finditer(markup):
            edit, change, plain = match.groups()
            if edit is not None:
                self.add_edit(edit)
            elif change is not None:
                self.add_change(change)
            else:
                self.source.append(plain)
                for tokens in self.out.values():
                    tokens.append(plain)

    def add_edit(self, text):
        """[source=>c0~c1|type0~type1|options]: an error and its corrections."""
        body, kinds, opts = ([*text.split("|"), ""])[:3]
        source, target = body.split("=>")
        c0, _, c1 = target.partition("~")
        k0, _, k1 = kinds.partition("~")
        corrections = (c0, c1 if "~" in target else c0)
        kinds = (k0, k1 or k0)
        only, act = options(opts)
        src = source.split()
        for annotator in (0, 1):
            if only in (None, annotator):
                start, end, new = trim(len(self.source), src, corrections[annotator].split())
                assert start < end or new, text
                self.gold[annotator].append((start, end, kinds[annotator], " ".join(new)))
        best = corrections[0 if only is None else only]
        kind = kinds[0 if only is None else only]
        weight = cost(kind) if only is None else OPTIONAL
        for name in SYSTEMS:
            default = {
                "spellfix": kind in SPELLFIX,
                "rules": kind in RULES[self.lang],
                "neural": True,
                "overcorrect": True,
            }.get(name, False) and only != 1
            what = act.get(name, "+" if default else "!")
            wrong = False
            if what == "+":
                new = best
            elif what == "!":
                new = source
            else:
                _, new, wrong = what
            self.out[name].extend(new.split())
            if new == source:
                self.cost[name] += weight
                self.remaining[name] += only != 1
            elif wrong:
                self.cost[name] += BAD + 0.2
                self.remaining[name] += only != 1
                self.bad[name] += 1
            elif new not in corrections:
                self.pickiness[name] += VARIANT
                self.needless[name] += 1
        if only == 1:
            self.cost["reference"] += OPTIONAL
        self.source.extend(src)

    def add_change(self, text):
        """{source|options}: correct words that some systems change."""
        source, _, opts = text.partition("|")
        _, act = options(opts)
        for name in SYSTEMS:
            new = source
            if name in act:
                _, new, wrong = act[name]
                assert new != source, text
                if wrong:
                    self.cost[name] += BAD
                    self.bad[name] += 1
                else:
                    self.pickiness[name] += NEEDLESS
                    self.needless[name] += 1
            self.out[name].extend(new.split())
        self.source.extend(source.split())

    def apply(self, annotator):
        tokens, shift = list(self.source), 0
        for start, end, _, new in self.gold[annotator]:
            new = new.split()
            tokens[start + shift : end + shift] = new
            shift += len(new) - (end - start)
        return " ".join(tokens)

    def set_fluency(self, fluency, changes):
        self.minimal = self.apply(0)
        self.fluency = fluency
        text = fluency
        self.cost["fluent"] = self.pickiness["fluent"] = 0.0
        self.remaining["fluent"] = 0
        for change in filter(None, changes.split(" ;; ")):
            old, new = change.split("=>")
            new, wrong = starred(new)
            assert text.count(old) == 1, (text, old)
            text = text.replace(old, new)
            if wrong:
                self.cost["fluent"] += BAD
                self.bad["fluent"] += 1
            else:
                self.pickiness["fluent"] += 0.1
                self.needless["fluent"] += 1
        self.out["fluent"] = text.split()
        self.text = {name: " ".join(tokens) for name, tokens in self.out.items()}
        self.text["reference"] = self.minimal

    def defect(self, name, judge):
        """What a judge finds wrong with an output, before noise."""
        twins = [n for n in self.text if self.text[n] == self.text[name]]
        values = []
        for twin in twins:
            value = self.cost[twin] + judge["needless"] * self.pickiness[twin]
            if twin == "fluent" and self.text[twin] != self.minimal:
                value -= judge["fluency"]
            values.append(value)
        return min(values)


def read(lang):
    sentences, document, domain, paragraph = [], None, None, 0
    pending = None

    def flush():
        nonlocal pending
        if pending:
            markup, fluency, changes, place = pending
            sentence = Sentence(lang, *place, markup)
            sentence.set_fluency(fluency, changes)
            sentences.append(sentence)
            pending = None

    path = HERE / "annotated" / f"{lang}.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        tag, rest = line[:3], line[3:].strip()
        if not line or line.startswith("%"):
            continue
        if tag == "## ":
            flush()
            (document, domain), paragraph = rest.split(), 0
        elif line == "P":
            flush()
            paragraph += 1
        elif tag == "S: ":
            flush()
            pending = [rest, None, "", (document, paragraph, domain)]
        elif tag == "F: ":
            pending[1] = rest
        elif tag == "X: ":
            pending[2] = rest
        else:
            raise ValueError(f"{path.name}: {line!r}")
    flush()
    return sentences


def m2(sentences):
    lines = []
    for sentence in sentences:
        lines.append("S " + " ".join(sentence.source))
        for annotator in (0, 1):
            edits = sentence.gold[annotator] or [(-1, -1, "noop", "-NONE-")]
            for start, end, kind, new in edits:
                lines.append(f"A {start} {end}|||{kind}|||{new}|||REQUIRED|||-NONE-|||{annotator}")
        lines.append("")
    return "\n".join(lines) + "\n"


def clock(seconds):
    minutes, rest = divmod(seconds, 60)
    return f"00:{int(minutes):02d}:{rest:09.6f}"


def rankings(lang, sentences, rng):
    """Appraise XML; each item shows the distinct outputs of 5 systems."""
    n = len(sentences)
    order = list(range(n))
    rng.shuffle(order)
    names = list(JUDGES)
    plan = {}
    for position, number in enumerate(order):
        count = 3 if position < n // 3 else 2 if position < 2 * n // 3 else 1
        plan[number] = sorted(rng.sample(names, count))
    groups = {}
    for number, sentence in enumerate(sentences):
        while True:  # an item needs something to compare
            groups[number] = []
            for name in rng.sample(SYSTEMS, 5):
                if all(name not in group for group in groups[number]):
                    groups[number].append([s for s in SYSTEMS if sentence.text[s] == sentence.text[name]])
            if len(groups[number]) > 1:
                break
    jobs = []
    for judge in names:
        own = [number for number in range(n) if judge in plan[number]]
        rng.shuffle(own)
        repeated = rng.sample(own[: len(own) // 2], max(2, n // 12))
        jobs += [(judge, number) for number in own + repeated]
    fresh = {job for job in jobs if jobs.count(job) == 1 and len(plan[job[1]]) == 3}
    skipped = set(rng.sample(sorted(fresh), 3 if n > 30 else 2))
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<appraise-results>",
        "",
        f'<error-correction-ranking-result source-language="err" id="errata-sample-{lang}"'
        ' target-language="cor">',
        "",
    ]
    for item, (judge, number) in enumerate(jobs):
        profile, sentence = JUDGES[judge], sentences[number]
        seconds = max(4.0, rng.gauss(12 + 1.6 * len(sentence.source), 9))
        skip = (judge, number) in skipped
        head = (
            f"  <ranking-item doc-id={quoteattr(sentence.document)} "
            f'duration="{clock(seconds)}" id="{item}" '
            + ('skipped="true" ' if skip else "")
            + f'src-id="{number}" user="{judge}"'
        )
        if skip:
            out += [head + "/>", ""]
            continue
        shown = list(groups[number])
        rng.shuffle(shown)
        felt = [sentence.defect(g[0], profile) + rng.gauss(0, profile["noise"]) for g in shown]
        rank, ranks, last = 1, {}, None
        for value, index in sorted(zip(felt, range(len(shown)), strict=False)):
            if last is not None and value - last > profile["tie"]:
                rank = min(5, rank + (2 if value - last > 1.8 else 1))
            ranks[index], last = rank, value
        out.append(head + ">")
        for index, group in enumerate(shown):
            out.append(f'    <translation rank="{ranks[index]}" system="{" ".join(sorted(group))}"/>')
        out += ["  </ranking-item>", ""]
    out[-1:] = ["</error-correction-ranking-result>", "", "</appraise-results>"]
    return "\n".join(out) + "\n"


def scalars(sentences, rng):
    """Scores 0-10 in steps of a half; a judge scores equal texts alike."""
    rows = ["judge\tdocument\tsegment\tsystem\tscore"]
    numbers = list(range(len(sentences)))
    half = len(numbers) // 2
    first = sorted(rng.sample(numbers, half))
    rest = [x for x in numbers if x not in first]
    third = sorted(rng.sample(first, half // 2) + rng.sample(rest, half - half // 2))
    for (judge, profile), own in zip(JUDGES.items(), (first, rest, third), strict=False):
        # A few sentences beyond the half, so that every pair of judges overlaps.
        others = [x for x in numbers if x not in own]
        for number in sorted(own + rng.sample(others, max(1, len(numbers) // 15))):
            sentence, seen = sentences[number], {}
            for name in [*SYSTEMS, "reference"]:
                text = sentence.text[name]
                if text not in seen:
                    defect = sentence.defect(name, profile) + rng.gauss(0, profile["noise"])
                    value = 9.3 - profile["strict"] - 2.0 * defect
                    seen[text] = min(10.0, max(0.0, round(2 * value) / 2))
                rows.append(f"{judge}\t{sentence.document}\t{number}\t{name}\t{seen[text]:.1f}")
    return "\n".join(rows) + "\n"


def build(lang):
    sentences = read(lang)
    files = {
        "source.txt": [" ".join(s.source) for s in sentences],
        "meta.tsv": ["document\tparagraph\tdomain"]
        + [f"{s.document}\t{s.paragraph}\t{s.domain}" for s in sentences],
        "minimal.txt": [s.minimal for s in sentences],
        "fluency.txt": [s.fluency for s in sentences],
    }
    for name in SYSTEMS:
        files[f"systems/{name}.txt"] = [s.text[name] for s in sentences]
    files = {name: "\n".join(lines) + "\n" for name, lines in files.items()}
    files["gold.m2"] = m2(sentences)
    files["rankings.xml"] = rankings(lang, sentences, random.Random(f"rankings {lang}"))
    files["scalars.tsv"] = scalars(sentences, random.Random(f"scalars {lang}"))
    return sentences, files


def check(lang, sentences, files):
    """Check the finished files, reading them as a user would."""
    number, domains = EXPECTED[lang]
    texts = {k: v.splitlines() for k, v in files.items() if k.endswith(".txt")}
    for name, lines in texts.items():
        assert len(lines) == number, (name, len(lines))
        for line in lines:
            assert line and line == " ".join(line.split()), (name, line)
            assert not re.search(r"[\[\]{}|~*\t]|=>", line), (name, line)
            assert re.search(r"\w[,.!?](\s|$)", line) is None, (name, line)
    for name, content in files.items():
        assert content.endswith("\n") and "\r" not in content and "\ufeff" not in content, name
    assert texts["systems/input.txt"] == texts["source.txt"]
    outputs = [tuple(texts[f"systems/{name}.txt"]) for name in SYSTEMS]
    assert len(set(outputs)) == len(SYSTEMS)
    documents = {(s.document, s.domain) for s in sentences}
    for domain, count in domains.items():
        assert sum(d == domain for _, d in documents) == count
    assert len(files["meta.tsv"].splitlines()) == number + 1

    counts = {0: 0, 1: 0}
    noops = {0: 0, 1: 0}
    blocks = files["gold.m2"].split("\n\n")
    assert blocks.pop() == "" and len(blocks) == number
    for index, block in enumerate(blocks):
        first, *edits = block.split("\n")
        assert first == "S " + texts["source.txt"][index]
        tokens = first[2:].split(" ")
        for annotator in (0, 1):
            own = []
            for edit in edits:
                fields = edit[2:].split("|||")
                assert len(fields) == 6 and fields[3:5] == ["REQUIRED", "-NONE-"], edit
                if int(fields[5]) == annotator:
                    own.append((*map(int, fields[0].split()), fields[1], fields[2]))
            assert own, block
            if own[0][0] == -1:
                assert len(own) == 1
                noops[annotator] += 1
                own = []
            counts[annotator] += len(own)
            assert own == sorted(own)
            for left, right in itertools.pairwise(own):
                assert left[1] <= right[0] and left[:2] != right[:2], (left, right)
            new = list(tokens)
            for start, end, kind, correction in reversed(own):
                old, cor = tokens[start:end], correction.split()
                assert 0 <= start <= end <= len(tokens) and old != cor
                assert correction == " ".join(cor)
                if old and cor:
                    assert old[0] != cor[0] and old[-1] != cor[-1], (old, cor)
                assert kind[:2] == ("R:" if old and cor else "M:" if cor else "U:"), (kind, old, cor)
                new[start:end] = cor
            if annotator == 0:
                assert " ".join(new) == texts["minimal.txt"][index]
    same = sum(len(set(s.gold[0]) & set(s.gold[1])) for s in sentences)

    quality = {}
    for name in SYSTEMS:
        quality[name] = tuple(
            sum(getattr(s, what)[name] for s in sentences) / number
            for what in ("remaining", "bad", "needless")
        )
    totals = sorted(a + b for a, b, _ in quality.values())
    assert min(b - a for a, b in itertools.pairwise(totals)) > 0.1, quality

    items = re.findall(r"<ranking-item[^>]*>", files["rankings.xml"])
    skipped = sum("skipped" in item for item in items)
    print(
        f"{lang}: {number} sentences, {len(documents)} documents; edits {counts[0]}/{counts[1]}, "
        f"same in both {same}; noop {noops[0]}/{noops[1]}"
    )
    print(
        f"  ranking items {len(items)} (skipped {skipped}), translations "
        f"{files['rankings.xml'].count('<translation ')}; "
        f"scalar scores {len(files['scalars.tsv'].splitlines()) - 1}"
    )
    print(
        f"  fluency = minimal in {sum(s.fluency == s.minimal for s in sentences)} sentences, "
        f"fluent system = fluency in {sum(s.text['fluent'] == s.fluency for s in sentences)}"
    )
    print("  per sentence    unfixed  introduced  needless")
    for name in SYSTEMS:
        unfixed, introduced, needless = quality[name]
        print(f"  {name:12s} {unfixed:10.2f} {introduced:11.2f} {needless:9.2f}")


def main():
    only_check = "--check" in sys.argv[1:]
    stale = []
    for lang in EXPECTED:
        sentences, files = build(lang)
        check(lang, sentences, files)
        for name, content in files.items():
            path = TARGET / lang / name
            if only_check:
                if not path.exists() or path.read_bytes() != content.encode("utf-8"):
                    stale.append(f"{lang}/{name}")
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.encode("utf-8"))
    if stale:
        sys.exit("not up to date: " + ", ".join(stale))


if __name__ == "__main__":
    main()
