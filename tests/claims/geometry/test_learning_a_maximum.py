from corollary.claims.geometry.learning_a_maximum import LearningAMaximum, learned_error
from corollary.core import Verdict, generator, uniform


def test_it_holds_for_pairs():
    assert LearningAMaximum(M=2, many=8000).check(2).verdict is Verdict.HOLDS


def test_the_floor_of_one_sum_of_two_uniform_numbers():
    """Given the sum of two uniform numbers on [-1, 1], the maximum is uniform: rms 0.2357 of 1."""
    x = 2 * uniform(generator(0, "floor"), 8500, 2) - 1
    error = learned_error(x[:8000], x[8000:], x.sum(1, keepdim=True), nearest=40)
    # The spread given the sum s is (2 - |s|)/2 wide, and |s| has density (2 - |s|)/2 on [0, 2]:
    # the mean of width^2 / 12 is 1/24.
    assert abs(error - 24**-0.5) < 0.02


def test_with_a_maximum_one_latent_number_is_enough():
    x = 2 * uniform(generator(1, "max"), 16_500, 3) - 1
    assert learned_error(x[:16_000], x[16_000:], x.amax(1, keepdim=True)) < 1e-3
