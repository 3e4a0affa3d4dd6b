import math

import pytest
import torch
from torch import nn

from corollary.errors import InputError, NotApplicableError
from corollary.theory.landscape.expected_signal import (
    compare_starts,
    expected_signal,
    restarted,
)
from corollary.theory.landscape.mean_field import (
    critical_start,
    depth_scale,
    gaussian_mean,
    gradient_factor,
    second_moment,
    squared_slope,
    variances,
)
from corollary.theory.landscape.signal import measured_signal, random_projection


def chain(depth: int, width: int, activation: type[nn.Module], sigma_w2: float) -> nn.Sequential:
    """Gaussian weights of variance sigma_w2 / width, without biases."""
    rng = torch.Generator().manual_seed(depth)
    layers: list[nn.Module] = []
    for _ in range(depth):
        linear = nn.Linear(width, width, bias=False, dtype=torch.float64)
        nn.init.normal_(linear.weight, std=(sigma_w2 / width) ** 0.5, generator=rng)
        layers += [linear, activation()]
    return nn.Sequential(*layers)


def passed(model: nn.Module, x: torch.Tensor):
    return measured_signal(
        model, lambda: random_projection(model(x), rng=torch.Generator().manual_seed(1))
    )


def points(n: int, d: int) -> torch.Tensor:
    return torch.randn(n, d, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_derivatives_are_those_of_autograd():
    model, x = chain(3, 5, nn.Tanh, 1.0), points(4, 5)
    found = measured_signal(model, lambda: model(x).square().sum())
    h, outputs = x, []
    for module in model:
        h = module(h)
        outputs.append(h)
    gradients = torch.autograd.grad(h.square().sum(), outputs, retain_graph=True)
    weights = torch.autograd.grad(h.square().sum(), [m.weight for m in model[::2]])
    for layer, output, g in zip(found.layers, outputs, gradients, strict=True):
        assert layer.forward == pytest.approx(output.square().mean().item(), rel=1e-12)
        assert layer.backward == pytest.approx(g.square().mean().item(), rel=1e-12)
    lengths = [layer.gradient for layer in found.weighted()]
    assert lengths == pytest.approx([g.norm().item() for g in weights], rel=1e-12)


def test_the_module_comes_back_without_hooks_and_with_its_gradients():
    model, x = chain(2, 3, nn.ReLU, 2.0), points(2, 3)
    model[0].weight.grad = torch.ones_like(model[0].weight)
    passed(model, x)
    assert not any(m._forward_hooks for m in model.modules())
    assert torch.equal(model[0].weight.grad, torch.ones_like(model[0].weight))
    assert model[2].weight.grad is None


def test_hooks_are_gone_after_a_crash_too():
    model = chain(2, 3, nn.ReLU, 2.0)
    with pytest.raises(RuntimeError):
        passed(model, points(2, 4))
    assert not any(m._forward_hooks for m in model.modules())


def test_a_vector_is_no_scalar():
    model, x = chain(1, 3, nn.ReLU, 2.0), points(2, 3)
    with pytest.raises(InputError, match="one number"):
        measured_signal(model, lambda: model(x))


def test_frozen_layers_have_no_backward_number():
    model, x = chain(2, 3, nn.Identity, 1.0), points(2, 3)
    model[0].weight.requires_grad_(False)
    found = passed(model, x)
    assert found.layers[0].backward is None
    assert found.layers[2].backward is not None
    model.requires_grad_(False)
    assert passed(model, x).layers[2].backward is None


def test_in_place_activations_are_seen_before_and_after():
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    inplace = nn.Sequential(plain[0], nn.ReLU(inplace=True), plain[2])
    x = points(6, 4).float()
    for a, b in zip(passed(plain, x).layers, passed(inplace, x).layers, strict=True):
        assert (a.forward, a.backward) == pytest.approx((b.forward, b.backward), rel=1e-6)


def test_a_shared_layer_is_listed_once_a_call():
    layer = nn.Linear(3, 3, dtype=torch.float64)
    model = nn.Sequential(layer, nn.Tanh(), layer)
    assert [h.name for h in passed(model, points(2, 3)).layers] == ["0", "1", "0#2"]


def test_recurrent_layers_and_convolutions_and_attention_are_measured():
    lstm = nn.LSTM(3, 4, batch_first=True)
    x = torch.ones(2, 5, 3)
    found = measured_signal(lstm, lambda: lstm(x)[0].sum())
    assert found.layers[0].backward == pytest.approx(1.0)
    attention = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
    tokens = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
    assert len(measured_signal(attention, lambda: attention(tokens).sum()).layers) >= 4
    image = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.Flatten())
    assert [h.width for h in passed(image, torch.ones(2, 1, 4, 4)).layers] == [32, 32, 32]


def rates(signal):
    """Factors per layer: of the mean square forward, of the derivative's squared length back."""
    deep = signal.weighted()
    forward, back = deep[-1].forward / deep[0].forward, deep[0].backward / deep[-1].backward
    widths = deep[0].width / deep[-1].width
    return forward ** (1 / (len(deep) - 1)), (back * widths) ** (1 / (len(deep) - 1))


@pytest.mark.parametrize("gain", [0.25, 2.0, 16.0])
def test_only_the_variance_of_he_keeps_the_signal_of_rectifiers(gain):
    model, x = chain(12, 200, nn.ReLU, gain), points(20, 200)
    assert rates(passed(model, x)) == pytest.approx((gain / 2, gain / 2), rel=0.1)


