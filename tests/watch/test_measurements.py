"""Numbers against closed forms and against torch's own derivatives."""

import pytest
import torch
from torch import nn
from torch.func import functional_call, hessian, jacrev, vmap
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.optim import SGD, Adam

from corollary.theory.landscape.curvature.noise_scale import two_sizes
from corollary.watch.measure.curvature import CurvatureReader, GraphHessian
from corollary.watch.measure.layers import LayerProbe
from corollary.watch.measure.noise import NoiseAverage, example_squares
from corollary.watch.measure.second_pass import SecondPassHessian
from corollary.watch.measure.trend import trend
from corollary.watch.measure.updates import UpdateReader
from corollary.watch.state import Pass
from corollary.watch.watcher import watch


def small():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
    return model, torch.randn(12, 3), torch.randint(0, 2, (12,))


def dense_hessian(model, x, y):
    names = [n for n, _ in model.named_parameters()]
    shapes = [p.shape for p in model.parameters()]
    flat = torch.cat([p.detach().reshape(-1) for p in model.parameters()])

    def loss(theta):
        parts = theta.split([s.numel() for s in shapes])
        given = {n: v.view(s) for n, v, s in zip(names, parts, shapes, strict=True)}
        return F.cross_entropy(functional_call(model, given, (x,)), y)

    return hessian(loss)(flat)


def test_products_on_the_steps_own_graph_are_those_of_the_hessian():
    model, x, y = small()
    root = F.cross_entropy(model(x), y)
    H = GraphHessian(root, list(model.parameters()))
    expected = dense_hessian(model, x, y)
    v = torch.randn(H.size)
    torch.testing.assert_close(H @ v, expected @ v, rtol=1e-4, atol=1e-6)
    root.backward()  # the graph is still there


def test_the_curvature_of_sgd_is_the_largest_eigenvalue_against_two_over_the_rate():
    model, x, y = small()
    optimizer = SGD(model.parameters(), lr=0.1)
    reader = CurvatureReader(products=12)
    found = reader.read(F.cross_entropy(model(x), y), optimizer, list(model.parameters()))
    top = float(torch.linalg.eigvalsh(dense_hessian(model, x, y))[-1])
    assert found.threshold == pytest.approx(20.0)
    assert found.curvature.value == pytest.approx(top, rel=1e-3)
    assert found.ratio.value == pytest.approx(top / 20, rel=1e-3)


def test_the_curvature_of_adam_is_preconditioned():
    model, x, y = small()
    optimizer = Adam(model.parameters(), lr=1e-2)
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    reader = CurvatureReader(products=12)
    found = reader.read(F.cross_entropy(model(x), y), optimizer, list(model.parameters()))
    H = dense_hessian(model, x, y)
    v = torch.cat([optimizer.state[p]["exp_avg_sq"].reshape(-1) for p in model.parameters()])
    P = (v / (1 - 0.999)).sqrt() + 1e-8
    top = float(torch.linalg.eigvalsh(H / P.sqrt()[:, None] / P.sqrt()[None])[-1])
    assert found.threshold == pytest.approx(3800.0)
    assert found.curvature.value == pytest.approx(top, rel=1e-2)


@pytest.mark.parametrize("kind", ["linear", "sequence", "short", "convolution"])
def test_lengths_of_gradients_of_examples_are_those_of_one_example_at_a_time(kind):
    torch.manual_seed(1)
    layer, x = {
        "linear": (nn.Linear(3, 4), torch.randn(6, 3)),
        "sequence": (nn.Linear(3, 4), torch.randn(6, 5, 3)),
        "short": (nn.Linear(3, 4), torch.randn(6, 2, 3)),
        "convolution": (nn.Conv2d(2, 3, 3, padding=1, stride=2), torch.randn(6, 2, 7, 7)),
    }[kind]
    out = layer(x)
    (delta,) = torch.autograd.grad(out.tanh().flatten(1).sum(1).mean(), out)
    found = example_squares(layer, x, delta, most=6)
    weights = {n: p.detach() for n, p in layer.named_parameters()}
    each = vmap(
        jacrev(lambda w, a: functional_call(layer, w, (a[None],)).tanh().sum()), in_dims=(None, 0)
    )(weights, x)
    expected = each["weight"].flatten(1).square().sum(1)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_both_parts_of_the_noise_scale_are_unbiased():
    G, sigma, B = torch.tensor([1.0, 2.0]), 3.0, 16
    rng = torch.Generator().manual_seed(0)
    g = G + sigma * torch.randn(20_000, B, 2, generator=rng)
    small = g.square().sum(2).mean(1)
    large = g.mean(1).square().sum(1)
    noise, signal = two_sizes(float(small.mean()), float(large.mean()), 1, B)
    # 20,000 draws: four standard errors of each are about 1 %.
    assert noise == pytest.approx(2 * sigma**2, rel=0.01)
    assert signal == pytest.approx(5.0, rel=0.03)


