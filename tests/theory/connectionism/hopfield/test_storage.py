import math

import numpy as np
import pytest
import torch
from scipy.stats import kstest

from corollary.data.patterns import orthogonal_patterns, random_patterns
from corollary.errors import InputError, InputTypeError
from corollary.theory.connectionism.hopfield.energy import energy
from corollary.theory.connectionism.hopfield.storage import (
    crosstalk,
    hebbian_field,
    hebbian_weights,
    is_stable,
    overlap,
    squared_overlap,
)


def draw(s, n, seed=0, **options):
    return random_patterns(s, n, rng=torch.Generator().manual_seed(seed), **options)


@pytest.mark.parametrize("s", [1, 5, 31])
def test_orthogonal_patterns_are_stable_as_long_as_there_are_fewer_than_neurons(s):
    x = orthogonal_patterns(s, 32)
    assert bool(is_stable(hebbian_weights(x), x).all())


def test_as_many_orthogonal_patterns_as_neurons_cancel_each_other():
    x = orthogonal_patterns(8, 8)
    assert not bool(hebbian_weights(x).any())


def test_a_pattern_and_its_mirror_image_have_the_same_energy():
    x = draw(6, 50)
    W, b = hebbian_weights(x), torch.zeros(50, dtype=torch.float64)
    assert torch.equal(energy(W, b, x), energy(W, b, -x))


def test_agreeing_neurons_attract_and_disagreeing_neurons_repel():
    W = hebbian_weights(torch.tensor([[1.0, 1.0, -1.0]]))
    assert W[0, 1] > 0 > W[0, 2]


@pytest.mark.parametrize("zero_diagonal", [True, False])
def test_the_field_is_signal_plus_crosstalk(zero_diagonal):
    x = draw(12, 90)
    h = x @ hebbian_weights(x, zero_diagonal=zero_diagonal)
    signal = 89 / 90 if zero_diagonal else 1.0
    assert torch.allclose(h, signal * x + crosstalk(x, zero_diagonal=zero_diagonal), atol=1e-12)


def test_crosstalk_is_its_triple_sum():
    x = draw(4, 7)
    n = 7
    for t in range(4):
        for i in range(n):
            terms = [
                float(x[r, i] * x[r, j] * x[t, j])
                for r in range(4)
                for j in range(n)
                if r != t and j != i
            ]
            assert crosstalk(x)[t, i].item() == pytest.approx(sum(terms) / n, abs=1e-14)


def test_the_low_rank_field_is_the_field():
    x, X = draw(9, 64), draw(5, 64, seed=1)
    assert torch.equal(hebbian_field(x, X), X @ hebbian_weights(x))


def test_a_kept_diagonal_gives_crosstalk_a_mean_of_s_minus_one_over_n():
    x = draw(100, 1000)
    with_diagonal = float((x * crosstalk(x, zero_diagonal=False)).mean())
    without = float((x * crosstalk(x)).mean())
    assert with_diagonal == pytest.approx(0.099, abs=0.01)
    assert abs(without) < 0.01
    assert with_diagonal - without == pytest.approx(99 / 1000, abs=1e-12)


def independent_crosstalk(p, networks=300, n=500, s=50):
    """One stored bit from each of many networks, in units of the predicted deviation."""
    rng = torch.Generator().manual_seed(7)
    values = []
    for _ in range(networks):
        x = random_patterns(s, n, p=p, rng=rng)
        others = (x[1:] @ x[0] - x[1:, 0] * x[0, 0]) @ x[1:, 0] / n
        values.append(float(others * x[0, 0]))
    return np.array(values) / math.sqrt((s - 1) * (n - 1) / n**2)


def test_crosstalk_of_random_patterns_is_normal():
    assert kstest(independent_crosstalk(0.5), "norm").pvalue > 0.01


def test_crosstalk_of_correlated_patterns_is_not():
    assert kstest(independent_crosstalk(0.8), "norm").pvalue < 1e-6


def test_overlaps_tell_independent_orthogonal_and_correlated_patterns_apart():
    assert squared_overlap(draw(60, 200)) == pytest.approx(1, abs=0.2)
    assert squared_overlap(orthogonal_patterns(60, 256)) == 0
    assert squared_overlap(draw(60, 200, p=0.8)) > 10


@pytest.mark.parametrize(
    ("patterns", "error", "words"),
    [
        (torch.zeros(0, 5), InputError, "at least one pattern"),
        (torch.ones(5), InputError, "matrix"),
        (torch.tensor([[1.0, 0.0]]), InputError, "-1 and \\+1, got 0; map"),
        (torch.tensor([[1.0, torch.nan]]), InputError, "got nan"),
        (torch.ones(2, 0), InputError, "at least one entry"),
        (torch.ones(2, 3, dtype=torch.int64), InputTypeError, "int64"),
    ],
)
def test_what_is_no_set_of_patterns_is_refused_in_a_sentence(
    without_shape_checks, patterns, error, words
):
    for function in (hebbian_weights, crosstalk):
        with pytest.raises(error, match=words):
            function(patterns)


def test_states_and_patterns_of_different_length_have_no_overlap(without_shape_checks):
    with pytest.raises(InputError, match="3 and 4"):
        overlap(torch.ones(3), torch.ones(4))