def test_dead_and_saturated_units_are_counted():
    model = nn.Sequential(nn.Linear(3, 10), nn.ReLU(), nn.Linear(10, 10), nn.Tanh())
    with torch.no_grad():
        model[0].bias.fill_(-100.0)
        model[2].bias.fill_(50.0)
    layers = {layer.name: layer for layer in passed(model, points(8, 3).float()).layers}
    assert layers["1"].dead == 1.0 and layers["3"].saturated == 1.0


def test_samples_that_become_one_are_seen():
    model, x = chain(12, 64, nn.Tanh, 0.3), points(10, 64)  # common biases win in the ordered phase
    for linear in model[::2]:
        linear.bias = nn.Parameter(x[0].clone())
    deep = passed(model, x).weighted()
    assert deep[0].similarity < 0.99 and deep[-1].similarity > 1 - 1e-3


@pytest.mark.parametrize("phi", [torch.tanh, torch.relu, nn.functional.elu, nn.functional.gelu])
@pytest.mark.parametrize("q", [0.1, 1.0, 9.0])
def test_gaussian_means_agree_with_adaptive_quadrature(phi, q):
    from scipy.integrate import quad

    def integrand(z: float) -> float:
        value = phi(torch.tensor(q**0.5 * z, dtype=torch.float64)).item()
        return value**2 * math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)

    exact = sum(quad(integrand, *ends, epsabs=1e-13)[0] for ends in ((-12, 0), (0, 12)))
    assert second_moment(phi, q) == pytest.approx(exact, rel=1e-10)


def test_the_mean_slope_is_steins_identity():
    """E phi'(z)^2 for the error function: 4/pi / sqrt(1 + 4 q)."""
    for q in (0.3, 2.0):
        assert squared_slope(torch.erf, q) == pytest.approx(4 / math.pi / (1 + 4 * q) ** 0.5)
    assert gaussian_mean(lambda z: z**4, 2.0) == pytest.approx(12.0)


def test_a_linear_chain_multiplies_by_sigma_w2():
    got = variances(lambda z: z, 1.5, 5, 0.5)
    torch.testing.assert_close(got, 1.5 * 0.5 ** torch.arange(5, dtype=torch.float64))
    assert gradient_factor(lambda z: z, 1.0, 0.5) == pytest.approx(0.5)


def test_the_critical_start_keeps_variance_and_gradient():
    for phi, q in ((torch.tanh, 0.5), (torch.erf, 1.0), (torch.relu, 3.0)):
        w, b = critical_start(phi, q)
        assert variances(phi, q, 6, w, b)[-1].item() == pytest.approx(q, rel=1e-9)
        assert gradient_factor(phi, q, w) == pytest.approx(1.0)
    assert math.isinf(depth_scale(1.0))


def test_flat_activations_and_negative_variances_are_refused():
    with pytest.raises(InputError, match="flat"):
        critical_start(torch.sign, 1.0)
    with pytest.raises(InputError, match="q >= 0"):
        second_moment(torch.tanh, -1.0)


@pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh, nn.GELU, nn.Identity])
def test_wide_random_networks_do_what_mean_field_theory_expects(activation):
    model, x = chain(5, 600, activation, 1.7), points(8, 600)
    found = passed(model, x)
    expected = expected_signal(found)
    for layer, theory in zip(found.layers, expected, strict=True):
        assert layer.name == theory.name
        assert layer.forward == pytest.approx(theory.forward, rel=0.15)
        assert layer.backward == pytest.approx(theory.backward, rel=0.2)


def test_layer_norm_and_convolutions_have_rules():
    rng = torch.Generator().manual_seed(3)
    model = nn.Sequential(
        nn.Conv2d(8, 64, 3), nn.ReLU(), nn.Flatten(), nn.LayerNorm(64 * 36), nn.Linear(64 * 36, 400)
    )
    x = torch.randn(16, 8, 8, 8, generator=rng)
    with restarted(model, "he", rng=rng):
        found = passed(model, x)
        expected = expected_signal(found)
    for layer, theory in zip(found.layers, expected, strict=True):
        assert layer.forward == pytest.approx(theory.forward, rel=0.35)


def test_networks_with_branches_and_unknown_layers_are_named():
    class Skip(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.b(torch.relu(self.a(x)))

    x = points(4, 3).float()
    with pytest.raises(NotApplicableError, match="input of 'b'"):
        expected_signal(passed(Skip(), x))
    with pytest.raises(NotApplicableError, match=r"'1' \(type BatchNorm1d\)"):
        expected_signal(passed(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)), x))


def test_starts_are_compared_and_the_model_is_given_back():
    model, x = chain(8, 100, nn.ReLU, 5.0), points(10, 100)
    before = [p.clone() for p in model.parameters()]
    found = compare_starts(model, lambda: model(x).sum(), rng=torch.Generator().manual_seed(0))
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    forward = {scheme: rates(signal)[0] for scheme, signal in found.items()}
    assert forward["he"] == pytest.approx(1.0, abs=0.15)
    assert forward["xavier"] == pytest.approx(0.5, abs=0.1)
    assert forward["orthogonal"] == pytest.approx(0.5, abs=0.1)


def test_orthogonal_layers_keep_every_length_of_a_linear_network():
    model, x = chain(10, 20, nn.Identity, 1.0), points(5, 20)
    with restarted(model, "orthogonal", rng=torch.Generator().manual_seed(2)):
        found = passed(model, x)
    for layer in found.layers:
        assert layer.forward == pytest.approx(x.square().mean().item(), rel=1e-10)
        assert layer.backward == pytest.approx(1.0, rel=1e-10)
