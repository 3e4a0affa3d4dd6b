from functools import cache

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.models.mlp import MLP


@cache
def blobs(classes=5, n=60, dtype=torch.float64):
    """A net that has learned blobs in the unit cube of 16 dimensions, and what it learned."""
    rng = generator(0, "blobs")
    middles = 0.35 + 0.3 * torch.rand(classes, 16, generator=rng, dtype=dtype)
    y = torch.arange(n) % classes
    x = (middles[y] + 0.12 * torch.randn(n, 16, generator=rng, dtype=dtype)).clamp(0, 1)
    net = MLP([16, 32, 32, classes], rng=rng, dtype=dtype)
    adam = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(60):
        adam.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        adam.step()
    adam.zero_grad()
    return net, x, y


@pytest.fixture(scope="session")
def trained():
    """Net, inputs and labels, for the asking."""
    return blobs
