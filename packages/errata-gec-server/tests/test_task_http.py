"""The server of a shared task over HTTP: teams, submissions, limits, leaderboards, roles."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import errata
from errata.errors import DataError
from errata_server.task import task_tables as schema
from errata_server.task.task_settings import TaskSettings, read_settings, settings_from
from errata_server.task.task_store import TaskStore
from tasks import (
    GOOD,
    MIDDLE,
    NOON,
    SOURCE,
    Made,
    Served,
    act,
    board,
    lines,
    make,
    output,
    scores_on,
    served,
    submit,
    texts_in,
    work_off,
)


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Served]:
    with served(make(tmp_path)) as found:
        yield found


def expected(texts: list[str], metric: str = "gleu") -> float:
    return errata.score(SOURCE, texts, [[text] for text in GOOD], metric=metric).value


# Settings


VALUES: dict[str, Any] = {
    "name": "x",
    "tracks": [{"name": "a", "texts": {"test": {"gold": "g.m2"}}}],
    "phases": [{"name": "test"}],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tracks": []}, "there is no track"),
        ({"phases": [{"name": "Test phase"}]}, "a phase called"),
        ({"phases": [{"name": "test", "shows": "all"}]}, "shows is 'all'"),
        ({"phases": [{"name": "test", "starts": "2026-02-01", "ends": "2026-01-01"}]}, "not in order"),
        ({"phases": [{"name": "test", "ends": "tomorrow"}]}, "ends is 'tomorrow'"),
        ({"phases": [{"name": "test", "per_day": 0}]}, "per_day is 0"),
        ({"phases": [{"name": "dev"}]}, "texts for 'test'"),
        ({"tracks": [{"name": "a", "texts": {"test": {"source": "s"}}}]}, "there is no gold"),
        ({"tracks": [{"name": "a", "texts": {"test": {"golf": "s"}}}]}, "no setting is called 'golf'"),
        ({"tracks": [{"name": "a", "metrics": ["m3"], "texts": {"test": {"gold": "s"}}}]}, "m3"),
        ({"sign_up": "free"}, "sign_up is 'free'"),
        ({"memory": 1}, "memory is 1"),
    ],
)
def test_settings_that_make_no_sense_are_errors(change: dict[str, Any], message: str) -> None:
    with pytest.raises(errata.errors.ErrataError, match=message):
        settings_from({**VALUES, **change})


def test_settings_are_read_from_toml_and_kept_as_json(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(
        'name = "T"\ndescription = "about.md"\n[[tracks]]\nname = "a"\n[tracks.texts.dev]\ngold = "g.m2"\n'
        '[[phases]]\nname = "dev"\nends = 2026-05-01T00:00:00+02:00\n[[phases]]\nname = "test"\n'
    )
    (tmp_path / "about.md").write_text("# About\nthis")
    settings = read_settings(tmp_path / "task.toml")
    assert settings.description == "# About\nthis"
    assert settings.phases[0].ends == "2026-04-30T22:00:00.000Z"
    assert settings.tracks[0].texts["dev"].gold == str(tmp_path / "g.m2")
    assert settings.texts_of("a", "test") == "dev"  # a phase without texts uses those before it
    assert TaskSettings.from_json(settings.to_json()) == settings


def test_a_task_with_a_wrong_label_or_without_gold_leaves_nothing_behind(tmp_path: Path) -> None:
    make(tmp_path / "good").store.close()
    for change, message in (
        ({"by": ["level"]}, "no 'level'"),
        ({"texts": {"test": {"gold": "no.m2"}}}, "no.m2"),
    ):
        track = {
            "name": "main",
            "metrics": ["gleu"],
            "texts": {"test": texts_in(tmp_path / "good")},
            **change,
        }
        with pytest.raises(DataError, match=message):
            make(tmp_path / "bad", tracks=[track])
        assert not (tmp_path / "bad" / "task.db").exists()


def test_one_segment_cannot_be_divided_into_a_public_and_a_private_part(tmp_path: Path) -> None:
    for name in ("source", "ref"):
        (tmp_path / f"{name}.txt").write_text("a b\n")
    texts = {"source": str(tmp_path / "source.txt"), "references": [str(tmp_path / "ref.txt")]}
    track = {"name": "main", "metrics": ["gleu"], "texts": {"test": texts}}
    with pytest.raises(DataError, match="no public part"):
        make(tmp_path / "one", tracks=[track], phases=[{"name": "test", "public_part": 0.5}])


# Teams


def test_a_team_signs_up_waits_and_takes_part_when_it_is_approved(task: Served) -> None:
    client = task.client()
    answer = client.post("/sign-up", json={"team": "Alpha", "member": "Ann", "contact": "a@example.org"})
    assert answer.status_code == 201
    assert "/enter#" in answer.json()["link"]
    assert "waiting" in client.get("/team").text
    refused = submit(client, lines(GOOD))
    assert refused.status_code == 403
    assert "waiting" in refused.json()["error"]
    assert client.get("/sources/main/test").status_code == 403
    owner = task.owner()
    assert "a@example.org" in owner.get("/admin").text
    assert act(owner, "/admin", "team", team="2", state="active").status_code == 303  # 1 is the baseline
    assert submit(client, lines(GOOD)).status_code == 201
    assert client.get("/sources/main/test").content == lines(SOURCE)
    again = task.enter(answer.json()["token"])  # the link is valid on another machine
    assert len(again.get("/api/submissions").json()) == 1
    act(owner, "/admin", "team", team="2", state="refused")
    assert submit(client, lines(MIDDLE)).status_code == 403


def test_names_that_look_alike_are_one_team(task: Served) -> None:
    task.team("Alpha Team")
    for name in ("alpha team", "ALPHA-TEAM", "Ａlpha Team", "  Alpha   Team "):
        answer = task.client().post("/sign-up", json={"team": name, "member": "Eve"})
        assert answer.status_code == 409, name
    for name in ("", "   ", "---", "x" * 61, "a\u202eb", 7):
        assert task.client().post("/sign-up", json={"team": name, "member": "Eve"}).status_code == 400
    assert task.client().post("/sign-up", json={"team": "unchanged source", "member": "E"}).status_code == 409


def test_members_invite_others_and_an_invitation_is_for_one_person(task: Served) -> None:
    ann = task.team("Alpha")
    page = act(ann, "/team", "invite").text
    token = page.partition("/enter#")[2].partition('"')[0]
    bob = task.enter(token)
    assert "Join Alpha" in bob.get("/sign-up").text
    assert bob.post("/sign-up", json={"member": "Bob"}).status_code == 201
    submit(bob, lines(GOOD))
    assert len(ann.get("/api/submissions").json()) == 1
    second = task.enter(token)
    answer = second.post("/sign-up", json={"member": "Carl"})
    assert answer.status_code == 400  # it is used: this is a sign-up of a team without a name
    assert "Bob" in ann.get("/team").text
    assert "Carl" not in ann.get("/team").text


def test_a_task_by_invitation_has_no_sign_up(tmp_path: Path) -> None:
    with served(make(tmp_path, sign_up="invitation")) as task:
        answer = task.client().post("/sign-up", json={"team": "Alpha", "member": "Ann"})
        assert answer.status_code == 403
        assert "invitation only" in task.client().get("/sign-up").text
        task.team("Beta")


# Submissions


def test_a_broken_file_is_refused_with_the_line_and_the_likely_cause(task: Served) -> None:
    client = task.team("Alpha")
    answer = submit(client, lines(GOOD[:9] + GOOD[10:]))
    assert answer.status_code == 422
    found = answer.json()["findings"][0]
    assert found["code"] == "E301"
    assert found["line"] in (9, 10)
    assert "29 lines" in found["message"]
    assert "an empty output needs an empty line" in found["fix"]
    page = client.get(f"/team/submissions/{answer.json()['uid']}").text
    assert "29 lines" in page
    assert "does not count for your limits" in page
    latin = submit(client, b"caf\xe9\n" * 30).json()["findings"][0]
    assert latin["code"] == "E102"


def test_a_file_that_looks_wrong_is_scored_when_the_team_insists(task: Served) -> None:
    client = task.team("Alpha")
    lower = lines([text.lower().replace(" .", ".") for text in GOOD])
    answer = submit(client, lower)
    assert answer.status_code == 422
    assert {finding["code"][0] for finding in answer.json()["findings"]} >= {"E"}
    assert submit(client, lower, anyway="yes").status_code == 201
    assert submit(client, lines(GOOD[:-1]), anyway="yes").status_code == 422  # it cannot be scored


def test_scores_are_those_of_errata_score_and_the_board_shows_them(task: Served) -> None:
    clients = {"Alpha": (task.team("Alpha"), GOOD), "Beta": (task.team("Beta"), MIDDLE)}
    for client, texts in clients.values():
        assert submit(client, lines(texts)).json()["state"] == "queued"
    assert clients["Beta"][0].get("/api/submissions").json()[0]["ahead"] == 2  # the baseline, and Alpha
    work_off(task.made)
    found = board(task.owner())
    values = {name: [expected(texts, m) for m in ("gleu", "bleu")] for name, (_, texts) in clients.items()}
    values["Unchanged source"] = [expected(SOURCE, m) for m in ("gleu", "bleu")]
    assert scores_on(found) == values
    assert [row["rank"] for row in found["rows"]] == [1, 2, 3]
    assert [row["team"] for row in found["rows"]] == ["Alpha", "Beta", "Unchanged source"]
    results = errata.score(SOURCE, {"Beta": MIDDLE}, [[text] for text in GOOD], metric=["gleu", "bleu"])
    beta = found["rows"][1]["scores"][0]
    assert (beta["low"], beta["high"]) == results.interval("Beta", samples=50, seed=1)
    assert found["metrics"][0]["signature"] == results["Beta", "gleu"].signature
    letters = [i for i in range(len(SOURCE)) if i % 2]
    by_domain = found["rows"][1]["groups"]["domain"]["letters"]
    assert by_domain == {
        "segments": 15,
        "values": [results.select(letters).score("Beta", n).value for n in (0, 1)],
    }
    assert all(score["cluster"] for row in found["rows"] for score in row["scores"])
    page = clients["Alpha"][0].get("/board/main/test").text
    assert f"{values['Alpha'][0]:.4f}" in page
    assert "by domain" in page


def test_clusters_are_those_of_errata_compare(task: Served) -> None:
    texts = {"Alpha": GOOD, "Beta": MIDDLE}
    for name in texts:
        submit(task.team(name), lines(texts[name]))
    work_off(task.made)
    texts["Unchanged source"] = SOURCE
    results = errata.score(SOURCE, texts, [[text] for text in GOOD], metric=["gleu", "bleu"])
    found = board(task.owner())
    assert found["tests"]["current"]
    for number, comparison in enumerate(errata.compare(results)):
        assert found["tests"]["test"] in comparison.tables()[1].notes[0]
        mine = {row["team"]: row["scores"][number]["cluster"] for row in found["rows"]}
        assert mine == dict(zip(comparison.systems, comparison.clusters, strict=True))


def test_the_same_file_is_recognised_also_in_an_archive(task: Served) -> None:
    client = task.team("Alpha")
    first = submit(client, lines(GOOD))
    again = submit(client, lines(GOOD), name="other.txt")
    packed = submit(client, archive({"out.txt": lines(GOOD)}), name="out.zip")
    assert (again.status_code, packed.status_code) == (200, 200)
    assert again.json()["uid"] == packed.json()["uid"] == first.json()["uid"]
    assert again.json()["known"]
    other = submit(task.team("Beta"), lines(GOOD))
    assert other.status_code == 201  # another team learns nothing
    assert "Alpha and Beta" in task.owner().get("/admin").text


def archive(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return made.getvalue()


def test_an_archive_may_have_a_file_per_track(task: Served) -> None:
    client = task.team("Alpha")
    data = archive({"run/main.txt": lines(GOOD), "run/other.txt": b"x\n", "__MACOSX/main.txt": b"y"})
    answer = submit(client, data, name="run.zip")
    assert answer.status_code == 201
    assert answer.json()["name"] == "main.txt"
    assert client.get(f"/api/submissions/{answer.json()['uid']}/file").content == lines(GOOD)
    refused = submit(client, archive({"a.txt": b"x\n", "b.txt": b"y\n"}), name="run.zip")
    assert refused.status_code == 422
    assert "main.txt" in refused.json()["findings"][0]["fix"]


def test_m2_files_are_scored_as_errata_score_does(tmp_path: Path) -> None:
    gold = "".join(f"S {s}\nA 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0\n\n" for s in SOURCE[:1] * 10)
    (tmp_path / "gold.m2").write_text(gold)
    track = {"name": "main", "metrics": ["m2"], "texts": {"test": {"gold": str(tmp_path / "gold.m2")}}}
    with served(make(tmp_path, tracks=[track])) as task:
        client = task.team("Alpha")
        out = gold.replace("|||goes|||", "|||went|||", 3)
        assert submit(client, out.encode(), name="out.m2").status_code == 201
        wrong = submit(client, out.replace("He go", "She go").encode(), name="wrong.m2")
        assert wrong.status_code == 422
        assert "another source" in wrong.json()["findings"][0]["message"]
        work_off(task.made)
        (tmp_path / "out.m2").write_text(out)
        from errata.corpus.formats import read_corpus, read_outputs

        corpus = read_corpus(tmp_path / "gold.m2")
        value = errata.score(corpus, read_outputs([tmp_path / "out.m2"], corpus), metric="m2")["out"].value
        assert scores_on(board(client))["Alpha"] == [value]


def test_multigec_essays_are_scored_as_errata_score_does(tmp_path: Path) -> None:
    pytest.importorskip("syntok", reason="needs errata-gec[tokenize]")
    essays = {f"e{i}": (SOURCE[i], GOOD[i], MIDDLE[i]) for i in range(6)}

    def written(place: int) -> str:
        return "".join(f"### essay_id = {name}\n{texts[place]}\n\n" for name, texts in essays.items())

    (tmp_path / "en-x-orig-test.md").write_text(written(0))
    (tmp_path / "en-x-ref1-test.md").write_text(written(1))
    texts = {"gold": str(tmp_path / "en-x-orig-test.md")}
    track = {"name": "main", "metrics": ["gleu"], "texts": {"test": texts}}
    with served(make(tmp_path, tracks=[track])) as task:
        client = task.team("Alpha")
        assert client.get("/sources/main/test").text == written(0)
        out = written(2).replace("### essay_id = e5", "### essay_id = e9")
        assert "no essay 'e9'" in submit(client, out.encode(), name="out.md").json()["findings"][0]["message"]
        missing = written(2).partition("### essay_id = e5")[0]
        answer = submit(client, missing.encode(), name="out.md")
        assert answer.status_code == 201
        assert "1 essays are missing" in answer.json()["findings"][0]["message"]
        work_off(task.made)
        (tmp_path / "out.md").write_text(missing)
        from errata.corpus.formats import read_gold, read_hypotheses

        corpus, outputs, _ = read_hypotheses([tmp_path / "out.md"], read_gold(texts["gold"]))
        assert scores_on(board(client))["Alpha"] == [
            errata.score(corpus, outputs, metric="gleu")["out"].value
        ]


# Limits


def test_the_limits_per_day_and_in_all_hold_and_refused_files_do_not_count(tmp_path: Path) -> None:
    phases = [{"name": "test", "per_day": 2, "in_all": 3, "shows": "leaderboard"}]
    with served(make(tmp_path, phases=phases)) as task:
        task.made.store.clock = lambda: NOON
        client = task.team("Alpha")
        assert submit(client, b"one line\n").status_code == 422
        assert [submit(client, output(i)).status_code for i in range(3)] == [201, 201, 409]
        assert "midnight" in submit(client, output(3)).json()["error"]
        assert submit(client, output(0)).status_code == 409  # also before it is looked at
        task.made.store.clock = lambda: "2026-05-16T00:00:00.000Z"
        assert [submit(client, output(i)).status_code for i in (3, 4)] == [201, 409]
        assert "for this phase" in submit(client, output(4)).json()["error"]
        assert submit(task.team("Beta"), output(0)).status_code == 201  # limits are per team


def test_the_limits_hold_for_files_that_are_sent_at_once(tmp_path: Path) -> None:
    with served(make(tmp_path, phases=[{"name": "test", "in_all": 3}])) as task:
        client = task.team("Alpha")
        with ThreadPoolExecutor(8) as pool:
            codes = list(pool.map(lambda i: submit(client, output(i)).status_code, range(8)))
        assert sorted(codes) == [201] * 3 + [409] * 5
        with task.made.store.read() as connection:
            kept = sa.select(sa.func.count()).where(schema.submissions.c.team == 2)
            assert connection.scalar(kept) == 3


def test_a_phase_takes_files_between_its_times_unless_an_organiser_decides(tmp_path: Path) -> None:
    phases = [{"name": "test", "starts": "2026-05-15T12:00:00Z", "ends": "2026-05-15T13:00:00Z"}]
    with served(make(tmp_path, phases=phases)) as task:
        times = iter(range(100))
        client = task.team("Alpha")
        for clock, code in (("11:59", 403), ("12:00", 201), ("12:59", 201), ("13:00", 403)):
            task.made.store.clock = lambda clock=clock: f"2026-05-15T{clock}:00.000Z"  # type: ignore[misc]
            assert submit(client, output(next(times))).status_code == code, clock
        owner = task.owner()
        act(owner, "/admin", "phase", phase="test", state="open")
        assert submit(client, output(50)).status_code == 201
        act(owner, "/admin", "phase", phase="test", state="closed")
        assert submit(client, output(51)).status_code == 403
        act(owner, "/admin", "phase", phase="test", state="auto")
        act(owner, "/admin", "closed")  # the whole task
        task.made.store.clock = lambda: "2026-05-15T12:30:00.000Z"
        assert submit(client, output(52)).status_code == 403


# What is shown


@pytest.mark.parametrize("shows", ["nothing", "own", "leaderboard"])
def test_who_sees_what_while_a_phase_lasts_and_after_it(shows: str, tmp_path: Path) -> None:
    phases = [{"name": "test", "shows": shows, "after": "leaderboard"}]
    with served(make(tmp_path, phases=phases, public=True)) as task:
        alpha, beta = task.team("Alpha"), task.team("Beta")
        uid = submit(alpha, lines(GOOD)).json()["uid"]
        submit(beta, lines(MIDDLE))
        work_off(task.made)
        both = {"Unchanged source", "Alpha", "Beta"}
        seen = set(scores_on(board(alpha)))
        assert "Alpha" in seen or shows == "nothing"
        assert len(seen) == {"nothing": 0, "own": 2, "leaderboard": 3}[shows]
        assert len(board(task.client())["rows"]) == (3 if shows == "leaderboard" else 0)
        own = alpha.get(f"/api/submissions/{uid}").json()
        assert own["state"] == "scored"
        assert (own["scores"] is None) == (shows == "nothing")
        assert set(scores_on(board(task.owner()))) == both
        act(task.owner(), "/admin", "phase", phase="test", state="closed")
        assert len(board(task.client())["rows"]) == 3


def test_a_private_board_is_for_teams_only(task: Served) -> None:
    alpha = task.team("Alpha")
    submit(alpha, lines(GOOD))
    work_off(task.made)
    assert board(task.client())["rows"] == []
    assert board(alpha)["rows"] != []


def test_names_are_hidden_until_the_task_is_closed(task: Served) -> None:
    alpha, beta = task.team("Alpha"), task.team("Beta")
    submit(alpha, lines(GOOD))
    submit(beta, lines(MIDDLE))
    work_off(task.made)
    page = beta.get("/board/main/test").text
    assert "Alpha" not in page
    assert "Alpha" not in json.dumps(board(beta))
    assert "Beta" in page
    assert [row["mine"] for row in board(beta)["rows"]] == [False, True, False]
    act(task.owner(), "/admin", "closed")
    assert "Alpha" in beta.get("/board/main/test").text


def test_a_frozen_board_leaves_out_what_comes_in_until_the_phase_has_ended(tmp_path: Path) -> None:
    phases = [{"name": "test", "shows": "leaderboard", "frozen": NOON, "ends": "2026-05-16T00:00:00Z"}]
    with served(make(tmp_path, phases=phases)) as task:
        store = task.made.store
        store.clock = lambda: "2026-05-15T11:00:00.000Z"
        alpha, beta = task.team("Alpha"), task.team("Beta")
        submit(alpha, lines(MIDDLE))
        store.clock = lambda: "2026-05-15T12:30:00.000Z"
        late = submit(alpha, lines(GOOD)).json()["uid"]
        submit(beta, lines(GOOD))
        alpha.post(f"/api/submissions/{late}/choose")
        work_off(task.made)
        found = board(alpha)
        assert found["frozen"] == NOON
        assert scores_on(found)["Alpha"][0] == expected(MIDDLE)
        assert "Beta" not in scores_on(board(beta))
        assert len(scores_on(board(task.owner()))) == 3
        assert alpha.get(f"/api/submissions/{late}").json()["scores"]["metrics"][0]["value"] == expected(GOOD)
        assert "frozen" in alpha.get("/board/main/test").text
        store.clock = lambda: "2026-05-16T00:00:00.000Z"
        assert board(alpha)["frozen"] is None
        assert scores_on(board(alpha))["Alpha"][0] == expected(GOOD)


def test_scores_of_sentences_are_shown_only_where_the_phase_allows_it(tmp_path: Path) -> None:
    make(tmp_path).store.close()
    texts = texts_in(tmp_path)
    track = {"name": "main", "metrics": ["gleu"], "texts": {"dev": texts}}
    phases = [{"name": "dev", "sentences": True}, {"name": "test"}]
    with served(make(tmp_path / "two", tracks=[track], phases=phases)) as task:
        client = task.team("Alpha")
        uids = [submit(client, lines(MIDDLE), phase=phase).json()["uid"] for phase in ("dev", "test")]
        assert client.get(f"/api/submissions/{uids[0]}/sentences").status_code == 409  # not scored yet
        work_off(task.made)
        answer = client.get(f"/api/submissions/{uids[0]}/sentences").json()
        results = errata.score(SOURCE, MIDDLE, [[text] for text in GOOD], metric="gleu")
        assert [scores[0] for scores in answer["scores"]] == results.sentences.tolist()
        part = client.get(f"/api/submissions/{uids[0]}/sentences?from=30").json()
        assert part["scores"] == answer["scores"][29:]
        for first in ("0", "x", "9" * 5000):
            assert client.get(f"/api/submissions/{uids[0]}/sentences?from={first}").json() == answer
        assert client.get(f"/api/submissions/{uids[1]}/sentences").status_code == 403


# Choosing and withdrawing


def test_the_chosen_submission_counts_otherwise_the_last_one(task: Served) -> None:
    client = task.team("Alpha")
    first, last = (submit(client, lines(texts)).json()["uid"] for texts in (GOOD, MIDDLE))
    work_off(task.made)
    assert scores_on(board(client))["Alpha"][0] == expected(MIDDLE)
    assert client.post(f"/api/submissions/{first}/choose").status_code == 200
    assert scores_on(board(client))["Alpha"][0] == expected(GOOD)
    assert act(client, "/team", "choose", uid=last).status_code == 303
    assert scores_on(board(client))["Alpha"][0] == expected(MIDDLE)
    history = next(row for row in board(client)["rows"] if row["mine"])["history"]
    assert [each["values"][0] for each in history] == [expected(GOOD), expected(MIDDLE)]
    assert client.post(f"/api/submissions/{last}/withdraw").status_code == 200
    assert scores_on(board(client))["Alpha"][0] == expected(GOOD)
    assert client.post(f"/api/submissions/{last}/choose").status_code == 409
    act(task.owner(), "/admin", "phase", phase="test", state="closed")
    assert client.post(f"/api/submissions/{first}/choose").status_code == 403


def test_a_team_that_withdraws_is_off_the_board(task: Served) -> None:
    client = task.team("Alpha")
    submit(client, lines(GOOD))
    work_off(task.made)
    assert act(client, "/team", "leave-task").status_code == 303
    assert "Alpha" not in scores_on(board(task.owner()))
    assert submit(client, lines(MIDDLE)).status_code == 403


# Staff


def test_observers_change_nothing_and_organisers_do_not_choose_the_staff(task: Served) -> None:
    owner = task.owner()
    tokens = {}
    for role in ("organiser", "observer"):
        page = act(owner, "/admin", "staff", name=f"The {role}", role=role).text
        tokens[role] = page.partition("/enter#")[2].partition('"')[0]
    observer, organiser = (task.enter(tokens[role]) for role in ("observer", "organiser"))
    task.team("Alpha")
    for page in ("/admin", "/admin/submissions", "/admin/log"):
        assert observer.get(page).status_code == 200
    assert "Invite a team" not in observer.get("/admin").text
    for action in ("invite", "phase", "team", "closed", "staff"):
        post = {"action": action, "phase": "test", "state": "closed", "team": "2"}
        assert observer.post("/admin/act", data=post).status_code == 403, action
    assert act(organiser, "/admin", "phase", phase="test", state="closed").status_code == 303
    for action in ("closed", "staff", "staff-link"):
        assert act(organiser, "/admin", action, name="x", role="owner", person="1").status_code == 403
    assert act(owner, "/admin", "staff-remove", person="2").status_code == 303
    assert organiser.get("/admin").status_code == 401
    assert task.client().post("/enter", json={"token": tokens["organiser"]}).status_code == 403
    log = owner.get("/admin/log").text
    for what in ("staff added", "staff-remove", "phase", "owner: owner"):
        assert what in log


def test_a_new_link_for_a_member_voids_the_old_one(task: Served) -> None:
    client = task.team("Alpha")
    token = client.headers["x-token"]
    page = act(task.owner(), "/admin", "member-link", member="1").text
    fresh = page.partition("/enter#")[2].partition('"')[0]
    assert client.get("/api/submissions").status_code == 401
    assert task.client().post("/enter", json={"token": token}).status_code == 403
    assert task.enter(fresh).get("/api/submissions").status_code == 200


def test_programs_send_the_token_with_every_request(task: Served) -> None:
    token = task.team("Alpha").headers["x-token"]
    client = task.client()
    client.headers["Authorization"] = f"Bearer {token}"
    assert submit(client, lines(GOOD)).status_code == 201
    assert len(client.get("/api/submissions").json()) == 1
    assert board(client)["shows"] == "leaderboard"
    client.headers["Authorization"] = "Bearer wrong"
    assert client.get("/api/submissions").status_code == 403


# The database


def test_what_happened_cannot_be_changed(task: Served) -> None:
    submit(task.team("Alpha"), lines(GOOD))
    work_off(task.made)
    for table in schema.APPEND_ONLY:
        if table in ("choices", "withdrawals", "people"):
            continue  # they are empty: there is no row that a trigger could refuse to change
        for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET rowid = rowid"):
            with pytest.raises(sa.exc.DatabaseError), task.made.store.write() as connection:
                connection.exec_driver_sql(statement)


def test_a_copy_is_made_while_the_task_is_served(task: Served, tmp_path: Path) -> None:
    client = task.team("Alpha")
    submit(client, lines(GOOD))
    work_off(task.made)
    task.made.store.backup(tmp_path / "copy.db")
    submit(client, lines(MIDDLE))
    copy = Made(TaskStore.open(tmp_path / "copy.db"), str(tmp_path / "copy.db"), task.made.owner)
    with served(copy) as other:
        assert scores_on(board(other.owner()))["Alpha"][0] == expected(GOOD)
        assert len(other.enter(client.headers["x-token"]).get("/api/submissions").json()) == 1
        work_off(copy)


def test_public_pages_and_data(task: Served) -> None:
    client = task.client()
    assert client.get("/health").text == "open"
    assert client.get("/").status_code == 200
    assert client.get("/api/task").json()["tracks"][0]["metrics"] == ["gleu", "bleu"]
    assert client.get("/board/none/test").status_code == 404
    assert client.get("/team").status_code == 303


def test_clusters_say_when_they_are_older_than_the_board(task: Served) -> None:
    alpha = task.team("Alpha")
    submit(alpha, lines(GOOD))
    work_off(task.made)
    assert board(alpha)["tests"]["current"]
    assert "running again" not in alpha.get("/board/main/test").text
    submit(alpha, lines(MIDDLE))
    with task.made.store.write() as connection:  # scored, but the board is not worked out yet
        values = dict(connection.execute(sa.select(schema.results)).mappings().first() or {})
        connection.execute(sa.insert(schema.results).values({**values, "submission": 3}))
    assert not board(alpha)["tests"]["current"]
    assert "running again" in alpha.get("/board/main/test").text


def test_many_submissions_can_be_in_different_clusters() -> None:
    """The permutations grow with the pairs, or no pair could be significant beside so many others."""
    from errata.corpus.model import Corpus
    from errata_server.task.scoring import clusters_of, score_output
    from errata_server.task.task_settings import Track

    corpus = Corpus.from_lists(SOURCE * 4, [[text] for text in GOOD * 4])
    track = Track("main", {}, metrics=("gleu",))
    half = lines([*GOOD, *SOURCE] * 2)
    saved = [score_output(corpus, track, data, "o.txt", 10)[1] for data in (lines(GOOD * 4), half)]
    few = clusters_of({0: saved[0], 1: saved[1]})
    assert few["clusters"] == [{0: 1, 1: 2}]
    assert "10,000 permutations" in few["test"]
    many = clusters_of({i: saved[i % 2] for i in range(24)})
    assert "11,040 permutations" in many["test"]  # 40 for each of 276 pairs
    assert set(many["clusters"][0].values()) == {1, 2}
