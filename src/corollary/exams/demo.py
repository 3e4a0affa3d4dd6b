"""What ``corollary examine --demo`` examines: a small network and data that need no download.

The network is a plain multilayer perceptron on two moons, healthy except for one common mistake:
its inputs are not centred, as is often the case for raw measurements.
"""

import torch
from torch import Tensor, nn

from corollary.core import generator
from corollary.data.two_moons import two_moons


def build(seed: int = 0) -> tuple[nn.Module, tuple[Tensor, Tensor]]:
    """The network, and its data."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = nn.Sequential(
            nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)
        )
    x, y = two_moons(512, rng=generator(seed, "demo"))
    return model, (40.0 + 10.0 * x.float(), (y > 0).long())
