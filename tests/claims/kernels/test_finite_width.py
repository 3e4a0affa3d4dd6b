"""Claims on networks of finite width: cases by hand, broken hypotheses, and errata in numbers."""

import pytest
import torch

from corollary.claims.kernels._two_layers import Networks
from corollary.claims.kernels.finite_beats_kernel import FiniteBeatsKernel
from corollary.claims.kernels.functional_flow import FunctionalFlow
from corollary.claims.kernels.kernel_flow import Given as Flow
from corollary.claims.kernels.kernel_flow import KernelGradientFlow
from corollary.claims.kernels.linearisation_error import LinearisationError
from corollary.claims.kernels.linearization_order import LinearizationOrder
from corollary.claims.kernels.linearization_width import LinearizationWidth
from corollary.claims.kernels.linearized_fit import LinearizedInterpolation
from corollary.claims.kernels.ntk_ensemble import NtkEnsemble
from corollary.claims.kernels.ntk_regression import NtkRegression
from corollary.claims.kernels.shallow_gradient import Given as Shallow
from corollary.claims.kernels.shallow_gradient import ShallowGradient
from corollary.claims.kernels.two_layer_gram import Given as Units
from corollary.claims.kernels.two_layer_gram import TwoLayerGram, network
from corollary.core import Verdict, generator, loglog_fit
from corollary.theory.kernels.two_layer import ntk_relu_two_layer

QUICK = [
    ShallowGradient(), LinearisationError(), KernelGradientFlow(), TwoLayerGram(),
    LinearizationOrder(), LinearizedInterpolation(), FunctionalFlow(),
]  # fmt: skip
SLOWER = [
    LinearizationWidth(widths=(16, 32, 64, 128), draws=8), NtkEnsemble(width=32, draws=20),
    NtkRegression(widths=(16, 32, 64, 128), draws=8),
]  # fmt: skip


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize("claim", QUICK, ids=lambda c: type(c).__name__)
def test_drawn_instances_hold(claim):
    for seed in range(1, 4):
        given = claim.given(generator(seed, claim.name()))
        assert claim.check_given(given).verdict is Verdict.HOLDS


@pytest.mark.parametrize("claim", [*QUICK, *SLOWER], ids=lambda c: type(c).__name__)
def test_what_breaks_a_hypothesis_makes_the_claim_inapplicable(claim):
    for trial in claim.without(claim.draw(3), 3):
        assert trial.broken


def test_the_slope_of_one_unit_by_hand():
    """tanh(0 + t 2·3): slope 6."""
    given = Shallow(torch.tanh, double([0.0]), double(1.0), double(3.0), double([[2.0]]))
    assert ShallowGradient().predict(given).tolist() == [6.0]
    assert ShallowGradient().measure(given)[0] == pytest.approx(6.0, abs=1e-5)


@pytest.mark.parametrize("k", range(3), ids=LinearisationError.rows)
def test_the_worst_case_error_falls_with_the_root_of_the_width(k):
    claims = [LinearisationError(m=m) for m in (100, 400, 1600)]
    errors = [claim.measure(claim.draw(0))[k] for claim in claims]
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.01)
    assert errors[1] / errors[2] == pytest.approx(2, rel=0.01)


def test_one_feature_relaxes_exponentially():
    """f' = 1 - f from 0: at t = 1, 1 - 1/e."""
    one = double(1.0)
    given = Flow(double([1.0]), one, one, double(0.0), lambda t: t)
    claim = KernelGradientFlow(n=1, p=1, times=(1.0,))
    assert claim.predict(given)[0] == pytest.approx(0.6321205588)
    assert claim.measure(given)[0] == pytest.approx(0.6321205588)


def test_two_units_by_hand():
    """Inputs e1, e2 and units (1, 1), (1, -1): H = [[1, 0], [0, 1/2]]."""
    eye = torch.eye(2, dtype=torch.float64)
    net = network(double([1.0, 1.0], [1.0, -1.0]), double(1.0, -1.0), both=False)
    given = Units(net, eye)
    assert TwoLayerGram().predict(given).tolist() == [1.0, 0.0, 0.0, 0.5]
    assert TwoLayerGram().check_given(given).verdict is Verdict.HOLDS


def test_the_printed_predictor_misses_the_targets_by_the_start():
    claim = LinearizedInterpolation()
    given = claim.given(generator(0, claim.name()))
    printed, start = given.by_kernel(given.x), given.f(given.x)
    assert torch.allclose(printed + start, given.y, atol=1e-7)
    assert torch.allclose(given.y - printed, start, atol=1e-7)
    assert float(start.abs().max()) > 0.1


def test_tangent_kernels_of_drawn_networks_average_to_the_limit():
    rng = torch.Generator().manual_seed(0)
    nets = Networks.drawn(50, 2000, 2, 0.5, rng)
    x = torch.randn(3, 2, generator=rng, dtype=torch.float64)
    assert torch.allclose(nets.tangent(x, x).mean(0), ntk_relu_two_layer(x), rtol=0.05, atol=0.05)


@pytest.mark.parametrize("hidden", [1, 2, 3])
def test_a_step_of_a_drawn_network_is_torchs_gradient(hidden):
    rng = torch.Generator().manual_seed(1)
    nets = Networks.drawn(1, 5, 2, 0.5, rng, hidden)
    x, y = torch.randn(4, 2, generator=rng, dtype=torch.float64), double(1.0, -1.0, 0.5, 2.0)
    leaves = tuple(w.clone().requires_grad_() for w in nets.weights)
    loss = ((nets._replace(weights=leaves)(x)[0] - y) ** 2).sum() / 2
    slopes = torch.autograd.grad(loss, leaves)
    moved = nets.step(x, y - nets(x), 0.1)
    for after, before, slope in zip(moved.weights, nets.weights, slopes, strict=True):
        assert torch.allclose(after, before - 0.1 * slope)


def test_the_kernel_turns_to_the_target_as_a_finite_network_learns():
    claim = FiniteBeatsKernel(runs=2)
    errors, alignments = claim.measure(claim.draw(0), generator(0, "nets"))
    assert max(errors.values) < 0  # below the error of the kernel
    assert max(alignments.values) < -1  # the alignment grows by more than e


@pytest.mark.slow
def test_two_hidden_layers_tell_the_width_from_the_number_of_parameters():
    """The erratum: the gap falls faster than n^(-1/2), and more slowly than P^(-1/2)."""
    claim = LinearizationWidth(hidden=2, widths=(32, 64, 128, 256, 512), draws=12)
    found = claim.measure(claim.draw(0), generator(0, "deep"))
    P = [2 * n + n * n + n for n in claim.widths]
    in_n, in_P = loglog_fit(found.sizes, found.values), loglog_fit(P, found.values)
    assert in_n.slope < -0.5 and in_P.slope > -0.5
