import pytest

from corollary.errors import InputError
from corollary.theory.prerequisites.sigma_algebra import (
    FiniteMeasure,
    SigmaAlgebra,
    is_measurable,
)

DICE = [(i, j) for i in range(1, 7) for j in range(1, 7)]


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_a_partition_of_k_blocks_generates_two_to_the_k_events(k):
    blocks = [{2 * i, 2 * i + 1} for i in range(k)]
    F = SigmaAlgebra.generate(range(2 * k), blocks)
    assert len(F.members) == 2**k and F.is_valid()


def test_the_examples_of_the_notes():
    omega = {1, 2, 3, 4}
    trivial = SigmaAlgebra.generate(omega)
    assert trivial.members == {frozenset(), frozenset(omega)}
    power = SigmaAlgebra.generate(omega, [{i} for i in omega])
    assert len(power.members) == 16
    halves = SigmaAlgebra.generate(omega, [{1, 2}, {3, 4}])
    assert halves.members == {frozenset(s) for s in (set(), {1, 2}, {3, 4}, omega)}
    one = SigmaAlgebra.generate(omega, [{1}])
    assert one.members == {frozenset(s) for s in (set(), {1}, {2, 3, 4}, omega)}


def test_the_sum_of_dice_is_measurable_for_its_events_and_not_for_the_trivial_algebra():
    sums = [{d for d in DICE if sum(d) == s} for s in range(2, 13)]
    assert is_measurable(sum, SigmaAlgebra.generate(DICE, sums)).holds
    found = is_measurable(sum, SigmaAlgebra.generate(DICE))
    assert not found.holds and found.witness == {(1, 1)} and found.value == 2


def test_for_the_power_set_everything_is_measurable():
    coin = SigmaAlgebra.generate(["h", "t"], [{"h"}, {"t"}])
    assert is_measurable(hash, coin).holds
    assert is_measurable(lambda point: 0, SigmaAlgebra.generate(DICE)).holds


def test_a_collection_that_lacks_something_is_rejected():
    whole, one = frozenset({1, 2, 3}), frozenset({1})
    lacks = SigmaAlgebra(whole, frozenset({frozenset(), whole, one}))
    assert not lacks.is_valid() and "complement of {1}" in lacks.violation()
    assert "omega" in SigmaAlgebra(whole, frozenset({frozenset()})).violation()
    four = frozenset(range(4))
    members = [set(), four, {0}, {1, 2, 3}, {1}, {0, 2, 3}]
    assert "union" in SigmaAlgebra(four, frozenset(map(frozenset, members))).violation()


def test_the_fair_die():
    die = FiniteMeasure({i: 1 / 6 for i in range(1, 7)})
    assert die.probability({2, 4, 6}) == pytest.approx(0.5, abs=1e-15)
    assert die.probability(range(1, 7)) == pytest.approx(1)
    assert die.probability([]) == 0 and die.probability({7}) == 0
    assert die.expectation(float) == pytest.approx(3.5)


def test_what_is_no_measure_is_refused():
    with pytest.raises(InputError, match="must not be negative"):
        FiniteMeasure({"a": 1.5, "b": -0.5})
    with pytest.raises(InputError, match="must sum to 1"):
        FiniteMeasure({"a": 0.5})
    with pytest.raises(InputError, match="must not be negative"):
        FiniteMeasure({"a": float("nan")})
    with pytest.raises(InputError, match="must lie in omega"):
        SigmaAlgebra.generate({1, 2}, [{3}])
    with pytest.raises(InputError, match="2\\^n events, got 30"):
        SigmaAlgebra.generate(range(30), [{i} for i in range(30)])
