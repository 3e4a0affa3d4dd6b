"""Stability of SGD, random labels, compression and the best width."""

import math

import pytest
import torch

from corollary.claims.generalization.barron_width import WIDTHS, BarronWidth, lowest
from corollary.claims.generalization.compression_bound import CompressionBound
from corollary.claims.generalization.random_labels import RandomLabels, accuracies
from corollary.claims.generalization.sgd_stability import SgdStability
from corollary.core import Verdict, generator
from corollary.theory.generalization.deep_relu import deep_relu_bound, layer_norms


@pytest.mark.parametrize("eta", [0.1, 8.0])
def test_sgd_is_stable_up_to_the_largest_step(eta):
    assert SgdStability(eta=eta, T=40, runs=200).check(0).verdict is Verdict.HOLDS


def test_a_larger_step_is_outside_the_theorem():
    claim = SgdStability(T=10, runs=50)
    given = claim.given(generator(0, "x"))
    result = claim.check_given(given._replace(etas=(9.0,) * 10))
    assert result.verdict is Verdict.INAPPLICABLE


def test_one_example_and_one_step_attain_the_order_of_the_bound():
    """Opposite examples, n = 1: the runs are 2 * eta * slope(0) = eta apart, the bound is 2 eta."""
    claim = SgdStability(runs=50)
    given = claim.given(generator(0, "x"))
    z = torch.zeros_like(given.z[:, :1])
    z[..., 0] = 1.0
    given = given._replace(z=z, other=-z[:, 0], etas=(0.5,))
    assert claim.predict(given)[0] == 1.0
    assert claim.measure(given, generator(0))[0].values[0] == pytest.approx(0.5)


def test_random_labels_are_fitted_and_mean_nothing_outside_the_sample():
    claim = RandomLabels(n=40, m=64, draws=5, steps=100)
    given = claim.given(generator(0, "x"))
    labels = torch.cat([given.sigma, given.y[None]])
    nets = claim.fitted(given, labels, generator(0))
    assert accuracies(nets, given.x, labels).tolist() == [1.0] * 6
    *random, true = accuracies(nets, given.fresh, given.right).tolist()
    assert abs(sum(random) / 5 - 0.5) < 0.15
    assert true > 0.75


def test_few_parameters_cannot_fit_random_labels():
    refuted = RandomLabels(draws=5, steps=60).refute(0)
    assert refuted.fails
    assert refuted.measured[0].value < 0.9


def test_codes_bound_the_error_and_beat_the_product_of_norms():
    claim = CompressionBound(n=2000, steps=80)
    given = claim.given(generator(0, "x"))
    result = claim.check_given(given)
    assert result.verdict is Verdict.HOLDS
    net, far = given.small[0].model, float(given.x.norm(dim=1).max())
    norm = deep_relu_bound(layer_norms(net), 2, 2000, radius=far, version="golowich")
    assert max(result.predicted) < 1 < 2 * norm


def test_a_network_that_is_not_in_the_code_is_noticed():
    refuted = CompressionBound(n=100, steps=20).refute(0)
    assert refuted.fails
    assert refuted.broken == ("every number of a code is one of the r values",)


def test_the_bottom_of_a_parabola_is_found_between_the_widths():
    errors = [math.exp((math.log(w) - math.log(13)) ** 2) for w in WIDTHS]
    assert lowest(errors) == pytest.approx(13, rel=1e-6)


def test_the_best_width_is_near_the_balance_of_the_two_terms():
    """At approximation 1/2n and estimation sigma^2 n/M the balance is sqrt(M/2)/sigma."""
    claim = BarronWidth(trials=20)
    found = claim.trial(claim.given(generator(0, "x"))).measured
    for M, n in zip(found.sizes[2:], found.values[2:], strict=True):
        assert n == pytest.approx(math.sqrt(M / 2) / claim.sigma, rel=0.35)
