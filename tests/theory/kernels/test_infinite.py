import math

import numpy as np
import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.infinite import (
    Abs,
    Attention,
    AvgPool,
    Conv,
    Dense,
    Erf,
    Flatten,
    Gelu,
    GlobalAvgPool,
    Kernels,
    LayerNorm,
    LeakyRelu,
    Rbf,
    Relu,
    Residual,
    Scale,
    Sum,
    Tanh,
    network,
)
from corollary.theory.kernels.infinite.angle import angle_polynomial
from corollary.theory.kernels.kernel import is_psd

MLP = network(Dense(1.3, 0.2), Relu(), Dense(1.4, 0.1), LeakyRelu(0.2), Dense(1.1, 0.3))
PLAIN = network(*[Dense(2**0.5), Relu()] * 3, Dense(2**0.5))
RESIDUAL = network(Dense(1.2, 0.1), Residual(Relu(), Dense(1.1)), Erf(), Dense(1.0))
IMAGES = {
    "flatten": network(Conv(1.3, 0.1), Relu(), Conv(1.1), Abs(), Flatten(), Dense(1.2, 0.1)),
    "pooled": network(Conv(1.3), Relu(), Conv(1.1, 0.2), Relu(), GlobalAvgPool(), Dense(1.2)),
    "strided": network(
        Conv(1.2, 0.1, kernel=(3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2)),
        Relu(),
        GlobalAvgPool(),
        Dense(),
    ),
    "circular": network(Conv(1.2, mode="circular"), Relu(), Flatten(), Dense()),
    "average": network(Conv(1.2), Relu(), AvgPool((2, 2)), Conv(1.1), Relu(), Flatten(), Dense()),
}


def draw(*shape, dtype=torch.float64, seed=0):
    return torch.randn(*shape, generator=generator(seed, "kernels", *shape), dtype=dtype)


def with_near_duplicates(n, d, dtype):
    x = draw(n, d, dtype=dtype)
    x[1] = x[0]
    for k in range(2, 8):
        x[k] = x[0] + 10.0**-k * draw(d, dtype=dtype, seed=k)
    x[8], x[9], x[10] = 2 * x[0], -x[0], 0
    return x


@pytest.mark.parametrize("net", [MLP, PLAIN], ids=["biased", "plain"])
@pytest.mark.parametrize("backend", ["torch", "numba"])
def test_float32_keeps_six_digits_of_float64_even_at_near_duplicates(net, backend):
    x = with_near_duplicates(90, 30, torch.float32)
    single, double = (net.kernel(t, backend=backend) for t in (x, x.double()))
    for a, b in zip(single, double, strict=True):
        lengths = b.diagonal().sqrt()
        scale = torch.outer(lengths, lengths).clamp(min=1e-12)
        assert ((a - b).abs() / scale).max() < 1e-6


def test_many_near_duplicates_are_done_by_a_gram_matrix_in_double_precision():
    x = 1 + 1e-3 * draw(120, 20)
    single, double = PLAIN.kernel(x.float()).ntk, PLAIN.kernel(x.float().double()).ntk
    assert ((single - double).abs() / double).max() < 1e-6


@pytest.mark.parametrize("net", [MLP, PLAIN, RESIDUAL], ids=["biased", "plain", "residual"])
def test_compiled_and_torch_paths_agree(net):
    x, y = with_near_duplicates(40, 12, torch.float64), draw(30, 12)
    for second in (None, y):
        fast, slow = (net.kernel(x, second, backend=b) for b in ("numba", "torch"))
        assert torch.allclose(fast.nngp, slow.nngp, rtol=1e-12, atol=1e-12)
        assert torch.allclose(fast.ntk, slow.ntk, rtol=1e-7, atol=1e-9)  # 1e-8 at parallel inputs


@pytest.mark.parametrize("name", IMAGES)
def test_compiled_and_torch_paths_agree_on_images(name):
    x = draw(4, 2, 7, 6)
    fast, slow = (IMAGES[name].kernel(x, backend=b) for b in ("numba", "torch"))
    assert torch.allclose(fast.nngp, slow.nngp, rtol=1e-12)
    assert torch.allclose(fast.ntk, slow.ntk, rtol=1e-7)
    alone = IMAGES[name].kernel(x, ntk=False, backend="numba")
    assert alone.ntk is None and torch.allclose(alone.nngp, fast.nngp, rtol=1e-12)


