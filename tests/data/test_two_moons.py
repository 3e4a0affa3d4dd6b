from functools import partial

import pytest
import torch
from sklearn.datasets import make_moons
from torch import nn

from corollary.data.two_moons import two_moons
from corollary.errors import InputError
from corollary.train import fit


def test_without_noise_points_lie_on_the_two_half_circles():
    x, y = two_moons(101, noise=0.0, rng=torch.Generator().manual_seed(0))
    up, down = x[y > 0], x[y < 0]
    assert (len(up), len(down)) == (51, 50)
    assert torch.allclose(up.norm(dim=1), torch.ones(51).double()) and bool((up[:, 1] >= 0).all())
    centre = torch.tensor([1.0, 0.5]).double()
    assert torch.allclose((down - centre).norm(dim=1), torch.ones(50).double())
    assert bool((down[:, 1] <= 0.5).all())


def test_the_moments_are_those_of_scikit_learn():
    x, y = two_moons(40_000, noise=0.1, rng=torch.Generator().manual_seed(1))
    theirs, labels = make_moons(40_000, noise=0.1, random_state=0)
    theirs = torch.tensor(theirs)
    for ours, other in ((x[y > 0], theirs[labels == 0]), (x[y < 0], theirs[labels == 1])):
        torch.testing.assert_close(ours.mean(0), other.mean(0), rtol=0, atol=0.025)
        torch.testing.assert_close(ours.T.cov(), other.T.cov(), rtol=0, atol=0.025)


def test_no_line_separates_them_but_a_small_network_does():
    x, y = two_moons(200, noise=0.05, rng=torch.Generator().manual_seed(2))

    def accuracy(model):
        adam = partial(torch.optim.Adam, lr=0.05)
        fit(model, (x, y[:, None]), nn.SoftMarginLoss(), adam, steps=300)
        return float(((model(x)[:, 0] * y) > 0).double().mean())

    with torch.random.fork_rng():
        torch.manual_seed(0)
        line, network = (
            nn.Linear(2, 1),
            nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)),
        )
    assert accuracy(line.double()) < 0.95 < accuracy(network.double())


@pytest.mark.parametrize(("n", "noise"), [(0, 0.1), (3, -1.0), (3, float("nan"))])
def test_impossible_moons_are_refused(n, noise):
    with pytest.raises(InputError, match="two moons need"):
        two_moons(n, noise=noise, rng=torch.Generator())
