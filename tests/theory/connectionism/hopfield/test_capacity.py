import math

import pytest
import torch
from scipy.integrate import quad
from scipy.stats import binom, norm

from corollary.data.patterns import random_patterns
from corollary.errors import InputError
from corollary.theory.connectionism.hopfield.capacity import (
    bit_error,
    bit_error_limit,
    expected_wrong_bits,
    hopfield_capacity,
    wrong_bits_bound,
)
from corollary.theory.connectionism.hopfield.states import sign
from corollary.theory.connectionism.hopfield.storage import hebbian_field


@pytest.mark.parametrize("load", [0.05, 0.138, 0.3, 1.0])
def test_the_limit_is_the_tail_of_a_normal_law(load):
    assert bit_error_limit(load) == pytest.approx(norm.sf(1, scale=math.sqrt(load)), rel=1e-12)


def test_the_integral_as_printed_lacks_its_normalisation():
    printed, _ = quad(lambda z: math.exp(-(z**2) / 0.6), 1, math.inf)
    assert printed == pytest.approx(0.0466, abs=5e-5)
    assert bit_error_limit(0.3) == pytest.approx(0.0339, abs=5e-5)
    assert printed / math.sqrt(2 * math.pi * 0.3) == pytest.approx(bit_error_limit(0.3), rel=1e-9)


@pytest.mark.parametrize(("n", "s"), [(5, 4), (6, 3), (50, 9), (51, 8), (200, 40)])
def test_the_exact_error_is_a_binomial_tail_with_half_of_the_ties(n, s):
    N = (s - 1) * (n - 1)
    sums = {2 * k - N: binom.pmf(k, N, 0.5) for k in range(N + 1)}
    tail = sum(p for v, p in sums.items() if v < -(n - 1))
    assert bit_error(n, s) == pytest.approx(tail + sums.get(-(n - 1), 0) / 2, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("load", [0.1, 0.138, 0.2, 0.3])
def test_the_exact_error_tends_to_the_limit(load):
    gaps = [abs(bit_error(n, round(load * n)) - bit_error_limit(load)) for n in (10**3, 10**5)]
    assert gaps[1] < gaps[0] / 10
    assert gaps[1] < 1e-5


@pytest.mark.parametrize("load", [0.1, 0.138, 0.2, 0.3])
def test_stored_bits_flip_as_often_as_the_exact_law_says(load):
    n, s, shares = 1000, round(1000 * load), []
    rng = torch.Generator().manual_seed(round(1000 * load))
    for _ in range(8):
        P = random_patterns(s, n, rng=rng, dtype=torch.float32)
        shares.append(float((sign(hebbian_field(P, P[:50])) != P[:50]).double().mean()))
    mean, p = sum(shares) / 8, bit_error(n, s)
    assert abs(mean - p) < 5 * math.sqrt(p / (8 * 50 * n)) + 0.02 * p  # bits depend a little


def test_wrong_bits_vanish_at_the_capacity_and_grow_beyond_it():
    sizes = [10**k for k in range(3, 13)]
    at = [expected_wrong_bits(n, hopfield_capacity(n)) for n in sizes]
    beyond = [expected_wrong_bits(n, 1.3 * hopfield_capacity(n)) for n in sizes]
    assert max(at) < 1
    assert at == sorted(at, reverse=True)
    assert beyond == sorted(beyond)
    assert beyond[-1] > 30
    assert all(a <= wrong_bits_bound(n) for a, n in zip(at, sizes, strict=True))


def test_the_binary_logarithm_gives_away_a_factor_of_ln_two():
    n = 10**8
    binary = n / (2 * math.log2(n))
    assert binary / hopfield_capacity(n) == pytest.approx(math.log(2))
    assert expected_wrong_bits(n, binary) == pytest.approx(1.5e-5, rel=0.05)
    assert expected_wrong_bits(n, hopfield_capacity(n)) == pytest.approx(0.064, rel=0.02)
    assert expected_wrong_bits(n, 1.3 * hopfield_capacity(n)) == pytest.approx(5.1, rel=0.02)


def test_half_the_capacity_recalls_all_patterns_more_often_than_twice_it():
    n, rng = 4000, torch.Generator().manual_seed(0)
    one = hopfield_capacity(n)
    assert hopfield_capacity(n, "all") == one / 2
    wrong = []
    for s in (round(one / 2), round(2 * one)):
        P = random_patterns(s, n, rng=rng, dtype=torch.float32)
        wrong.append(int((sign(hebbian_field(P, P)) != P).any(1).sum()))
    assert wrong[0] <= 1  # expected number of patterns with a wrong bit: well below one
    assert wrong[1] > 100


@pytest.mark.parametrize(
    "call",
    [
        lambda: bit_error_limit(0),
        lambda: bit_error_limit(math.nan),
        lambda: bit_error(0, 3),
        lambda: hopfield_capacity(1),
        lambda: hopfield_capacity(10, "some"),
    ],
)
def test_what_makes_no_network_is_refused(without_shape_checks, call):
    with pytest.raises(InputError):
        call()