@pytest.mark.parametrize(
    "net", [MLP, RESIDUAL, IMAGES["flatten"], IMAGES["average"]], ids=["mlp", "res", "conv", "avg"]
)
def test_tiles_diagonal_operator_and_matrix_are_the_same_kernel(net):
    x = draw(23, 5) if net in (MLP, RESIDUAL) else draw(5, 2, 4, 4)
    n = len(x)
    k = net.kernel(x)
    assert torch.allclose(k.ntk, k.ntk.T) and is_psd(k.ntk) and is_psd(k.nngp)
    assert torch.allclose(net.diagonal(x).ntk, k.ntk.diagonal(), rtol=1e-7)
    assert torch.allclose(net.kernel(x, x.clone()).ntk, k.ntk, rtol=1e-6)
    v = draw(n, 2)
    assert torch.allclose(net.operator(x) @ v, k.ntk @ v)
    assert torch.allclose(net.operator(x[:3], x) @ v, k.ntk[:3] @ v, rtol=1e-6)
    assert torch.allclose(net.operator(x, which="nngp").diagonal(), k.nngp.diagonal())
    whole = torch.zeros(n, n, dtype=torch.float64)
    for rank in range(3):
        for tile in net.tiles(x, x.clone(), rank=rank, world=3, memory=2000):
            whole[tile.rows, tile.cols] += tile.ntk
    assert torch.allclose(whole, k.ntk, rtol=1e-6)


GELU = network(Dense(1.1, 0.2), Gelu(), Dense(1.2), Gelu(), Dense())


