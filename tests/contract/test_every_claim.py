"""The contract every claim keeps; a new file is covered the day it appears."""

import json

import pytest

from corollary.core import Result
from corollary.core.contract import RULES, Case, covers_what_it_runs, wrong_predictions
from corollary.core.verdict import Verdict
from corollary.registry import COSTS, Entry, places
from corollary.run.check import COST_SECONDS

KINDS = {
    *("algorithm", "bound", "construction", "counterexample", "experiment"),
    *("identity", "limit", "rate", "theorem"),
}
# CPU seconds on a loaded machine are up to twice those of a quiet one (shared caches), and the
# first claim of a process pays for imports and compiled kernels.
SLOWDOWN, START_UP = 2.0, 4.0


def test_the_head_is_complete(entry: Entry):
    assert entry.title and entry.statement, "a title line and a statement"
    assert entry.source and ("(" in entry.source), "a source with a year"
    assert entry.kind in KINDS
    assert entry.cost in COSTS
    assert bool(entry.covers) != bool(entry.beyond), (
        "the results of the notes that this claim shows, or why it goes beyond them"
    )
    assert entry.hypotheses, "at least one hypothesis, as a literal sentence"
    assert all(option.meaning for option in entry.options), "each option says what it means"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_it_keeps(rule, case: Case):
    assert list(rule(case)) == []


def test_it_keeps_its_cost(entry: Entry, tried, slowness):
    allowed = SLOWDOWN * COST_SECONDS[entry.cost] + START_UP
    assert tried.seconds <= allowed or tried.seconds <= slowness() * allowed


def test_it_goes_to_json_and_back(case: Case):
    text = json.dumps(case.result.to_json(), allow_nan=False)
    assert json.dumps(Result.from_json(json.loads(text)).to_json()) == text


def test_wrong_predictions_are_counted(case: Case, record_property):
    verdicts = [
        r.compare(wrong, case.tightest.measured).verdict for r, wrong in wrong_predictions(case)
    ]
    record_property("mutants_made", len(verdicts))
    record_property("mutants_caught", sum(v is not Verdict.HOLDS for v in verdicts))
    assert verdicts, "the relation names no wrong prediction"


def test_it_runs_what_it_covers(entry: Entry, case: Case):
    elsewhere = {slug: [] for slug in entry.covers}
    for place in places():
        if place.slug in elsewhere and "claims" not in place.path.parts and not place.test:
            elsewhere[place.slug].append((str(place.path), place.object))
    assert list(covers_what_it_runs(case, elsewhere)) == []
