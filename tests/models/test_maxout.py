import pytest
import torch

from corollary.errors import InputError
from corollary.models.maxout import Maxout

W = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
X = torch.randn(50, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def two_pieces(first, second):
    return Maxout.of(torch.stack([first, second])[None], torch.zeros(1, 2, dtype=torch.float64))


def test_two_pieces_make_relu_leaky_relu_and_the_absolute_value():
    z = X @ W
    cases = {0.0: torch.relu(z), 0.1: torch.nn.functional.leaky_relu(z, 0.1), -1.0: z.abs()}
    for factor, expected in cases.items():
        torch.testing.assert_close(two_pieces(W, factor * W)(X)[:, 0], expected)


def test_it_is_convex():
    layer = Maxout(3, 7, 5, rng=torch.Generator().manual_seed(1))
    a, b = X[:25], X[25:]
    assert bool((layer((a + b) / 2) <= (layer(a) + layer(b)) / 2 + 1e-12).all())


def test_it_is_the_maximum_of_its_pieces():
    layer = Maxout(3, 7, 5, rng=torch.Generator().manual_seed(1))
    assert layer.pieces(X).shape == (50, 7, 5)
    assert torch.equal(layer(X), layer.pieces(X).max(-1).values)
    assert torch.autograd.gradcheck(layer, (X[:3].clone().requires_grad_(True),))


def test_bad_shapes_are_refused():
    with pytest.raises(InputError, match="pieces=0"):
        Maxout(3, 1, 0, rng=torch.Generator())
    with pytest.raises(InputError, match="points with 3 features"):
        two_pieces(W, W)(X[:, :2])
