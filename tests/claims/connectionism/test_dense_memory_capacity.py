import pytest

from corollary.claims.connectionism.dense_memory_capacity import DenseMemoryCapacity, Given
from corollary.core import Verdict, generator
from corollary.theory.connectionism.hopfield.dense import dense_bit_error


def test_wrong_bits_are_as_rare_as_the_formula_says():
    found = Given((64,), 3, 20).wrong_bits(64, 300, generator(0))
    assert found == pytest.approx(dense_bit_error(64, 300, 3), rel=0.2)


def test_hopfields_network_holds_a_number_linear_in_n():
    claim = DenseMemoryCapacity(power=2, sizes=(64, 96, 128, 192, 256), memories=60)
    assert claim.check_given(claim.draw(0)).verdict is Verdict.HOLDS


def test_similar_patterns_crowd_each_other_out():
    refuted = DenseMemoryCapacity(memories=1).refute(0)
    assert refuted.fails and refuted.measured[0].value < 0.5
