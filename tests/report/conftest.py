"""Figures of every kind and a run with every verdict."""

import math
import random

import pytest

from corollary.core import (
    Band,
    Curve,
    Figure,
    Graph,
    HeatMap,
    Histogram,
    Hypothesis,
    Image,
    Level,
    Points,
    Reading,
    Refutation,
    Regions,
    Result,
    Verdict,
)
from corollary.run.results import Run

EVIL = "<script>alert('x')</script>&\"'"


def every_mark() -> dict[str, Figure]:
    draw = random.Random(0)
    x = [i / 20 for i in range(1, 101)]
    grid = [[math.sin(i / 3) * math.cos(j / 4) for j in range(30)] for i in range(20)]
    squares = [[(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)] for i in range(3) for j in range(2)]
    marks = {
        "curve": (Curve([v * v for v in x], x=x, label="v²"),),
        "points": (Points(x, x, label="dots", low=[v - 1 for v in x], high=[v + 1 for v in x]),),
        "band": (Band(x, [-v for v in x], x, label="spread"), Curve(x, x=x, role="predicted")),
        "level": (Level(2.0, label="y"), Level(1.0, axis="x", label="x", role="other")),
        "histogram": (Histogram([draw.gauss(0, 1) for _ in range(500)], label="draws"),),
        "heat map": (HeatMap(grid, x=(-1, 1), y=(0, 5), label="f"),),
        "image": (Image([[0.0, 1.0], [0.5, 0.2]], label="pattern"),),
        "regions": (Regions(squares, label="in turn"),),
        "valued regions": (Regions(squares, values=[draw.random() for _ in squares], label="v"),),
        "graph": (Graph([0, 1, 2], [0, 1, 0], [(0, 1), (1, 2)], weights=[1, -2], names="abc"),),
        "many dots": (Points(*([draw.gauss(0, 1) for _ in range(2000)] for _ in "xy"), label="d"),),
    }
    return {name: Figure(name, x="x_1", y="y", marks=m) for name, m in marks.items()}


def result(verdict: Verdict, name: str = "area/made_up", **changes) -> Result:
    compared = verdict not in (Verdict.CRASHED, Verdict.INAPPLICABLE)
    facts = {
        "name": name,
        "title": f"A statement that {verdict}",
        "verdict": verdict,
        "seed": 3,
        "parameters": {"n": 20, "sizes": (4, 8)},
        "hypotheses": (Hypothesis("the margin is positive", compared, "margin 0.1"),),
        "relation": "≤" if compared else "",
        "tolerance": "none" if compared else "",
        "predicted": (100.0,) if compared else (),
        "measured": (Reading(25.0, 20.0, 30.0),) if compared else (),
        "ratio": 0.25 if compared else None,
        "note": "ValueError: no" if verdict is Verdict.CRASHED else "",
        "counterexamples": (
            Refutation(
                ("the margin is positive",),
                "One point has both labels.",
                (9.0,),
                (Reading(50.0, 50.0, 50.0),),
                0,
                50 / 9,
                True,
            ),
        ),
        "figures": (every_mark()["curve"],),
    }
    return Result(**(facts | changes))


ENVIRONMENT = {"corollary": "0.1.0", "torch": "2.13.0", "threads": 2, "dtype": "float64"}


@pytest.fixture
def run() -> Run:
    results = [result(v, f"area/case_{v}") for v in Verdict]
    novikoff = result(Verdict.HOLDS, "connectionism/novikoff")
    return Run(ENVIRONMENT, 3, (*results, novikoff))


@pytest.fixture
def make_result():
    return result


@pytest.fixture(params=sorted(every_mark()))
def figure(request) -> Figure:
    return every_mark()[request.param]
