"""Campaign files, exports, imports, backups and the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from campaigns import SOURCES, SYSTEMS, Made, export_text, fill, make, post_of, sign_in, signed_in
from errata.cli import cli
from errata.errors import DataError
from errata.human.judgment_files import read_judgments
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign import reads
from errata_server.campaign.adaptive import AdaptiveRanking, AdaptiveScalars
from errata_server.campaign.answer_validation import to_item_order, to_shown_order
from errata_server.campaign.campaign_settings import CampaignSettings, read_settings, settings_from
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.create_campaign import Selection
from errata_server.campaign.export_judgments import (
    corrections_of,
    export,
    judgments_of,
    read_campaign,
    rows_of,
)
from errata_server.campaign.import_judgments import import_file
from errata_server.campaign.items import damaged, merged

Run = Callable[..., subprocess.CompletedProcess[str]]


def write_config(folder: Path, **values: Any) -> Path:
    (folder / "source.txt").write_text("".join(f"{x}\n" for x in SOURCES), encoding="utf-8")
    for name, lines in SYSTEMS.items():
        (folder / f"{name}.txt").write_text("".join(f"{x}\n" for x in lines), encoding="utf-8")
    (folder / "how.md").write_text("# How\nBe fair.", encoding="utf-8")
    given = {"name": "CLI", "task": "ranking", "corpus": "source.txt", "instructions": "how.md", **values}
    given.setdefault("systems", [f"{name}.txt" for name in SYSTEMS])
    path = folder / "campaign.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    return path


def test_a_campaign_is_made_watched_exported_ranked_and_closed(run: Run, tmp_path: Path) -> None:
    write_config(tmp_path)
    result = run("campaign", "new", "campaign.json", "c.db", "--annotators", "3", "--format", "json")
    assert result.returncode == 0, result.stderr
    links = {row["annotator"]: row["secret link"] for row in json.loads(result.stdout)["rows"]}
    assert list(links) == ["annotator-1", "annotator-2", "annotator-3", "(admin)"]
    assert len({link.split("#")[1] for link in links.values()}) == 4
    again = run("campaign", "new", "campaign.json", "c.db")
    assert (again.returncode, "already" in again.stderr) == (1, True)

    def errata(*arguments: object) -> Result:  # in this process, which is quicker
        return CliRunner().invoke(cli, [str(argument) for argument in arguments])

    place, copy, file = tmp_path / "c.db", tmp_path / "copy.db", tmp_path / "j.xml"
    done = fill(Made(CampaignStore.open(place), str(place), {}, ""))
    status = errata("campaign", "status", place).output
    assert f"{done} of" in status
    assert "Expected Wins" in status
    ranked = errata("rank", place, "--format", "json", "--runs", "50")
    assert {row["system"] for row in json.loads(ranked.output)["rows"]} == set(SYSTEMS)
    assert errata("agree", place).exit_code == 0
    assert errata("campaign", "export", place, "--to", "appraise", "-o", file).exit_code == 0
    assert "judge-1" in file.read_text(encoding="utf-8")
    assert '"judge": "annotator-1"' in errata("campaign", "export", place, "--names").output
    assert isinstance(errata("campaign", "export", place, "--to", "m2").exception, DataError)
    assert errata("campaign", "backup", place, copy).exit_code == 0
    assert errata("campaign", "export", copy).output == errata("campaign", "export", place).output
    assert errata("campaign", "import", copy, file).exit_code == 0
    assert errata("campaign", "close", place).exit_code == 0
    assert "closed" in errata("campaign", "status", place).output
    for wrong in (tmp_path / "nowhere.db", tmp_path / "campaign.json"):
        assert isinstance(errata("campaign", "status", wrong).exception, DataError)


def test_flags_are_enough_for_a_campaign(tmp_path: Path) -> None:
    write_config(tmp_path)
    systems = [f"--system={tmp_path / name}.txt" for name in ("good", "middle")] + [
        f"--system=third={tmp_path / 'none.txt'}"
    ]
    given = ["--task", "pairwise", "--corpus", str(tmp_path / "source.txt"), *systems, "--seed", "5"]
    given += ["--sample", "2"]
    place = tmp_path / "flags.db"
    result = CliRunner().invoke(cli, ["campaign", "new", str(place), *given, "-o", str(tmp_path / "links")])
    assert result.exit_code == 0, result.output
    store = CampaignStore.open(place)
    assert (store.name, store.settings.seed) == ("flags", 5)
    assert "2 of 6 segments are judged" in result.output + (tmp_path / "links").read_text(encoding="utf-8")
    assert list(store.settings.systems) == ["good", "middle", "third"]
    assert (tmp_path / "links").stat().st_mode & 0o077 == 0
    nothing = CliRunner().invoke(cli, ["campaign", "new", str(tmp_path / "x.db")])
    assert isinstance(nothing.exception, DataError)


@pytest.mark.parametrize("format", ["appraise", "wmt", "mturk", "pairwise"])
def test_rankings_read_back_as_they_were_judged(format: str, tmp_path: Path) -> None:
    made = make(tmp_path, controls=0, repeats=0)
    fill(made)
    with made.store.read() as connection:
        ours = judgments_of(made.store, connection)
    target = tmp_path / f"out.{format}"
    with target.open("w", encoding="utf-8") as file:
        export(made.store, file, format)
    theirs = read_judgments(target, format=format)
    from errata.human.pairs import expanded_pairs

    one, other = expanded_pairs(ours).tally(), expanded_pairs(theirs).tally()
    assert one.systems == other.systems
    np.testing.assert_array_equal(one.wins, other.wins)
    np.testing.assert_array_equal(one.ties, other.ties)


@pytest.mark.parametrize("task", ["ranking", "scalars", "pairwise", "correction"])
def test_one_campaign_is_taken_into_another_once(task: str, tmp_path: Path) -> None:
    second = {"second_pass": True} if task == "correction" else {}
    first = make(tmp_path / "a", task=task, **second)
    other = make(tmp_path / "b", task=task, **second)
    done = fill(first)
    fill(other)
    file = tmp_path / "all.jsonl"
    with file.open("w", encoding="utf-8") as target:
        export(first.store, target, "jsonl")
    with other.store.read() as connection:
        before = len(list(rows_of(other.store, connection)))
    assert import_file(other.store, file) == (done, 0)
    assert import_file(other.store, file) == (0, done)
    with other.store.read() as connection:
        assert len(list(rows_of(other.store, connection))) == before + done
    if task != "correction":
        assert len(read_campaign(other.place)) >= 2
    else:
        with other.store.read() as connection:
            assert max(len(s.annotations) for s in corrections_of(other.store, connection)) >= 2


def test_published_rankings_are_taken_in(tmp_path: Path) -> None:
    made = make(tmp_path / "c", controls=0)
    fill(made)
    file = tmp_path / "j.xml"
    with file.open("w", encoding="utf-8") as target:
        export(made.store, target, "appraise")
    fresh = make(tmp_path / "d")
    new, known = import_file(fresh.store, file)
    assert new > 5
    assert known == 0
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("good", "unknown"), encoding="utf-8")
    with pytest.raises(DataError, match="no system 'unknown'"):
        import_file(fresh.store, file)
    file.write_text('{"x": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match="judgment 1"):
        import_file(fresh.store, file)


def test_a_backup_is_a_campaign_and_never_overwrites(tmp_path: Path) -> None:
    made = make(tmp_path)
    fill(made)
    target = tmp_path / "copy.db"
    made.store.backup(target)
    assert reads(target)
    copy = CampaignStore.open(target)
    with copy.read() as connection, made.store.read() as original:
        assert list(rows_of(copy, connection)) == list(rows_of(made.store, original))
    with pytest.raises(DataError, match="already"):
        made.store.backup(target)
    assert not list(tmp_path.glob("*.part*"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tsak": "x"}, "did you mean 'task'"),
        ({"task": "guess"}, "task is 'guess'"),
        ({"overlap": 2}, "overlap is 2"),
        ({"overlap": "x"}, "overlap is 'x'"),
        ({"systems": {"a": "a.txt"}}, "compares systems"),
        ({"systems": {"a b": "a.txt", "c": "c.txt"}}, "without blanks"),
        ({"annotators": []}, "no annotators"),
        ({"annotators": ["a", "a"]}, "the same"),
        ({"redundancy": 0}, "expected greater than or equal to 1"),
        ({"redundancy": True}, "redundancy is True"),
        ({"quota": 0}, "quota is 0"),
        ({"name": " "}, "no name"),
        ({"task": "correction", "assignment": "adaptive"}, "adaptively"),
    ],
)
def test_settings_that_make_no_sense_are_named(change: dict[str, Any], message: str) -> None:
    values = {"name": "x", "task": "ranking", "corpus": "c", "systems": {"a": "a.txt", "b": "b.txt"}}
    with pytest.raises(DataError, match=message):
        settings_from({**values, **change})


def test_settings_are_read_from_toml_and_kept_as_json(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        'name = "T"\ntask = "pairwise"\ncorpus = "x.m2"\nannotators = 2\n'
        '[systems]\na = "a.txt"\nb = "b.txt"\n',
        encoding="utf-8",
    )
    settings = read_settings(tmp_path / "c.toml", {"seed": 7})
    assert settings.annotators == ("annotator-1", "annotator-2")
    assert settings.systems["a"] == str(tmp_path / "a.txt")
    assert CampaignSettings.from_json(settings.to_json()) == settings
    (tmp_path / "bad.toml").write_text("name = [", encoding="utf-8")
    with pytest.raises(DataError, match="neither TOML nor JSON"):
        read_settings(tmp_path / "bad.toml")


def test_nothing_to_judge_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing to judge"):
        make(tmp_path, outputs={"a": SOURCES, "b": SOURCES})
    assert not (tmp_path / "campaign.db").exists()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.randoms())
def test_shown_order_and_item_order_are_inverse(ranks: list[int], random: Any) -> None:
    shown = list(range(len(ranks)))
    random.shuffle(shown)
    answer = {"ranks": ranks}
    assert to_shown_order(to_item_order(answer, shown), shown) == answer


@given(st.text(), st.integers(0, 100))
def test_damage_changes_a_text_or_gives_up(text: str, seed: int) -> None:
    ruin = damaged(text, np.random.default_rng(seed))
    assert ruin is None or ruin != text


def test_texts_that_differ_in_blanks_only_are_one_card() -> None:
    cards = merged({"a": "x  y", "b": " x y", "c": "x y z"})
    assert [(card.text, card.systems) for card in cards] == [("x y", ("a", "b")), ("x y z", ("c",))]


def test_doubt_falls_where_judgments_agree() -> None:
    model = AdaptiveRanking(["a", "b", "c"])
    for _ in range(30):
        model.update([["a"], ["b"]], [1, 2])
    uncertainty = model.uncertainty()
    assert uncertainty[0, 1] < 0.05 < uncertainty[0, 2]
    screens = [
        tuple(model.draw([["a"], ["b"], ["c"]], 2, np.random.default_rng(seed))[0]) for seed in range(200)
    ]
    assert screens.count((0, 1)) < 40 < screens.count((0, 2))


@pytest.mark.parametrize("certain", [False, True])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_chance_of_each_pair_is_the_recorded_one(size: int, certain: bool) -> None:
    model = AdaptiveRanking([*"abcde"])
    model.mu = np.arange(5.0)
    model.variance[:] = 1e-12 if certain else 0.5  # nothing is in doubt: all pairs are drawn evenly
    texts = [["a", "b"], ["c"], ["d"], ["e"], []]
    random = np.random.default_rng(1)
    seen: dict[tuple[int, int], int] = {}
    chance: dict[tuple[int, int], float] = {}
    for _ in range(4000):
        chosen, chances = model.draw(texts, size, random)
        assert len(set(chosen)) == size
        for pair, each in zip(combinations(chosen, 2), chances, strict=True):
            seen[pair] = seen.get(pair, 0) + 1
            assert chance.setdefault(pair, each) == each
    assert len(seen) == 10
    for pair, count in seen.items():
        assert count / 4000 == pytest.approx(chance[pair], abs=0.04)
    if certain:
        assert set(np.round([*chance.values()], 9)) == {round(size * (size - 1) / 20, 9)}


def test_the_least_known_sentence_comes_next() -> None:
    model = AdaptiveScalars({7: 2, 8: 2}, scale=10)
    model.update(7, [5, 5])
    assert model.order(np.random.default_rng(1))[0] == 8


def test_a_campaign_of_another_schema_version_is_refused(tmp_path: Path) -> None:
    from errata_server.campaign import campaign_tables as schema

    made = make(tmp_path)
    with made.store.write() as connection:
        connection.execute(sa.update(schema.campaign).values(schema=99))
    made.store.close()
    with pytest.raises(DataError, match=f"schema version 99, but this release needs {schema.SCHEMA.version}"):
        CampaignStore.open(made.place)


# Sentence 1 is left as it is by all systems, sentence 2 is changed by all in the same way.
OUTPUTS = {name: [lines[0], SOURCES[1], SYSTEMS["good"][2], *lines[3:]] for name, lines in SYSTEMS.items()}


def judged(made: Made) -> set[int]:
    with made.store.read() as connection:
        return set(connection.scalars(sa.select(schema.items.c.segment)))


@pytest.mark.parametrize("skip", [False, True])
def test_scores_of_unchanged_sentences_are_left_out_where_asked(skip: bool, tmp_path: Path) -> None:
    made = make(tmp_path, task="scalars", outputs=OUTPUTS, skip_unchanged=skip)
    assert judged(made) == {0, 2, 3, 4, 5} | (set() if skip else {1})
    assert made.store.selection == Selection(6, 5 if skip else 6, unchanged=int(skip))


def test_rankings_leave_out_what_cannot_be_compared_and_count_it(tmp_path: Path) -> None:
    made = make(tmp_path, outputs=OUTPUTS)
    assert judged(made) == {0, 3, 4, 5}
    assert made.store.selection == Selection(6, 4, unchanged=1, identical=1)


@pytest.mark.parametrize("settings", [{}, {"assignment": "adaptive"}, {"task": "correction"}])
def test_a_sample_is_drawn_from_what_can_be_judged(settings: dict[str, str], tmp_path: Path) -> None:
    """The same seed draws the same segments; they keep their numbers, and nothing else is judged."""
    samples = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        made = make(tmp_path / name, copies=5, outputs=OUTPUTS, sample=7, seed=seed, **settings)
        with made.store.read() as connection:
            chosen = {segment.id for segment in made.store.segments(connection, chosen=True)}
            assert len(made.store.segments(connection)) == 30
        samples.append(chosen)
        assert len(chosen) == 7
        assert judged(made) <= chosen
        if settings.get("task") != "correction":
            assert not {number % 6 for number in chosen} & {1, 2}
    assert samples[0] == samples[1] != samples[2]


def test_a_sample_larger_than_the_corpus_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a sample of 5 segments, but only 4 can be judged"):
        make(tmp_path, outputs=OUTPUTS, sample=5)
    assert not (tmp_path / "campaign.db").exists()


def test_exports_and_pages_say_what_was_left_out(tmp_path: Path) -> None:
    made = make(tmp_path, outputs=OUTPUTS, sample=3, controls=0, repeats=0, overlap=0)
    said = (
        "3 of 6 segments are judged; left out: 1 that all systems left unchanged, "
        "1 that all systems changed in the same way, 1 outside of the sample"
    )
    with signed_in(made) as client:
        screen = client.get("/api/screen").json()
        client.post("/api/judge", json=post_of(screen))
        sign_in(client, made.admin)
        assert said in client.get("/admin").text
    row = json.loads(export_text(made.place, "jsonl"))
    assert row["selection"] == {
        "segments": 6, "judged": 3, "empty": 0, "unchanged": 1, "identical": 1, "unsampled": 1,
    }  # fmt: skip
    made.store.close()
    for verb in (["export", made.place, "-o", str(tmp_path / "x.jsonl")], ["status", made.place]):
        assert " ".join(said.split()) in " ".join(CliRunner().invoke(cli, ["campaign", *verb]).output.split())
