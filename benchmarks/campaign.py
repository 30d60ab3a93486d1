"""The campaign server under load, and under repeated SIGKILL; loopback only, every loop bounded.

    python benchmarks/campaign.py load [--seconds 10] [--annotators 50] [--rate 300]
    python benchmarks/campaign.py kills [--annotators 20] [--screens 200] [--postgres]

`load` sends judgments as the pages do (one POST each, answered with the next screen) over keep-alive
connections: first at a steady rate, then as fast as the server answers. `kills` is the simulation of the
test suite at full size.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from campaigns import Made, Running, make, post_of
from postgres import postgres


class Page:
    """One annotator's connection: HTTP/1.1 by hand, so that the client costs less than the server."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token, self.cookie = port, token, ""
        self.latencies: list[float] = []

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        await self.request("POST", "/enter", {"token": self.token})
        self.screen = await self.request("GET", "/api/screen")

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
        content = json.loads(await self.reader.readexactly(length))
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


async def load(made: Made, running: Running, seconds: float, rate: float) -> None:
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
        tasks = (page.work(begin + seconds, pause, i * pause / len(pages)) for i, page in enumerate(pages))
        await asyncio.gather(*tasks)
        elapsed, used = time.perf_counter() - begin, processor_seconds(running.process.pid) - used
        all_latencies = np.array([latency for page in pages for latency in page.latencies]) * 1000
        low, median, high, worst = np.percentile(all_latencies, [5, 50, 99, 100])
        print(
            f"{name:12} {len(pages):3} annotators  {len(all_latencies) / elapsed:7.0f} judgments/s   "
            f"ms: p5 {low:.1f}  p50 {median:.1f}  p99 {high:.1f}  max {worst:.1f}   "
            f"server: {1000 * used / len(all_latencies):.2f} ms processor each, {used / elapsed:.0%} busy"
        )


def run_load(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = [f"a{i}" for i in range(arguments.annotators)]
        made = make(Path(folder), annotators=names, copies=1000, redundancy=10, controls=0)
        running = Running(made.place)
        running.start()
        try:
            asyncio.run(load(made, running, arguments.seconds, arguments.rate))
        finally:
            running.kill()
        made.store.close()


def run_kills(arguments: argparse.Namespace) -> None:
    from test_campaign_kills import check_export, simulate

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = stack.enter_context(postgres()) if arguments.postgres else None
        names = [f"a{i}" for i in range(arguments.annotators)]
        screens = arguments.screens
        made = make(folder, place=place, annotators=names, copies=screens, redundancy=10, controls=0)
        begin = time.perf_counter()
        acknowledged = simulate(made, limit=screens, kills=arguments.kills, seconds=arguments.seconds)
        check_export(made, acknowledged)
        made.store.close()
        print(
            f"{'postgresql' if place else 'sqlite'}: {len(acknowledged)} judgments by {len(names)} people "
            f"acknowledged through {arguments.kills} kills in {time.perf_counter() - begin:.0f} s; "
            "each is in the export exactly once"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_subparsers(required=True)
    first = what.add_parser("load")
    first.add_argument("--seconds", type=float, default=10)
    first.add_argument("--annotators", type=int, default=50)
    first.add_argument("--rate", type=float, default=320)
    first.set_defaults(run=run_load)
    second = what.add_parser("kills")
    second.add_argument("--annotators", type=int, default=20)
    second.add_argument("--screens", type=int, default=200)
    second.add_argument("--kills", type=int, default=6)
    second.add_argument("--seconds", type=float, default=300)
    second.add_argument("--postgres", action="store_true")
    second.set_defaults(run=run_kills)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
