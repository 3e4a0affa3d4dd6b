"""Operators against dense matrices computed by brute force, one column at a time."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from corollary.errors import InputError, InputTypeError
from corollary.theory.landscape.curvature import Landscape, fisher, gauss_newton, hessian

EXACT = 1e-8  # relative, double precision
CE = nn.CrossEntropyLoss()


def flat_gradient(value, params):
    parts = torch.autograd.grad(value, params, create_graph=True)
    return torch.cat([p.reshape(-1) for p in parts])


def rows_of(vector, params):
    """The derivative of every entry of a vector, by one backward pass each."""
    out = []
    for entry in vector:
        parts = torch.autograd.grad(entry, params, retain_graph=True, allow_unused=True)
        parts = [
            torch.zeros_like(p) if g is None else g for g, p in zip(parts, params, strict=True)
        ]
        out.append(torch.cat([p.reshape(-1) for p in parts]))
    return torch.stack(out).detach()


def dense_hessian(module, x, y):
    params = list(module.parameters())
    with sdpa_kernel(SDPBackend.MATH):
        return rows_of(flat_gradient(CE(module(x), y), params), params)


def jacobian(module, x):
    params = list(module.parameters())
    with sdpa_kernel(SDPBackend.MATH):
        z = module(x)
        return z.detach(), rows_of(z.reshape(-1), params)  # (n c) x p


def softmax_curvature(z):
    """n blocks diag(p) - p p^T."""
    p = z.softmax(1)
    return torch.diag_embed(p) - p[:, :, None] * p[:, None, :]


def close(a, b, tol=EXACT):
    return float((a - b).abs().max()) <= tol * float(b.abs().max())


def test_the_hessian_is_the_one_of_double_backward(network):
    module, x, y = network
    H = hessian(Landscape(module, CE, (x, y)))
    assert close(H.dense(), dense_hessian(module, x, y))
    assert H.asymmetry(rng=torch.Generator().manual_seed(1)) < 1e-13


def test_a_product_is_the_derivative_of_the_gradient(network):
    module, x, y = network
    landscape = Landscape(module, CE, (x, y))
    at, v = landscape.point(), torch.randn(landscape.size, dtype=torch.float64) / 30
    Hv = hessian(landscape) @ v
    slopes = []
    for sign in (1, -1):
        nn.utils.vector_to_parameters(at + sign * 1e-4 * v, module.parameters())
        slopes.append(landscape.gradient())
    difference = (slopes[0] - slopes[1]) / 2e-4
    assert float((difference - Hv).norm()) <= 1e-5 * float(Hv.norm())


def test_gauss_newton_is_jacobian_curvature_jacobian(network):
    module, x, y = network
    z, J = jacobian(module, x)
    J = J.view(len(x), 3, -1)
    G = torch.einsum("nip,nij,njq->pq", J, softmax_curvature(z), J) / len(x)
    assert close(gauss_newton(Landscape(module, CE, (x, y))).dense(), G)


def test_the_true_fisher_is_the_expectation_over_the_models_own_labels(small):
    module, x, y = small
    z, J = jacobian(module, x)
    F_ = 0
    for i in range(len(x)):
        p = z[i].softmax(0)
        for label in range(3):
            slope = (p - F.one_hot(torch.tensor(label), 3)) @ J.view(len(x), 3, -1)[i]
            F_ = F_ + p[label] * torch.outer(slope, slope) / len(x)
    assert close(fisher(Landscape(module, CE, (x, y))).dense(), F_)


def test_the_empirical_fisher_is_the_second_moment_of_gradients(network):
    module, x, y = network
    params = list(module.parameters())
    with sdpa_kernel(SDPBackend.MATH):
        losses = torch.stack([CE(module(x[i : i + 1]), y[i : i + 1]) for i in range(len(x))])
        g = rows_of(losses, params)
    assert close(fisher(Landscape(module, CE, (x, y)), "empirical").dense(), g.T @ g / len(x))


@pytest.mark.parametrize("make", [hessian, gauss_newton, lambda l: fisher(l, "empirical")])
def test_batches_pieces_and_streaming_give_the_same_operator(small, make, monkeypatch):
    module, x, y = small
    whole = make(Landscape(module, CE, (x, y))).dense()
    batches = [(x[:4], y[:4]), (x[4:6], y[4:6]), (x[6:], y[6:])]
    streamed = make(Landscape(module, CE, batches, memory=0))
    assert "recomputed" in streamed.path
    assert close(streamed.dense(), whole, 1e-12)
    monkeypatch.setattr("corollary.theory.landscape.curvature.streamed.PIECE", 1)
    monkeypatch.setattr("corollary.theory.landscape.curvature.streamed.PILOT", 2)
    pieces = make(Landscape(module, CE, (x, y)))
    assert "5 pieces" in pieces.path
    assert close(pieces.dense(), whole, 1e-12)


def test_a_loss_that_is_no_average_is_not_cut(small, monkeypatch):
    module, x, y = small
    uneven = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 5.0, 0.1], dtype=torch.float64))
    whole = hessian(Landscape(module, uneven, (x, y))).dense()
    monkeypatch.setattr("corollary.theory.landscape.curvature.streamed.PIECE", 1)
    monkeypatch.setattr("corollary.theory.landscape.curvature.streamed.PILOT", 2)
    assert close(hessian(Landscape(module, uneven, (x, y))).dense(), whole, 1e-12)


def test_a_sum_is_the_mean_times_the_number_of_examples(small):
    module, x, y = small
    mean = hessian(Landscape(module, CE, (x, y))).dense()
    total = hessian(Landscape(module, nn.CrossEntropyLoss(reduction="sum"), (x, y))).dense()
    assert close(total, len(x) * mean, 1e-12)


def test_a_chosen_part_of_the_parameters_gives_its_block(small):
    module, x, y = small
    whole = hessian(Landscape(module, CE, (x, y))).dense()
    last = hessian(Landscape(module, CE, (x, y), parameters="4"))
    assert close(last.dense(), whole[-15:, -15:], 1e-12)
    module[4].requires_grad_(False)  # also when it is frozen
    frozen = hessian(Landscape(module, CE, (x, y), parameters=["4.weight", "4.bias"]))
    assert close(frozen.dense(), whole[-15:, -15:], 1e-12)
    assert not module[4].weight.requires_grad


def test_parameters_that_do_not_enter_the_loss_have_no_curvature(small):
    module, x, y = small
    whole = hessian(Landscape(module, CE, (x, y))).dense()
    module.unused = nn.Linear(2, 1).double()
    module.forward = lambda x, m=module: m[4](m[3](m[2](m[1](m[0](x)))))
    for make in (hessian, gauss_newton, lambda l: fisher(l, "empirical")):
        found = make(Landscape(module, CE, (x, y)))
        assert found.size == len(whole) + 3
        assert float(found.dense()[-3:].abs().max()) == 0.0
    assert close(hessian(Landscape(module, CE, (x, y))).dense()[:-3, :-3], whole, 1e-12)


def test_a_loss_that_is_linear_in_the_parameters_has_a_zero_hessian():
    module = nn.Linear(2, 1)
    H = hessian(Landscape(module, lambda output: output.mean(), torch.ones(4, 2)))
    assert float(H.dense().abs().max()) == 0.0


def test_the_operator_follows_the_module_when_it_is_trained(small):
    module, x, y = small
    H = hessian(Landscape(module, CE, (x, y)))
    torch.optim.SGD(module.parameters(), lr=1.0)
    with torch.no_grad():
        for p in module.parameters():
            p.add_(0.1)
    assert close(H.dense(), dense_hessian(module, x, y))


def test_blocks_of_columns_and_scipy_agree_with_single_products(small):
    module, x, y = small
    H = hessian(Landscape(module, CE, (x, y)))
    V = torch.randn(H.size, 3, dtype=torch.float64)
    assert torch.allclose(H @ V, torch.stack([H @ v for v in V.T], 1), rtol=1e-13)
    assert torch.allclose(torch.from_numpy(H.to_scipy() @ V.numpy()), H @ V, rtol=1e-13)
    with pytest.raises(InputError, match="vector of length"):
        H @ torch.zeros(3)
    with pytest.raises(InputError, match="GiB"):
        H.dense(limit=5)


def test_a_true_fisher_needs_a_likelihood(small):
    module, x, y = small
    with pytest.raises(InputError, match="likelihood"):
        fisher(Landscape(module, lambda z, y: z.mean(), (x, y)))


def test_gauss_newton_needs_one_tensor(small):
    module, x, y = small
    twice = nn.Module()
    twice.inner, twice.forward = module, lambda x: (module(x), 0)
    with pytest.raises(InputTypeError, match="one tensor"):
        gauss_newton(Landscape(twice, lambda z, y: CE(z[0], y), (x, y)))
