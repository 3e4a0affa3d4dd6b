"""The lab under load: many clients, long claims beside short ones, and half an hour of use.

python benchmarks/lab_load.py load --clients 100 --seconds 60
python benchmarks/lab_load.py starve
python benchmarks/lab_load.py soak --minutes 30

Each starts a lab of its own. Latency depends on what else the machine does, so the load average is
printed, and with it the CPU time that the server took per request, which does not.
"""

import argparse
import asyncio
import json
import os
import random
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression, quantiles
from typing import Any

from lab_clients import Client, LabProcess, Refused
from rich.console import Console
from rich.table import Table

SHORT = {"name": "connectionism/novikoff", "options": {"n": "40"}}
LONG = {"name": "networks/weight_decay_fixed_points", "options": {"steps": "100000000"}}
ACTIONS = {  # what a client does next, and how often
    "page": (45, ("/", "/claim/connectionism/novikoff", "/play", "/examine")),
    "file": (30, ("/static/lab.css", "/static/page.js", "/static/report.css")),
    "catalogue": (15, ("/api/entries", "/api/verdicts")),
    "check": (5, ()),
    "stream": (5, ()),
}
READING = ("page", "file", "catalogue")  # what needs no worker
PAUSE = 1.0  # seconds between two actions of a client, on average
P95 = 0.100  # seconds within which 95 % of what needs no worker is answered
WITHIN = 2.0  # seconds within which a short claim is answered beside two long ones


@dataclass
class Tally:
    """What happened to the requests of one kind."""

    seconds: list[float] = field(default_factory=list)
    refused: int = 0
    errors: list[str] = field(default_factory=list)

    def percentile(self, share: int) -> float:
        """That many percent of the answers took at most so many seconds."""
        return quantiles(self.seconds, n=100)[share - 1] if len(self.seconds) > 1 else float("nan")


