"""The admin's page of a campaign with a million judgments: how long it takes, and what it reads.

    python benchmarks/campaign_admin.py [--judgments 1000000] [--annotators 50] [--folder FOLDER]

Judgments are written straight into the database, as many annotators would have made them. Then the campaign
is served: first by a server that has to count everything, then by one that finds the figures of the first,
while annotators go on judging. With --folder the database is kept and used again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
import uuid
from pathlib import Path

import httpx
import numpy as np
import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from campaign import Page, processor_seconds

from campaigns import Made, Running, make
from errata_server.campaign import schema
from errata_server.campaign.figures import Figures

REDUNDANCY = 4


def build(folder: Path, judgments: int, annotators: int) -> Made:
    """A campaign in which `annotators` have given `judgments` answers, and some work is left."""
    segments = judgments // REDUNDANCY + 5000
    names = [f"a{i}" for i in range(annotators)]
    made = make(folder, annotators=names, copies=-(-segments // 6), redundancy=REDUNDANCY, controls=0.05)
    random = np.random.default_rng(1)
    with made.store.read() as connection:
        query = sa.select(schema.items.c.id, schema.items.c.content).order_by(schema.items.c.id)
        items = [(row.id, len(json.loads(row.content)["cards"])) for row in connection.execute(query)]
    position = [0] * annotators
    done = 0
    while done < judgments:
        given, rows = [], []
        for n in range(done, min(done + 20_000, judgments)):
            item, cards = items[n // REDUNDANCY]
            who = (n // REDUNDANCY + n % REDUNDANCY * 7) % annotators
            position[who] += 1
            shown = json.dumps(list(range(cards)))
            given.append(
                {"id": n + 1, "annotator": who + 1, "position": position[who], "item": item, "repeat": False,
                 "proposal": None, "shown": shown, "answered": True}
            )  # fmt: skip
            ranks = random.integers(1, cards + 1, cards).tolist()
            seconds = float(random.integers(20, 900) / 10)
            rows.append(
                {"id": n + 1, "key": uuid.uuid4().hex, "assignment": n + 1, "annotator": who + 1,
                 "item": item, "version": "x", "revision": 1, "answer": json.dumps({"ranks": ranks}),
                 "shown": shown, "skipped": None, "comment": "", "seconds": seconds,
                 "created": "2026-01-01T00:00:00.000Z"}
            )  # fmt: skip
        with made.store.write() as connection:
            connection.execute(sa.insert(schema.assignments), given)
            connection.execute(sa.insert(schema.judgments), rows)
            counts: dict[int, int] = {}
            for row in given:
                counts[row["item"]] = counts.get(row["item"], 0) + 1
            connection.execute(
                sa.update(schema.items)
                .where(schema.items.c.id == sa.bindparam("number"))
                .values(assigned=schema.items.c.assigned + sa.bindparam("more")),
                [{"number": item, "more": more} for item, more in counts.items()],
            )
        done += len(rows)
    people = schema.annotators
    with made.store.write() as connection:
        for number, count in enumerate(position, start=1):
            connection.execute(sa.update(people).where(people.c.id == number).values(given=count, done=count))
    return made


async def look(client: httpx.AsyncClient, times: int, pause: float) -> list[float]:
    """Open the page again and again; seconds of each."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        response = await client.get("/admin")
        response.raise_for_status()
        found.append(time.perf_counter() - begin)
        await asyncio.sleep(pause)
    return found


def show(name: str, seconds: list[float]) -> None:
    low, median, high = np.percentile(np.array(seconds) * 1000, [0, 50, 100])
    times = f"ms: least {low:.0f}  median {median:.0f}  most {high:.0f}"
    print(f"{name:46} {len(seconds):3} looks  {times}   load {os.getloadavg()[0]:.1f}", flush=True)


async def measure(made: Made, running: Running, admin: str, counting: bool) -> None:
    limits = httpx.Limits(max_connections=10)
    async with httpx.AsyncClient(base_url=running.url, trust_env=False, timeout=60, limits=limits) as client:
        (await client.post("/enter", json={"token": admin})).raise_for_status()
        if counting:
            begin, used = time.perf_counter(), processor_seconds(running.process.pid)
            seconds = []
            while True:
                seconds += await look(client, 1, 0.5)
                page = (await client.get("/admin")).text
                if "Still counting" not in page:
                    break
            show("while everything is counted for the first time", seconds)
            elapsed, used = time.perf_counter() - begin, processor_seconds(running.process.pid) - used
            print(f"counted within {elapsed:.0f} s ({used:.0f} s of processor time)")
        else:
            show("first look at a server that was just started", await look(client, 1, 0))
        await asyncio.sleep(2.5)
        show("nobody works", await look(client, 20, 0.5))
        pages = [Page(running.port, token) for token in made.tokens.values()]
        for page in pages:
            await page.open()
        rows = re.search(r"<strong>(\d+)</strong> rows", (await client.get("/admin")).text)
        end = time.perf_counter() + 15
        work = asyncio.gather(*(page.work(end, 1.0, i / len(pages)) for i, page in enumerate(pages)))
        looks = await asyncio.gather(*(look(client, 14, 1.0) for _ in range(3)))
        await work
        seconds = [second for found in looks for second in found]
        show(f"{len(pages)} annotators judge, 3 admins look", seconds)
        latencies = np.array([latency for page in pages for latency in page.latencies]) * 1000
        print(
            f"their {len(latencies)} judgments in 15 s: p50 {np.percentile(latencies, 50):.0f} ms, "
            f"p99 {np.percentile(latencies, 99):.0f} ms; rows before: {rows and rows.group(1)}; "
            f"load {os.getloadavg()[0]:.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        begin = time.perf_counter()
        made = build(folder, arguments.judgments, arguments.annotators)
        print(f"{arguments.judgments} judgments written in {time.perf_counter() - begin:.0f} s", flush=True)
        made.store.close()
        for counting in (True, False):
            running = Running(made.place)
            running.start(seconds=300)
            try:
                asyncio.run(measure(made, running, made.admin, counting))
            finally:
                running.stop()
        with made.store.report() as connection:
            figures = Figures(made.store, connection)
            print(f"figures stored up to judgment {figures.upto}, {len(figures.sums)} sums")
        made.store.close()


if __name__ == "__main__":
    main()
