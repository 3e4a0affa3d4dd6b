"""Cases worked by hand, broken hypotheses, and the numbers of the errata."""

import math

import pytest
import torch

from corollary.claims.kernels.gp_prior_samples import GpPriorSamples
from corollary.claims.kernels.h_infinity import HInfinity
from corollary.claims.kernels.h_infinity_series import HInfinitySeries
from corollary.claims.kernels.kernel_interpolation import Given as Interpolation
from corollary.claims.kernels.kernel_interpolation import KernelInterpolation
from corollary.claims.kernels.kernel_trick import Given as Labelled
from corollary.claims.kernels.kernel_trick import KernelTrick
from corollary.claims.kernels.linear_targets import Given as Targets
from corollary.claims.kernels.linear_targets import LinearTargets
from corollary.claims.kernels.nngp_limit import NngpLimit
from corollary.claims.kernels.ntk_constancy import NtkConstancy
from corollary.claims.kernels.ntk_convergence import NtkConvergence
from corollary.claims.kernels.ntk_parametrization import NtkParametrization
from corollary.claims.kernels.polynomial_kernel import Given as Inputs
from corollary.claims.kernels.polynomial_kernel import PolynomialFeatureMap
from corollary.claims.kernels.random_feature_final import RandomFeatureFinal
from corollary.claims.kernels.random_feature_initial import RandomFeatureInitial
from corollary.claims.kernels.random_feature_kernel import RandomFeatureKernel
from corollary.claims.kernels.relu_expectations import ReluExpectations
from corollary.claims.kernels.representer_theorem import RepresenterTheorem
from corollary.claims.kernels.two_layer_ntk import TwoLayerNtk
from corollary.core import Verdict, generator
from corollary.theory.kernels.kernel import monomial_weights
from corollary.theory.kernels.recursion import ntk_kernel

QUICK = [
    GpPriorSamples(), HInfinity(), HInfinitySeries(), KernelInterpolation(), KernelTrick(),
    LinearTargets(), NtkConvergence(), PolynomialFeatureMap(), RandomFeatureFinal(),
    RandomFeatureInitial(), RandomFeatureKernel(), RandomFeatureKernel(kind="relu"),
    ReluExpectations(), RepresenterTheorem(), TwoLayerNtk(), NtkParametrization(),
]  # fmt: skip


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize("claim", QUICK, ids=lambda c: type(c).__name__)
def test_drawn_instances_do_not_fail(claim):
    """A statistical claim may be inconclusive at a seed, but never wrong."""
    for seed in (1, 2):
        given = claim.given(generator(seed, claim.name()))
        assert claim.check_given(given).verdict in (Verdict.HOLDS, Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("claim", [*QUICK, NngpLimit(draws=40), NtkConstancy(draws=4)])
def test_what_breaks_a_hypothesis_makes_the_claim_inapplicable(claim):
    assert claim.refute(3).broken


def test_the_quadratic_features_of_the_notes():
    """(3, 1) and (1, 2): <x, y> = 5, squared 25."""
    given = Inputs(double([3.0, 1.0]), double([1.0, 2.0]), monomial_weights(2, 2))
    result = PolynomialFeatureMap(n=1, d=2, p=2).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(25.0)


def test_the_four_points_of_xor_are_separable_by_a_conic_only():
    x = double([1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0])
    assert KernelTrick().measure(Labelled(x, double(1.0, 1.0, -1.0, -1.0))) == [0.0, 1.0]


def test_one_feature_and_one_target_by_hand():
    given = Interpolation(double([2.0, 0.0]), double(4.0), double([3.0, 5.0]))
    result = KernelInterpolation(n=1, p=2).check_given(given)
    assert [r.value for r in result.measured] == pytest.approx([4.0, 6.0])  # theta = (2, 0)


def test_linear_targets_on_orthogonal_inputs_by_hand():
    """H = I/2, so the complexity of y = β is sqrt(2 · 2|β|² · n/2)/n = sqrt(2/n) |β|."""
    x, beta = torch.eye(4, dtype=torch.float64), double(1.0, 2.0, 2.0, 0.0)
    result = LinearTargets().check_given(Targets(x, beta, beta))
    assert result.measured[0].value == pytest.approx(3 * math.sqrt(2 / 4))
    assert result.verdict is Verdict.HOLDS


def test_the_series_reaches_one_half_at_equal_inputs():
    assert HInfinitySeries().predict(1.0) == 0.5


def test_without_the_factor_in_the_network_the_kernel_grows_with_the_width():
    """The erratum: small weights in place of a factor. Linear growth, where the limit is fixed."""
    x, claim = double([1.0]), NtkConvergence(d=1, draws=40)
    small, network = (claim.draw(0)._replace(x=x, factor=c) for c in (0.0, 0.5))
    means = [float(claim.kernels(small, m, generator(0, m)).mean()) for m in (100, 1000)]
    assert means[1] / means[0] == pytest.approx(10.0, rel=0.2)
    fixed = claim.kernels(network, 1000, generator(0)).mean()
    assert fixed == pytest.approx(ntk_kernel(x, 2).ntk.item(), rel=0.1)


def test_fan_out_scaling_gives_the_variances_of_the_erratum():
    claim = NtkParametrization()
    found = claim.measure(claim.networks("fan_out"), generator(0, "networks"))
    means = [m.read(0.99).value for m in found]
    assert means == pytest.approx([13, 33, 93], rel=0.25)


def test_mean_field_training_moves_the_kernel_at_any_width():
    claim = NtkConstancy(draws=6)
    given = claim.given(generator(0, "mean field"))
    lazy, rich = (
        claim.measure(given._replace(alpha=a), generator(0, "nets")).values[-1] for a in (0.5, 1.0)
    )
    assert lazy < 0.1 < 0.3 < rich