@pytest.mark.parametrize("backend", ["torch", "numba"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "net", [MLP, RESIDUAL, GELU, *IMAGES.values()], ids=["mlp", "res", "gelu", *IMAGES]
)
def test_the_kernel_of_one_set_is_symmetric_to_the_last_bit(net, dtype, backend):
    x = draw(9, 2, 5, 4, dtype=dtype) if net in IMAGES.values() else draw(300, 7, dtype=dtype)
    for k in net.kernel(x, backend=backend):
        assert torch.equal(k, k.T)
    for tile in net.tiles(x, backend=backend, memory=2**16):
        if tile.rows.start == tile.cols.start:
            square = tile.ntk[:, : len(tile.ntk)]
            assert torch.equal(square, square.T)
    part = x[:5].clone().requires_grad_()
    k = net.kernel(part).ntk
    assert torch.equal(k, k.T) and k.requires_grad


def test_the_operator_is_a_scipy_operator():
    from scipy.sparse.linalg import cg

    x = draw(30, 5)
    k = MLP.ntk(x) + torch.eye(30)
    operator = MLP.operator(x).scipy()
    assert np.allclose(operator @ np.ones(30), (MLP.ntk(x) @ torch.ones(30).double()).numpy())
    solved, failed = cg(operator, k.numpy()[:, 0], maxiter=1000)
    assert failed == 0 and solved.shape == (30,)


def test_a_large_matrix_needs_little_beyond_its_outputs():
    x = draw(1500, 10, dtype=torch.float32)
    out = Kernels(torch.empty(1500, 1500), torch.empty(1500, 1500))
    got = PLAIN.kernel(x, out=out, memory=2**18)
    assert got.nngp is out.nngp
    assert torch.allclose(got.ntk, PLAIN.kernel(x).ntk, rtol=1e-5)


@pytest.mark.parametrize("backend", ["torch", "numba"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_outputs_with_gaps_between_their_rows_get_the_same_kernel(dtype, backend):
    x = with_near_duplicates(300, 12, dtype)  # more than one panel of rows
    wide = torch.full((2, 300, 310), math.nan, dtype=dtype)
    got = PLAIN.kernel(x, out=Kernels(*wide[:, :, 5:305]), backend=backend)
    for a, b in zip(got, PLAIN.kernel(x, backend=backend), strict=True):
        assert torch.allclose(a, b, rtol=1e-6)
    assert bool(wide[:, :, :5].isnan().all() and wide[:, :, 305:].isnan().all())


@pytest.mark.parametrize(("dtype", "digits"), [("float32", 1e-7), ("float64", 5e-15)])
def test_the_polynomial_of_compiled_loops_is_the_angle(dtype, digits):
    u = np.linspace(1e-6, 1.0, 2000).astype(dtype)
    v, (even, odd) = u.astype("float64"), angle_polynomial(dtype)
    p = np.polyval(np.array(even, "float64"), v**2) + v * np.polyval(np.array(odd, "float64"), v**2)
    assert np.abs(np.sqrt(v) * p / (2 * np.arcsin(np.sqrt(v / 2))) - 1).max() < digits


def test_depth_one_is_the_linear_kernel():
    x = draw(6, 4)
    k = network(Dense(1.5, 0.5)).kernel(x)
    assert torch.allclose(k.nngp, 1.5**2 * x @ x.T / 4 + 0.25)
    assert torch.allclose(k.ntk, k.nngp)


def test_derivatives_in_sigma_match_differences_and_are_finite_on_the_diagonal():
    x = with_near_duplicates(11, 4, torch.float64)
    s = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (1.3, 0.4)]

    def total(w, b):
        net = network(Dense(w, b), Relu(), Dense(w, b), Gelu(), Dense(w, b))
        return net.kernel(x, backend="torch").ntk.sum()

    total(*s).backward()
    for k, step in ((0, (1e-5, 0.0)), (1, (0.0, 1e-5))):
        high = total(1.3 + step[0], 0.4 + step[1])
        low = total(1.3 - step[0], 0.4 - step[1])
        assert s[k].grad.item() == pytest.approx(float(high - low) / 2e-5, rel=1e-5)


def test_scale_is_a_factor_and_rbf_a_gaussian_kernel():
    x = draw(5, 3)
    assert torch.allclose(network(Scale(3.0), Dense()).nngp(x), 9 * network(Dense()).nngp(x))
    gaussian = network(Dense(), Rbf(0.5)).nngp(x)
    assert torch.allclose(gaussian, torch.exp(-0.5 * torch.cdist(x, x) ** 2 / 3))


def test_layer_norm_makes_correlations():
    k = network(Dense(3.0), LayerNorm(0.0), Dense()).nngp(draw(4, 3))
    assert torch.allclose(k.diagonal(), torch.ones(4, dtype=torch.float64))


def test_one_dimensional_convolutions_are_images_of_one_row():
    x = draw(3, 2, 8)
    line = network(Conv(1.2, 0.1, kernel=(3,)), Relu(), GlobalAvgPool(), Dense())
    image = network(Conv(1.2, 0.1, kernel=(1, 3)), Relu(), GlobalAvgPool(), Dense())
    for backend in ("torch", "numba"):
        a, b = line.kernel(x, backend=backend), image.kernel(x[:, :, None], backend=backend)
        assert torch.allclose(a.ntk, b.ntk)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (torch.zeros(0, 3), None, "at least one input"),
        (torch.zeros(2, 3), torch.zeros(2, 4), "the same shape"),
        (torch.full((2, 3), math.nan), None, "not finite"),
        (torch.zeros(2, 3, dtype=torch.long), None, "floating point"),
    ],
)
def test_bad_inputs_are_named_in_one_sentence(x, y, words):
    with pytest.raises(InputError, match=words):
        PLAIN.kernel(x, y)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((Relu(), Dense()), "needs Gaussian inputs"),
        ((Dense(), Relu(), Relu()), "needs Gaussian inputs"),
        ((Dense(), Sum(((Relu(),), (Relu(),))), Dense()), "correlated"),
        ((Dense(), Sum(((), ())), Dense()), "correlated"),
        ((), "at least one layer"),
    ],
)
def test_networks_outside_the_theory_are_refused(parts, words):
    with pytest.raises(InputError, match=words):
        network(*parts)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Dense(-1.0), "sigma_w"),
        (lambda: Dense(parametrization="standard"), "fan_in"),
        (lambda: Attention(mechanism="softmax", scaling="sqrt"), "no known closed form"),
        (lambda: Tanh(1), "degree"),
        (lambda: network(Conv(), Flatten()).kernel(draw(2, 5)), "axes"),
        (
            lambda: network(Conv(kernel=(9, 9), padding="valid"), Flatten()).kernel(
                draw(2, 1, 4, 4)
            ),
            "does not fit",
        ),
        (lambda: network(Conv()).kernel(draw(2, 1, 4, 4)), "end it with Flatten"),
        (lambda: list(PLAIN.tiles(draw(2, 3), rank=2, world=2)), "rank"),
        (lambda: PLAIN.operator(draw(2, 3)) @ draw(3), "entries"),
        (lambda: PLAIN.kernel(draw(2, 3), out=Kernels(draw(2, 2), draw(3, 2))), r"out.ntk must be"),
    ],
)
def test_wrong_descriptions_say_what_is_needed(make, words):
    with pytest.raises(InputError, match=words):
        make()
