"""The grammar of proofs: chains, slacks, and the changes that must be noticed."""

from types import SimpleNamespace

import pytest
import sympy
import torch

from corollary.core import eq, ge, le, let
from corollary.core.derivation import derive, link, mutants
from corollary.core.proof import steps
from corollary.registry import claim


def only(*lines):
    (step,) = steps(lines)
    return step


def test_a_chain_goes_on_from_the_side_it_reached():
    lines = ["Words.", let("a", 1.0), le("b", 2.0, "x"), "More.", let("c", 3.0), eq("d", 3.0, "y")]
    first, second = steps(lines)
    assert (first.left.tex, first.right.tex, first.words, first.begins) == (
        "a",
        "b",
        "Words.",
        True,
    )
    assert (second.left.tex, second.words, second.by) == ("c", "More.", "y")


def test_the_slack_is_a_share_of_the_larger_side():
    found = link(only(let("a", 3.0), le("b", 4.0, "")))
    assert found.holds and found.slack == pytest.approx(0.25) and found.values == (3.0, 4.0)
    assert not link(only(let("a", 3.0), ge("b", 4.0, ""))).holds


def test_every_entry_counts_and_the_worst_is_shown():
    left, right = torch.tensor([1.0, 5.0, 2.0]), torch.tensor([2.0, 3.0, 3.0])
    found = link(only(let("a", left), le("b", right, "")))
    assert not found.holds and found.values == (5.0, 3.0) and found.entries == 3


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_a_number_proves_nothing(value):
    assert not link(only(let("a", 1.0), le("b", value, ""))).holds


def test_complex_numbers_are_compared_part_by_part():
    turn = torch.tensor([1j, -1.0], dtype=torch.complex128)
    assert link(only(let("a", turn), eq("b", turn * turn * turn.conj(), ""))).holds
    assert not link(only(let("a", turn), eq("b", turn.conj(), ""))).holds


def test_symbols_are_decided_exactly():
    x = sympy.Symbol("x")
    step = only(let("a", (x + 1) ** 2), eq("b", x**2 + 2 * x + 1, ""))
    assert link(step).holds and link(step).values is None
    assert not any(link(mutant).holds for _, mutant in mutants(step))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("how", [eq, le, ge])
def test_a_step_that_is_attained_notices_every_change(how, sign):
    step = only(let("a", sign * 7.0), how("b", sign * 7.0, ""))
    found = dict(mutants(step))
    assert set(found) == {"constant", "sign", "exponent"}
    assert not any(link(mutant).holds for mutant in found.values())


def test_a_step_that_is_loose_is_changed_by_more():
    step = only(let("a", 1.0), le("b", 3.0, "", loose=3.0))
    assert not link(dict(mutants(step))["constant"]).holds
    tighter = only(let("a", 1.0), le("b", 3.0, ""))
    assert link(dict(mutants(tighter))["constant"]).holds  # which a test of the proof would report


def test_what_breaks_a_hypothesis_breaks_a_step():
    def proof(given):
        yield let("n", len(given.x))
        yield eq("200", 200.0, "as many as are drawn")

    module = SimpleNamespace(__doc__="The idea.\n\nMore.", proof=proof)
    found = derive(claim("novikoff")(), module)
    assert found.holds and found.idea == "The idea."
    assert [(b.step, b.error) for b in found.without] == [(0, "")]


def test_a_proof_that_cannot_go_on_without_a_hypothesis_says_why():
    def proof(given):
        yield let("n", len(given.x))
        yield le("201", 201.0, "one more at most")
        if len(given.x) > 200:
            raise ValueError("no way on\nin many words")

    found = derive(claim("novikoff")(), SimpleNamespace(__doc__="", proof=proof))
    assert [(b.step, b.error) for b in found.without] == [(1, "no way on")]
