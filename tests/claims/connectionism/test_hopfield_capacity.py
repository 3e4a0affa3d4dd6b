from corollary.claims.connectionism.hopfield_capacity import Given, HopfieldCapacity
from corollary.core import Verdict
from corollary.theory.connectionism.hopfield.capacity import bit_error


def test_the_mean_number_of_wrong_bits_is_n_times_the_exact_error():
    claim = HopfieldCapacity(sizes=(500,), patterns=6000)
    sample = claim.trial(Given((500,), (40,), 6000)).measured[0].read(0.999)
    assert sample.low <= 500 * bit_error(500, 40) <= sample.high


def test_thirty_percent_more_patterns_break_the_bound():
    refuted = HopfieldCapacity(sizes=(500,), patterns=4000).refute(0)
    assert refuted.fails
    assert refuted.measured[0].value > 3 * refuted.predicted[0]


def test_one_pattern_too_many_is_outside_the_claim():
    given = Given((1000,), (73,), 200)
    assert HopfieldCapacity().check_given(given).verdict is Verdict.INAPPLICABLE
