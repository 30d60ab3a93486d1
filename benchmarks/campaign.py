"""The campaign server under load and through faults; loopback only, every loop bounded.

    python benchmarks/campaign.py load [--seconds 10] [--annotators 50] [--rate 320] [--admins 3]
    python benchmarks/campaign.py kills [--kills 100] [--annotators 20] [--screens 200] [--postgres]
    python benchmarks/campaign.py tasks [--kills 50] [--teams 4] [--files 20]
    python benchmarks/campaign.py restarts [--restarts 10]
    python benchmarks/campaign.py full [--megabytes 16]

`load` sends judgments as the pages do (one POST each, answered with the next screen) over keep-alive
connections: first at a steady rate, then as fast as the server answers, while admins refresh their page;
to SQLite, then to PostgreSQL if it is installed.
`kills` ends the server by SIGKILL, `restarts` ends PostgreSQL below it, and `full` fills a small file system
of its own (it needs the right to mount one). What was acknowledged must be in the export, exactly once.
`tasks` ends the server of a shared task and its workers; each submission must be scored, exactly once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from signal import SIGINT, SIGQUIT
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "packages/errata-gec-server/tests/support"))

import task_storm
import tasks
from campaign_faults import check_export, kill, restart, simulate, until_full
from campaigns import Made, Running, make, post_of
from errata.corpus.model import Corpus
from postgres import binaries, postgres, restartable_postgres


class Page:
    """One annotator's connection: HTTP/1.1 by hand, so that the client costs less than the server."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token, self.cookie = port, token, ""
        self.latencies: list[float] = []

    async def open(self, first: str = "/api/screen") -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        await self.request("POST", "/enter", {"token": self.token})
        self.screen = await self.request("GET", first)

    async def request(self, method: str, path: str, post: Any = None) -> Any:
        body = b"" if post is None else json.dumps(post).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {self.cookie}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        length = 0
        for line in answer.split("\r\n"):
            name, _, value = line.partition(": ")
            if name.lower() == "content-length":
                length = int(value)
            if name.lower() == "set-cookie":
                self.cookie = value.partition(";")[0]
        raw = await self.reader.readexactly(length)
        content = json.loads(raw) if "application/json" in answer else raw.decode()
        if " 200 " not in answer.split("\r\n")[0]:
            raise RuntimeError(f"{answer.splitlines()[0]}: {content}")
        return content

    async def judge(self) -> None:
        post = post_of(self.screen, key=uuid.uuid4().hex)
        begin = time.perf_counter()
        answer = await self.request("POST", "/api/judge", post)
        self.latencies.append(time.perf_counter() - begin)
        self.screen = answer["next"]

    async def work(self, end: float, pause: float, offset: float) -> None:
        """Judge until the time is up; with a pause, at a steady pace whatever the answers take."""
        due = time.perf_counter() + offset
        while time.perf_counter() < end and self.screen["state"] == "work":
            if pause:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                due += pause
            await self.judge()


def processor_seconds(process: int) -> float:
    """What a process has used of the processor so far; on a busy machine it says more than the clock."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def refresh(port: int, token: str, end: float) -> list[float]:
    """Open the admin's page every half a second; seconds of each."""
    page = Page(port, token)
    await page.open("/health")
    found = []
    while time.perf_counter() < end:
        begin = time.perf_counter()
        await page.request("GET", "/admin")
        found.append(time.perf_counter() - begin)
        await asyncio.sleep(0.5)
    return found


async def load(made: Made, running: Running, seconds: float, rate: float, admins: int) -> None:
    assert running.process is not None
    pages = [Page(running.port, token) for token in made.tokens.values()]
    for page in pages:
        await page.open()
    await asyncio.gather(*(page.work(time.perf_counter() + 2, 0.0, 0.0) for page in pages))  # warm up
    for name, per_second in (("steady", rate), ("closed loop", 0.0)):
        for page in pages:
            page.latencies.clear()
        pause = len(pages) / per_second if per_second else 0.0
        used, begin = processor_seconds(running.process.pid), time.perf_counter()
        watching = asyncio.gather(
            *(refresh(running.port, made.admin, begin + seconds) for _ in range(admins))
        )
        tasks = (page.work(begin + seconds, pause, i * pause / len(pages)) for i, page in enumerate(pages))
        await asyncio.gather(*tasks)
        looks = [look for found in await watching for look in found]
        elapsed, used = time.perf_counter() - begin, processor_seconds(running.process.pid) - used
        all_latencies = np.array([latency for page in pages for latency in page.latencies]) * 1000
        low, median, high, worst = np.percentile(all_latencies, [5, 50, 99, 100])
        print(
            f"{name:12} {len(pages):3} annotators  {len(all_latencies) / elapsed:7.0f} judgments/s   "
            f"ms: p5 {low:.1f}  p50 {median:.1f}  p99 {high:.1f}  max {worst:.1f}   "
            f"server: {1000 * used / len(all_latencies):.2f} ms processor each, {used / elapsed:.0%} busy   "
            f"load {os.getloadavg()[0]:.1f}"
        )
        if looks:
            print(
                f"{'':12} {admins:3} admins      {len(looks) / elapsed:7.1f} pages/s       "
                f"ms: p50 {1000 * np.percentile(looks, 50):.0f}  most {1000 * max(looks):.0f}"
            )