async def load(lab: LabProcess, clients: int, seconds: float) -> dict[str, Tally]:
    """Clients that act, wait, and act again."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    first = Client(lab)
    await first.post("/api/check", **SHORT)  # workers are warm
    session = (await first.post("/api/play", settings={}))["session"]
    await first.post(f"/api/sessions/{session}", do="run")
    ends = time.monotonic() + seconds
    await asyncio.gather(*(live(lab, session, tallies, k, ends) for k in range(clients)))
    await first.close()
    return tallies


async def live(
    lab: LabProcess, session: str, tallies: dict[str, Tally], seed: int, ends: float
) -> None:
    """One client until time is up."""
    draw, client = random.Random(seed), Client(lab)
    kinds = list(ACTIONS)
    await asyncio.sleep(draw.uniform(0, PAUSE))
    while time.monotonic() < ends:
        (kind,) = draw.choices(kinds, [ACTIONS[k][0] for k in kinds])
        start, tally = time.perf_counter(), tallies[kind]
        try:
            if kind == "check":
                await client.post("/api/check", **SHORT, seed=draw.randrange(1000))
            elif kind == "stream":
                await Client(lab).watch(session, events=3)
            else:
                await client.ask("GET", draw.choice(ACTIONS[kind][1]))
            tally.seconds.append(time.perf_counter() - start)
        except Refused:
            tally.refused += 1
        except Exception as error:
            tally.errors.append(f"{type(error).__name__}: {error}")
            await client.close()
        await asyncio.sleep(draw.uniform(0, 2 * PAUSE))
    await client.close()


def run_load(console: Console, clients: int, seconds: float) -> dict[str, Any]:
    """Print the table of one load."""
    with LabProcess() as lab:
        before, cpu = lab.megabytes, lab.cpu_seconds
        tallies = asyncio.run(load(lab, clients, seconds))
        cpu, after = lab.cpu_seconds - cpu, lab.megabytes
    table = Table("kind", "answered", "refused", "errors", "p50 ms", "p95 ms", "p99 ms")
    for kind in ACTIONS:
        t = tallies[kind]
        times = [f"{1e3 * t.percentile(share):.0f}" for share in (50, 95, 99)]
        table.add_row(kind, *map(str, (len(t.seconds), t.refused, len(t.errors))), *times)
    console.print(table)
    errors = [error for t in tallies.values() for error in t.errors]
    read = Tally([s for kind in READING for s in tallies[kind].seconds])
    requests = sum(len(t.seconds) + t.refused for t in tallies.values())
    console.print(
        f"{clients} clients, {seconds:g} s: {requests} requests, {len(errors)} errors; "
        f"p95 of what needs no worker {1e3 * read.percentile(95):.0f} ms (target {1e3 * P95:g}); "
        f"server {1e3 * cpu / requests:.1f} CPU ms per request, {before:.0f} -> {after:.0f} MB; "
        f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    for error in sorted(set(errors))[:5]:
        console.print(error)
    return {
        "clients": clients,
        "seconds": seconds,
        "requests": requests,
        "errors": len(errors),
        "refused": sum(t.refused for t in tallies.values()),
        "p95": read.percentile(95),
        "cpu": cpu,
        "megabytes": [before, after],
        "load": os.getloadavg()[0],
    }


async def starve(lab: LabProcess, times: int) -> list[float]:
    """Seconds of short claims, one after the other, while two long ones run."""
    client, others = Client(lab), [Client(lab), Client(lab)]
    await client.post("/api/check", **SHORT)
    long = [asyncio.ensure_future(other.post("/api/check", **LONG)) for other in others]
    took = []
    for seed in range(times):
        start = time.perf_counter()
        await client.post("/api/check", **SHORT, seed=seed)
        took.append(time.perf_counter() - start)
        await asyncio.sleep(0.5)
    assert not any(run.done() for run in long), "the long claims should still run"
    for run in long:
        run.cancel()
    for one in (client, *others):
        await one.close()
    return took


def run_starve(console: Console, times: int) -> dict[str, Any]:
    """Print how long short claims take beside long ones."""
    with LabProcess() as lab:
        took = asyncio.run(starve(lab, times))
    console.print(
        f"{times} short claims beside two long ones: median {sorted(took)[times // 2]:.2f} s, "
        f"longest {max(took):.2f} s (target {WITHIN:g} s); load average {os.getloadavg()[0]:.1f}"
    )
    return {"seconds": took}


async def soak(
    console: Console, lab: LabProcess, minutes: float, pause: float
) -> list[list[float]]:
    """Start, train, watch and stop playgrounds, check claims, open pages; note what is held."""
    client, rows, start = Client(lab), [], time.monotonic()
    said = -60.0
    while (now := time.monotonic() - start) < 60 * minutes:
        session = (await client.post("/api/play", settings={"seed": len(rows) % 100}))["session"]
        await client.post(f"/api/sessions/{session}", do="run")
        await Client(lab).watch(session, events=8)
        await client.post(f"/api/sessions/{session}", do="stop")
        await client.post("/api/check", **SHORT, seed=len(rows))
        for path in ACTIONS["page"][1]:
            await client.ask("GET", path)
        rows.append([now, lab.megabytes, lab.descriptors, lab.workers])
        if now - said >= 60:
            said = now
            console.print("{:6.0f} s {:7.1f} MB {:4d} files {:2d} workers".format(*rows[-1]))
        await asyncio.sleep(pause)
    await client.close()
    return rows


def run_soak(console: Console, minutes: float, pause: float) -> dict[str, Any]:
    """Print how memory went over the time; the first fifth, which fills caches, is left out."""
    with LabProcess() as lab:
        rows = asyncio.run(soak(console, lab, minutes, pause))
    settled = rows[len(rows) // 5 :]
    slope = linear_regression([r[0] for r in settled], [r[1] for r in settled]).slope
    console.print(
        f"{len(rows)} cycles in {minutes:g} minutes: "
        f"{settled[0][1]:.1f} -> {settled[-1][1]:.1f} MB, "
        f"{3600 * slope:+.2f} MB per hour; files {settled[0][2]} -> {settled[-1][2]}; "
        f"at most {max(r[3] for r in rows):g} workers"
    )
    return {"minutes": minutes, "cycles": len(rows), "slope": 3600 * slope, "rows": rows}


def main() -> None:
    """Run one of the three, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["load", "starve", "soak"], nargs="?", default="load")
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the load")
    parser.add_argument("--times", type=int, default=20, help="short claims beside long ones")
    parser.add_argument("--minutes", type=float, default=30.0, help="of the soak")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between its cycles")
    parser.add_argument("--json", type=Path)
    given, console = parser.parse_args(), Console()
    if given.what == "load":
        record = run_load(console, given.clients, given.seconds)
    elif given.what == "starve":
        record = run_starve(console, given.times)
    else:
        record = run_soak(console, given.minutes, given.pause)
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps({"what": given.what, **record}, indent=1))


if __name__ == "__main__":
    main()
