import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.robustness import PGD, AutoAttack, BlackBoxAttack
from corollary.theory.robustness.balls import size
from corollary.theory.robustness.bumps import Bumps, halved_bump
from corollary.theory.robustness.climbing import Ball
from corollary.theory.robustness.scores import is_fooled, margins


def pictures(dtype=torch.float64):
    """A random net on pictures with two channels, and its own labels."""
    rng = generator(0, "pictures")
    x = torch.rand(40, 2, 7, 9, generator=rng, dtype=dtype)
    w = torch.randn(126, 5, generator=rng, dtype=dtype)

    def model(z):
        return z.flatten(1) @ w

    return model, x, model(x).argmax(1)


@pytest.mark.parametrize("side", [1, 2, 3, 6, 9])
def test_a_bump_has_two_halves_of_opposite_signs_and_size_one(side):
    bump = halved_bump(side, like=torch.zeros(1, dtype=torch.float64))
    assert float(bump.norm()) == pytest.approx(1)
    assert bool((bump[:, : side // 2] > 0).all()) and bool((bump[:, side // 2 :] < 0).all())
    columns = bump.abs()[:, side // 2 :]
    assert float(columns.amax()) == float(columns[side // 2, columns.shape[1] // 2])


@pytest.mark.parametrize("box", [None, (0.0, 1.0)])
@pytest.mark.parametrize("shape", [(2, 7, 9), (1, 28, 28), (30,)])
def test_trials_fill_the_ball_and_stay_in_the_box(shape, box):
    rng = generator(0, "bumps")
    x = torch.rand(6, *shape, generator=rng, dtype=torch.float64)
    bumps = Bumps(Ball(x, 0.5, "l2", box), rng)
    best = bumps.first()
    for share in (0.8, 0.2, 0.01):
        best = bumps.trial(best, share)
        length = size(best - bumps.x, "l2")
        assert bool((length <= 0.5 * (1 + 1e-12)).all())
        if box is None:
            torch.testing.assert_close(length, torch.full_like(length, 0.5))
        else:
            assert 0 <= float(best.min()) and float(best.max()) <= 1


def test_a_trial_empties_one_square_and_fills_another():
    x = torch.zeros(20, 1, 12, 12, dtype=torch.float64)
    bumps = Bumps(Ball(x, 1.0, "l2", None), generator(0, "move"))
    flat = torch.full_like(x, 1 / 12)  # of size 1
    changed = ((bumps.trial(flat, 0.05) - flat).abs() > 1e-9).sum(dim=(1, 2, 3))
    assert bool((changed > 9).all()) and bool((changed <= 18).all())  # 3 by 3, one or two of them


def test_squares_in_the_l2_ball_are_judged_right_and_counted():
    model, x, y = pictures()
    attack = BlackBoxAttack(1.0, norm="l2", queries=60)
    found = attack(model, x, y, rng=generator(0, "s"))
    assert bool((found.size("l2") <= 1 + 1e-12).all()) and found.queries <= 60
    assert 0 <= float(found.x.min()) and float(found.x.max()) <= 1
    assert torch.equal(found.fooled, is_fooled(model(found.x), y))
    more = BlackBoxAttack(1.0, norm="l2", queries=200)(model, x, y, rng=generator(0, "s"))
    assert more.robust_accuracy <= found.robust_accuracy < 1


def test_squares_in_the_l2_ball_take_vectors(trained):
    net, x, y = trained()
    white = PGD(0.3, norm="l2", steps=20)(net, x, y, rng=generator(0, "v")).robust_accuracy
    found = BlackBoxAttack(0.3, norm="l2", queries=120)(net, x, y, rng=generator(0, "v"))
    assert found.robust_accuracy <= white + 0.25 and bool((found.size("l2") <= 0.3 + 1e-12).all())


def test_squares_in_the_l1_ball_are_refused():
    with pytest.raises(InputError, match="use method='nes'"):
        BlackBoxAttack(0.1, norm="l1")


# Peers.


@pytest.mark.filterwarnings("ignore")
def test_squares_in_the_l2_ball_are_as_strong_as_those_of_torchattacks():
    peer = pytest.importorskip("torchattacks")
    model, x, y = pictures(torch.float32)
    x = x[:, :, :, :7]  # its images are square
    net = nn.Sequential(nn.Flatten(), nn.Linear(98, 5))
    with torch.no_grad():
        y = net(x).argmax(1)
    theirs = peer.Square(net, norm="L2", eps=0.5, n_queries=200, seed=0)(x, y)
    with torch.no_grad():
        robust = float((margins(net(theirs), y) > 0).double().mean())
    found = BlackBoxAttack(0.5, norm="l2", queries=200)(net, x, y, rng=generator(0, "p"))
    assert found.robust_accuracy <= robust + 0.05


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("norm", "eps"), [("linf", 0.05), ("l2", 0.4)])
def test_the_ensemble_leaves_no_more_standing_than_that_of_torchattacks(trained, norm, eps):
    peer = pytest.importorskip("torchattacks")
    net, x, y = trained(dtype=torch.float32)
    model = nn.Sequential(nn.AvgPool2d(2), nn.Flatten(), net)
    images = x.view(-1, 1, 4, 4).repeat_interleave(2, 2).repeat_interleave(2, 3)
    name = {"linf": "Linf", "l2": "L2"}[norm]
    images, y = images[:20], y[:20]
    theirs = peer.AutoAttack(model, norm=name, eps=eps, n_classes=5, seed=0)(images, y)
    with torch.no_grad():
        robust = float((margins(model(theirs), y) > 0).double().mean())
    found = AutoAttack(eps, norm=norm, queries=1000)(model, images, y, rng=generator(0, "a"))
    assert found.robust_accuracy <= robust + 1e-9
