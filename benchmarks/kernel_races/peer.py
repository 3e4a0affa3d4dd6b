"""neural-tangents as a contender, in a process of its own.

neural-tangents 0.6.5 needs jax 0.4.23 and an environment of its own (how: see
peers/neural_tangents_values.py). Name its Python in the variable NEURAL_TANGENTS_PYTHON; without it
only our own paths race. It is pinned to the same core and is asked for one call at a time, so
contenders alternate; its clock is its own CPU time, after compilation.
"""

import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import torch
from race import Lap, Race, race

from corollary.core import generator

ROUNDS = 5


class Peer:
    """A running neural-tangents that times what it is asked for, in one precision."""

    def __init__(self, bits: int) -> None:
        python = os.environ.get("NEURAL_TANGENTS_PYTHON", "")
        self.process = None
        if python:
            script = Path(__file__).parents[1] / "peers" / "neural_tangents_server.py"
            self.process = subprocess.Popen(
                [python, str(script), str(bits)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )

    def seconds(self, case: str) -> float:
        """CPU seconds of one call of a case; the first call compiles and is not counted."""
        self.process.stdin.write(case + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


@cache
def peer_of(bits: int) -> Peer:
    """The peer of a precision, started when it is first asked for."""
    return Peer(bits)


def inputs(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    """Gaussian inputs."""
    return torch.randn(*shape, generator=generator(0, "benchmark", *shape), dtype=dtype)


def against_peer(title: str, case: str, ours: dict[str, Callable], floor: str | None) -> Race:
    """Race our paths, with rounds of the peer in between."""
    rounds = 1 if "gap" in case else ROUNDS
    peer = peer_of(64 if "64" in case.split() else 32)
    if peer.process is None:
        return race(title, ours, reference=next(iter(ours)), floor=floor, rounds=ROUNDS)
    peer.seconds(case)  # compiles
    laps, theirs = [], []
    for _ in range(rounds):
        theirs.append(peer.seconds(case))
        laps.append(race(title, ours, reference=next(iter(ours)), floor=floor, rounds=2))
    reference = min(theirs)
    merged = [Lap("neural-tangents 0.6.5", reference, sorted(theirs)[len(theirs) // 2], 1.0, None)]
    for k, name in enumerate(ours):
        best = min(run.laps[k].seconds for run in laps)
        typical = sorted(run.laps[k].seconds for run in laps)[rounds // 2]
        merged.append(Lap(name, best, typical, reference / best, None))
    return Race(title, "neural-tangents 0.6.5", rounds, tuple(merged), {"case": case})