def test_the_critical_batch_size_needs_four_readings():
    average = NoiseAverage()
    for _ in range(3):
        average.add(10.0, 2.0)
    assert average.read() is None
    average.add(10.0, 2.0)
    assert average.read().value == pytest.approx(5.0)


def test_the_watcher_reads_the_noise_scale_of_a_linear_model():
    torch.manual_seed(0)
    model = nn.Linear(4, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = SGD(model.parameters(), lr=0.0)
    w = torch.ones(4, 1)
    with watch(model, optimizer, to=None, quiet=True, overhead=1.0) as watcher:
        for _ in range(150):
            x = torch.randn(32, 4)
            y = x @ w + 0.5 * torch.randn(32, 1)
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
    # At weight 0 an example's gradient is -2 x y with y = x·w + e: G = -2 w, |G|² = 16 and
    # tr Σ = 4 E[|x|² y²] - |G|² = 4 (4 (|w|² + s²) + 2 |w|²) - 16 with s = 0.5.
    exact = (4 * (4 * (4 + 0.25) + 2 * 4) - 16) / 16
    found = watcher.readings["critical batch size"]
    assert found.low <= exact <= found.high
    assert found.high < 2 * exact


def test_the_trend_of_noise_is_not_told_from_zero():
    rng = torch.Generator().manual_seed(0)
    flat = trend(torch.randn(200, generator=rng).tolist())
    assert flat.low < 0 < flat.high
    falling = trend((torch.randn(200, generator=rng) - torch.linspace(0, 5, 200)).tolist())
    assert falling.high < 0


def test_update_lengths_are_those_of_the_parameters():
    model, x, y = small()
    optimizer = SGD(model.parameters(), lr=0.5)
    F.cross_entropy(model(x), y).backward()
    reader = UpdateReader(memory=1 << 20)
    reader.before(list(model.named_parameters()))
    optimizer.step()
    found = reader.after()
    for name, gradient, change in zip(found.names, found.gradients, found.changes, strict=True):
        assert change == pytest.approx(0.5 * gradient, rel=1e-4), name


def test_no_copy_exceeds_its_memory():
    model, _, _ = small()
    for p in model.parameters():
        p.grad = torch.zeros_like(p)
    reader = UpdateReader(memory=40)  # bytes: both biases are 28
    reader.before(list(model.named_parameters()))
    assert [name for name, _, _ in reader.kept] == ["2.bias", "0.bias"]


def test_layers_are_read_in_the_order_of_computation_and_hooks_are_gone():
    model, x, y = small()
    probe = LayerProbe(model)
    probe.attach()
    loss = F.cross_entropy(model(x), y)
    probe.remove_calls()
    loss.backward()
    facts = probe.facts(examples=12)
    assert [f.name for f in facts] == ["0", "2"]
    assert 1 <= facts[1].rank <= 5
    probe.forget()
    assert all(not m._forward_hooks for m in model.modules())


class Attention(nn.Module):
    """Torch's fused attention, which has no second derivative."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(4, 12), nn.Linear(4, 2)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        mixed = F.scaled_dot_product_attention(q[:, None], k[:, None], v[:, None])
        return self.out(mixed[:, 0]).mean(1)


def test_a_second_pass_gives_products_where_the_first_has_no_second_derivative():
    torch.manual_seed(0)
    model, x, y = Attention(), torch.randn(6, 5, 4), torch.randint(0, 2, (6,))
    parameters = list(model.parameters())
    output = model(x)
    root = F.cross_entropy(output, y) + 0.1 * output.square().mean()
    with pytest.raises(RuntimeError, match="derivative"):
        GraphHessian(root, parameters).product(torch.ones(sum(p.numel() for p in parameters)))
    found = Pass((x,), {}, True, torch.get_rng_state(), output)
    H = SecondPassHessian(root, found, model, parameters)
    v = torch.randn(H.size)
    with sdpa_kernel(SDPBackend.MATH):
        again = model(x)
        plain = GraphHessian(F.cross_entropy(again, y) + 0.1 * again.square().mean(), parameters)
        torch.testing.assert_close(H @ v, plain @ v, rtol=1e-3, atol=1e-5)
    root.backward()


def test_a_warm_up_from_zero_does_not_end_the_measurement_of_curvature():
    model, x, y = small()
    optimizer = SGD(model.parameters(), lr=0.1)
    warm_up = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 10))
    with watch(model, optimizer, to=None, quiet=True, overhead=1.0) as watcher:
        for _ in range(30):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            warm_up.step()
    assert watcher.problems == []
    assert watcher.readings["threshold"].value == pytest.approx(20.0)
