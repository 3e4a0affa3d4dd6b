"""Branches that are added, put side by side or multiplied: described, read, and sampled."""

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.infinite import (
    AvgPool,
    Concat,
    Conv,
    Dense,
    Dropout,
    Erf,
    Flatten,
    GlobalAvgPool,
    Product,
    Relu,
    Residual,
    Sum,
    from_module,
    network,
    sampled_kernels,
)

SIGMAS = {"sigma_w": 1.2, "sigma_b": 0.3}
D = (1.2, 0.3)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed, "branches", *shape), dtype=torch.float64)


class Gated(nn.Module):
    """A gate beside the stem it was made from."""

    def __init__(self, m=6, axis=-1):
        super().__init__()
        self.stem, self.gate, self.value = nn.Linear(3, m), nn.Linear(m, m), nn.Linear(m, m)
        self.head, self.axis = nn.Linear(2 * m, 2), axis

    def forward(self, x):
        h = torch.relu(self.stem(x))
        return self.head(torch.cat([torch.erf(self.gate(h)) * self.value(h), h], self.axis))


class Uneven(nn.Module):
    """Convolutions of 3 and 1 channels side by side, with the image itself."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(2, 3, 3, padding=1), nn.Conv2d(2, 1, 1)
        self.pool, self.head = nn.AdaptiveAvgPool2d(1), nn.Linear(6, 1)

    def forward(self, x):
        both = torch.cat((self.a(x).relu(), self.b(x), x), dim=1)
        return self.head(torch.flatten(self.pool(both), 1))


GATED = network(
    Dense(*D), Relu(), Concat(((Product(((Dense(*D), Erf()), (Dense(*D),))),), ())), Dense(*D)
)
UNEVEN = network(
    Concat(((Conv(*D), Relu()), (Conv(*D, kernel=(1, 1)),), ()), (3, 1, 2)),
    GlobalAvgPool(),
    Dense(*D),
)


@pytest.mark.parametrize(
    ("module", "described", "shape"),
    [
        (Gated(), GATED, (3,)),
        (Gated(axis=1), GATED, (3,)),
        (Uneven(), UNEVEN, (2, 4, 3)),
    ],
)
def test_joins_in_a_module_are_read(module, described, shape):
    x, y = draw(3, *shape), draw(2, *shape, seed=1)
    a, b = from_module(module, **SIGMAS).kernel(x, y), described.kernel(x, y)
    assert torch.allclose(a.nngp, b.nngp, rtol=1e-12)
    assert torch.allclose(a.ntk, b.ntk, rtol=1e-12)


def test_sampled_networks_with_a_gate_and_a_concatenation_have_the_kernels():
    x = draw(3, 3)

    def make(rng):
        net = Gated(80).double()
        with torch.no_grad():
            for layer in net.children():
                layer.weight.normal_(generator=rng).mul_(1.2 / layer.in_features**0.5)
                layer.bias.normal_(generator=rng).mul_(0.3)
        return net

    limit = from_module(make(generator(0)), parametrization="standard", **SIGMAS).kernel(x)
    found = sampled_kernels(make, x, draws=80, rng=generator(0, "gated"))
    assert ((found.nngp - limit.nngp).abs() < 5 * found.nngp_error).all()
    assert ((found.ntk - limit.ntk).abs() < 5 * found.ntk_error).all()
    assert (found.ntk_error < 0.07 * limit.ntk).all()


def test_branches_of_equal_kernels_average_to_the_kernel_and_multiply_to_its_square():
    x, branch = draw(4, 3), (Dense(1.3, 0.2), Relu())
    one = network(*branch, Dense()).kernel(x)
    beside = network(Concat((branch, branch, branch), (1, 5, 2)), Dense()).kernel(x)
    times = network(Product((branch, branch)), Dense()).kernel(x)
    assert torch.allclose(beside.nngp, one.nngp, rtol=1e-14)
    assert torch.allclose(beside.ntk, one.ntk, rtol=1e-14)
    assert torch.allclose(times.nngp, one.nngp**2, rtol=1e-14)
    inner = one.ntk - one.nngp  # what the last layer did not add
    assert torch.allclose(times.ntk, 2 * inner * one.nngp + one.nngp**2, rtol=1e-14)


def test_tiles_diagonal_and_covariance_alone_agree_with_the_matrix():
    x = draw(7, 3)
    k = GATED.kernel(x, memory=2000)
    whole = GATED.kernel(x, x)
    assert torch.allclose(k.ntk, whole.ntk, rtol=1e-13)
    assert torch.allclose(GATED.diagonal(x).ntk, whole.ntk.diagonal(), rtol=1e-13)
    assert torch.equal(GATED.kernel(x, ntk=False).nngp, GATED.kernel(x).nngp)


def test_a_gate_may_be_added_to_its_stem():
    gate = Product(((Dense(), Erf()), (Dense(),)))
    stem = network(Dense(), Dense()).kernel(draw(3, 3)).nngp
    both = network(Dense(), Residual(gate), Dense()).kernel(draw(3, 3)).nngp
    alone = network(Dense(), gate, Dense()).kernel(draw(3, 3)).nngp
    assert torch.allclose(both, stem + alone, rtol=1e-14)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((Dense(), Product(((), ())), Dense()), "depend on each other"),
        ((Dense(), Product(((Relu(),), (Erf(),))), Dense()), "depend on each other"),
        ((Dense(), Concat(((Dense(),), ())), Relu(), Dense()), "concatenation"),
        ((Product(((Dense(),), (Dense(),))), Relu(), Dense()), "a product"),
        ((Dropout(0.1), Dense()), "finitely many"),
        ((Dense(), Dropout(0.1), Relu(), Dense()), "dropout"),
    ],
)
def test_joins_outside_the_theory_are_refused(parts, words):
    with pytest.raises(InputError, match=words):
        network(*parts)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sum(()), "at least one branch"),
        (lambda: Concat(((), ()), (1,)), "one width per branch"),
        (lambda: Concat(((), ()), (1, 0)), "at least 1"),
        (lambda: network(Product(((), ())), Dense()).kernel(draw(2, 3)), "same distribution"),
        (
            lambda: network(
                Concat(((Conv(),), (Conv(), AvgPool((2, 2))))), Flatten(), Dense()
            ).kernel(draw(2, 1, 4, 4)),
            "branches of the same shape",
        ),
        (lambda: from_module(Gated(axis=0)), "along axis 0"),
        (lambda: from_module(Gated(axis=1)).kernel(draw(2, 4, 3)), "axis of positions"),
    ],
)
def test_wrong_joins_say_what_is_needed(make, words):
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize("backend", ["torch", "numba"])
def test_an_activation_after_flatten_is_refused_because_variances_differ(backend):
    """The kernel of the mean variance is another one: order matters for pixels, not for vectors."""
    x = draw(2, 1, 3, 3)
    with pytest.raises(InputError, match="put it before Flatten"):
        network(Conv(), Flatten(), Relu(), Dense()).kernel(x, backend=backend)
    flat = network(Flatten(), Dense(), Flatten(), Relu(), Dense())
    plain = network(Flatten(), Dense(), Relu(), Dense())
    assert torch.allclose(flat.kernel(x).ntk, plain.kernel(x).ntk, rtol=1e-13)