def run_load(arguments: argparse.Namespace) -> None:
    for name in ("sqlite", *(["postgresql"] if binaries() else [])):
        print(name)
        load_one(arguments, name == "postgresql")


def load_one(arguments: argparse.Namespace, on_postgres: bool) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = stack.enter_context(postgres()) if on_postgres else None
        names = [f"a{i}" for i in range(arguments.annotators)]
        made = make(folder, place=place, annotators=names, copies=1500, redundancy=10, controls=0)
        running = Running(made.place)
        running.start()
        try:
            asyncio.run(load(made, running, arguments.seconds, arguments.rate, arguments.admins))
        finally:
            running.kill()
        made.store.close()


def run_kills(arguments: argparse.Namespace) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = stack.enter_context(postgres()) if arguments.postgres else None
        names = [f"a{i}" for i in range(arguments.annotators)]
        screens = arguments.screens
        made = make(folder, place=place, annotators=names, copies=screens, redundancy=10, controls=0)
        begin = time.perf_counter()
        faults = [kill] * arguments.kills
        acknowledged = simulate(made, faults, limit=screens, seconds=arguments.seconds)
        check_export(made, acknowledged)
        made.store.close()
        report(f"{'postgresql' if place else 'sqlite'}, {arguments.kills} kills", acknowledged, begin)


def run_tasks(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        phase = {"name": "test", "shows": "leaderboard", "per_day": 100}
        made = tasks.make(Path(folder), phases=[phase])
        tokens = task_storm.enter_teams(made.store, arguments.teams)
        count = arguments.files
        files = {name: [tasks.output(count * i + n) for n in range(count)] for i, name in enumerate(tokens)}
        outcome = task_storm.storm(made, files, tokens, kills=arguments.kills, seconds=arguments.seconds)
        corpus = Corpus.from_lists(tasks.SOURCE, [[text] for text in tasks.GOOD])
        task_storm.check(made, outcome, corpus, ["gleu", "bleu"])
        made.store.close()
        print(f"{outcome.kills} killed: {count * arguments.teams} submissions, each scored exactly once")


def run_restarts(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder, restartable_postgres() as server:
        names = [f"a{i}" for i in range(arguments.annotators)]
        screens = arguments.screens
        made = make(
            Path(folder), place=server.url, annotators=names, copies=screens, redundancy=10, controls=0
        )
        made.store.close()
        begin = time.perf_counter()
        signals = [SIGINT if turn % 2 else SIGQUIT for turn in range(arguments.restarts)]
        faults = [partial(restart, server=server, signal=signal) for signal in signals]
        acknowledged = simulate(made, faults, limit=screens, seconds=arguments.seconds)
        check_export(made, acknowledged)
        made.store.close()
        report(f"postgresql, {arguments.restarts} restarts of it", acknowledged, begin)


def run_full(arguments: argparse.Namespace) -> None:
    """Fill a tmpfs: the disk is really full, for SQLite's log, its file and everything beside them."""
    with tempfile.TemporaryDirectory() as folder:
        mount = Path(folder) / "small"
        mount.mkdir()
        size = f"size={arguments.megabytes}m"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(mount)], check=True)
        try:
            place = str(mount / "campaign.db")
            made = make(Path(folder), place=place, annotators=["ann"], copies=500, repeats=0)
            made.store.close()
            begin = time.perf_counter()
            acknowledged = until_full(made, None)
            left = shutil.disk_usage(mount).free
            check_export(made, acknowledged)
            made.store.close()
            report(f"sqlite, until {left} of {arguments.megabytes} MB were free", acknowledged, begin)
        finally:
            subprocess.run(["umount", "-l", str(mount)], check=True)


def report(what: str, acknowledged: dict[str, list[int]], begin: float) -> None:
    print(
        f"{what}: {len(acknowledged)} judgments acknowledged in {time.perf_counter() - begin:.0f} s "
        f"(load {os.getloadavg()[0]:.1f}); each is in the export exactly once, and nothing else is"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_subparsers(required=True)
    first = what.add_parser("load")
    first.add_argument("--seconds", type=float, default=10)
    first.add_argument("--annotators", type=int, default=50)
    first.add_argument("--rate", type=float, default=320)
    first.add_argument("--admins", type=int, default=3)
    first.set_defaults(run=run_load)
    second = what.add_parser("kills")
    second.add_argument("--annotators", type=int, default=20)
    second.add_argument("--screens", type=int, default=200)
    second.add_argument("--kills", type=int, default=100)
    second.add_argument("--seconds", type=float, default=1200)
    second.add_argument("--postgres", action="store_true")
    second.set_defaults(run=run_kills)
    storm = what.add_parser("tasks")
    storm.add_argument("--teams", type=int, default=4)
    storm.add_argument("--files", type=int, default=20)
    storm.add_argument("--kills", type=int, default=50)
    storm.add_argument("--seconds", type=float, default=1200)
    storm.set_defaults(run=run_tasks)
    third = what.add_parser("restarts")
    third.add_argument("--annotators", type=int, default=10)
    third.add_argument("--screens", type=int, default=200)
    third.add_argument("--restarts", type=int, default=10)
    third.add_argument("--seconds", type=float, default=300)
    third.set_defaults(run=run_restarts)
    fourth = what.add_parser("full")
    fourth.add_argument("--megabytes", type=int, default=16)
    fourth.set_defaults(run=run_full)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
