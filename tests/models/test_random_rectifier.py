import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.random_rectifier import random_rectifier


def test_weights_have_the_size_of_he_and_biases_the_size_asked_for():
    net = random_rectifier(50, [400, 400], bias=0.3, rng=generator(0))
    assert float(net[0].weight.detach().std()) == pytest.approx((2 / 50) ** 0.5, rel=0.03)
    assert float(net[2].weight.detach().std()) == pytest.approx((2 / 400) ** 0.5, rel=0.03)
    assert float(net[2].bias.detach().std()) == pytest.approx(0.3, rel=0.15)


def test_the_same_generator_gives_the_same_network():
    a, b = (random_rectifier(2, [3], activation=nn.Hardtanh, rng=generator(1)) for _ in range(2))
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))
    assert isinstance(a[1], nn.Hardtanh) and len(a) == 3


def test_empty_shapes_are_refused():
    with pytest.raises(InputError, match="at least 1"):
        random_rectifier(2, [], rng=generator(0))
