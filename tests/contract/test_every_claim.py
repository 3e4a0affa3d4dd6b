"""The contract every claim keeps; a new file is covered the day it appears."""

import json
import math

import pytest

from corollary.core import Figure, Result, Verdict, generator
from corollary.core.relations import Bound
from corollary.registry import COSTS, Entry
from corollary.run.check import COST_SECONDS

KINDS = {
    "algorithm", "bound", "construction", "counterexample", "experiment", "identity", "limit",
    "rate", "theorem",
}  # fmt: skip
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


def test_it_holds_at_its_defaults(tried):
    assert tried.result.verdict in (Verdict.HOLDS, Verdict.VACUOUS), tried.result.sentence


def test_it_keeps_its_cost(entry: Entry, tried):
    assert tried.seconds <= SLOWDOWN * COST_SECONDS[entry.cost] + START_UP


def test_it_gives_the_same_result_for_the_same_seed(tried):
    again = tried.claim.check(seed=0)
    assert json.dumps(again.to_json()) == json.dumps(tried.result.to_json())


def test_it_goes_to_json_and_back(tried):
    text = json.dumps(tried.result.to_json(), allow_nan=False)
    assert json.dumps(Result.from_json(json.loads(text)).to_json()) == text


def test_its_figures_have_labelled_axes_and_marks(tried):
    assert tried.result.figures
    for figure in tried.result.figures:
        assert isinstance(figure, Figure)
        assert figure.title and figure.x and figure.y
        unlabelled = [m for m in figure.marks if not getattr(m, "label", "")]
        assert not unlabelled, "each mark has a label"


def test_a_bound_is_near_its_measurement(tried):
    ratio = tried.result.ratio
    if isinstance(tried.claim.relation, Bound) and ratio is not None and math.isfinite(ratio):
        assert abs(ratio) >= 1e-3 and abs(ratio) <= 1e3, f"measured/predicted is {ratio:.2g}"


def test_a_wrong_prediction_is_noticed(tried, record_property):
    relation = tried.claim.relation
    trials = [(relation, mutant) for mutant in relation.mutants(tried.predicted)]
    if isinstance(relation, Bound):
        trials.append((relation.swapped(), tried.predicted))
    assert trials, "the relation names no wrong prediction"
    verdicts = [r.compare(wrong, tried.measured).verdict for r, wrong in trials]
    record_property("mutants_made", len(trials))
    record_property("mutants_caught", sum(v is not Verdict.HOLDS for v in verdicts))
    missed = [wrong for v, (_, wrong) in zip(verdicts, trials, strict=True) if v is Verdict.HOLDS]
    assert not missed, f"these wrong predictions still hold: {missed}"


def test_its_counterexample_breaks_a_hypothesis_and_the_conclusion(entry: Entry, tried):
    claim = tried.claim
    given = claim.counterexample(generator(0, claim.name(), "counterexample"))
    if given is None:
        assert entry.fields.get("no-counterexample"), (
            "a claim without a counterexample says why in its field :no-counterexample:"
        )
        pytest.skip("no counterexample: " + entry.fields["no-counterexample"])
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    refuted = tried.result.counterexample
    assert refuted is not None and refuted.broken
    assert refuted.fails, f"the conclusion still holds: {refuted.sentence}"
