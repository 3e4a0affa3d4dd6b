"""Maurey's lemma, signed measures, and the mean integrated squared error."""

import math

import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.models.approximators.sampled import threshold_mixture
from corollary.theory.approximation.maurey import SignedMeasure, maurey_error, maurey_sample
from corollary.theory.approximation.mise import mise, split


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def mixture(rng):
    p = torch.rand(30, generator=rng, dtype=torch.float64)
    return p / p.sum(), torch.randn(30, 7, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("k", [1, 5, 40])
def test_the_mean_error_over_draws_is_the_exact_variance(mixture, k, rng):
    p, atoms = mixture
    found = maurey_sample(p, atoms, k, trials=3000, rng=rng)
    error = float(found.errors.std()) / 3000**0.5
    assert abs(float(found.errors.mean()) - found.expected) < 3.5 * error
    second = float(p @ atoms.square().sum(1)) - float((p @ atoms).square().sum())
    assert found.expected == pytest.approx(second / k)


def test_the_exact_error_is_the_trace_of_numpys_covariance(mixture):
    p, atoms = mixture
    covariance = np.cov(atoms.numpy().T, aweights=p.numpy(), ddof=0)
    assert maurey_error(p, atoms, 4) == pytest.approx(np.trace(covariance) / 4)


@pytest.mark.parametrize("k", [2, 20])
def test_the_best_draw_is_below_the_mean_and_the_bound(mixture, k, rng):
    p, atoms = mixture
    found = maurey_sample(p, atoms, k, rng=rng)
    again = (atoms[found.atoms].mean(0) - p @ atoms).square().sum()
    assert found.error == pytest.approx(float(again))
    assert found.error <= found.expected <= found.bound


def test_infinite_moments_and_wrong_probabilities_are_refused(mixture, rng):
    p, atoms = mixture
    with pytest.raises(InputError, match="second moment"):
        maurey_sample(p, atoms / 0, 3, rng=rng)
    with pytest.raises(InputError, match="probabilities"):
        maurey_error(2 * p, atoms, 3)
    with pytest.raises(InputError, match="at least one"):
        maurey_error(p, atoms, 0)


def test_jordans_parts_add_up_to_the_mass_and_to_the_measure(rng):
    weights = torch.randn(20, generator=rng, dtype=torch.float64)
    mu = SignedMeasure(torch.zeros(20, 1, dtype=torch.float64), weights)
    plus, minus = mu.jordan()
    assert torch.equal(plus - minus, weights)
    assert float((plus + minus).sum()) == pytest.approx(mu.mass)
    assert bool((plus * minus == 0).all())


def test_draws_from_a_signed_measure_are_unbiased_and_within_the_bound(rng):
    weights = torch.randn(15, generator=rng, dtype=torch.float64)
    atoms = torch.randn(15, 4, generator=rng, dtype=torch.float64)
    mu = SignedMeasure(atoms, weights)
    points, signs, _ = mu.sample(40_000, rng=rng)
    draws = mu.mass * signs[:, None] * points
    error = draws.std(0) / 200
    assert bool(((draws.mean(0) - weights @ atoms).abs() < 4 * error).all())
    k = 20
    means = draws.reshape(-1, k, 4).mean(1)
    bound = mu.mass**2 * float(atoms.square().sum(1).max()) / k
    assert float((means - weights @ atoms).square().sum(1).mean()) <= bound


def test_the_plus_sign_of_the_notes_gives_another_function(rng):
    mu = SignedMeasure(torch.eye(2, dtype=torch.float64), torch.tensor([1.0, -1.0]).double())
    points, signs, _ = mu.sample(4000, rng=rng)
    right = mu.mass * (signs[:, None] * points).mean(0)
    printed = mu.mass * points.mean(0)
    assert (right - torch.tensor([1.0, -1.0])).abs().max() < 0.1
    assert (printed - torch.tensor([1.0, -1.0])).abs().max() > 1.8


def test_a_measure_without_mass_is_refused():
    with pytest.raises(InputError, match="not all zero"):
        SignedMeasure(torch.zeros(3, 1), torch.zeros(3))
    with pytest.raises(InputError, match="low < high"):
        SignedMeasure.from_density(torch.ones_like, 1.0, 0.0)


def test_a_density_has_its_mass():
    tau = 2 * math.pi
    mu = SignedMeasure.from_density(lambda b: tau * torch.cos(tau * b), 0.0, 1.0)
    assert mu.mass == pytest.approx(4.0, abs=1e-6)


def sampler(rng):
    tau = 2 * math.pi
    return threshold_mixture(lambda b: tau * torch.cos(tau * b), 25, rng=rng)


def sine(x):
    return torch.sin(2 * math.pi * x[:, 0])


def test_bias_and_variance_sum_to_the_total(rng):
    found = mise(sampler, sine, [(0.0, 1.0)], repeats=30, rng=rng)
    assert found.bias + found.variance == pytest.approx(found.total, abs=1e-10)
    assert found.total == pytest.approx(7.5 / 25, rel=0.5)


def test_unbiased_networks_have_no_more_bias_than_noise(rng):
    found = mise(sampler, sine, [(0.0, 1.0)], repeats=100, rng=rng)
    assert found.bias < 5 * found.noise
    shifted = mise(lambda g: lambda x: sampler(g)(x) + 0.5, sine, [(0.0, 1.0)], rng=rng)
    assert shifted.bias > 10 * shifted.noise


def test_the_variance_is_numpys(rng):
    drawn = torch.randn(9, 5, generator=rng, dtype=torch.float64)
    found = split(drawn, torch.zeros(5).double(), torch.ones(5).double())
    assert found.variance == pytest.approx(np.var(drawn.numpy(), axis=0).sum())


def test_one_repeat_is_refused(rng):
    with pytest.raises(InputError, match="two repeats"):
        mise(sampler, sine, [(0.0, 1.0)], repeats=1, rng=rng)
    with pytest.raises(InputError, match="repeats"):
        split(torch.zeros(1, 3), torch.zeros(3), torch.zeros(3))
