from functools import partial

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.robustness import APGD, FAB, Attack, DeepFool, InTurn, robust_curve
from corollary.theory.robustness.balls import size
from corollary.theory.robustness.boundaries import boundaries, boundary_towards, drawn_in
from corollary.theory.robustness.scores import is_fooled

RADII = {"linf": 0.05, "l2": 0.2, "l1": 0.3}
NORMS = tuple(RADII)


@pytest.mark.parametrize(("norm", "dual"), [("linf", 1), ("l2", 2), ("l1", float("inf"))])
def test_the_boundary_of_a_linear_model_is_found(norm, dual):
    rng = generator(1, "line")
    w = torch.randn(7, generator=rng, dtype=torch.float64)
    x = torch.randn(9, 7, generator=rng, dtype=torch.float64)
    found = FAB(norm=norm, steps=5, box=None)(lambda z: z @ w, x, (x @ w).sign())
    assert bool(found.fooled.all())
    torch.testing.assert_close(
        found.size(norm), (x @ w).abs() / w.norm(p=dual), rtol=2e-3, atol=1e-6
    )


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_fab_finds_perturbations_as_small_as_deepfool(trained, norm):
    net, x, y = trained()
    fab, deep = (
        attack(net, x, y).size(norm) for attack in (FAB(norm=norm, steps=12), DeepFool(norm))
    )
    assert float(fab.mean()) <= 1.03 * float(deep.mean())


@pytest.mark.parametrize("norm", NORMS)
def test_with_a_radius_the_perturbations_stay_in_the_ball(trained, norm):
    net, x, y = trained()
    attack = FAB(RADII[norm], norm=norm, steps=8)
    found, free = attack(net, x, y), FAB(norm=norm, steps=8)(net, x, y)
    assert isinstance(attack, Attack)
    assert bool((found.size(norm) <= RADII[norm] * (1 + 1e-12)).all())
    within = free.size(norm) <= RADII[norm] * (1 - 1e-2)
    assert 0 < int(within.sum()) < len(x)
    # rows that are done leave the batch, so the others are rounded otherwise: a few may part ways
    assert float(found.fooled[within].double().mean()) > 0.9
    assert bool((found.loss >= found.clean_loss)[~found.clean_fooled].all())


def test_a_row_inside_its_radius_costs_no_more_steps(trained):
    net, x, y = trained()

    def counted(z):
        counted.rows += len(z)
        return net(z)

    rows = []
    for eps in (0.5, float("inf")):
        counted.rows = 0
        FAB(eps, steps=12, rivals=1)(counted, x, y)
        rows.append(counted.rows)
    assert rows[0] < 0.7 * rows[1]
    assert rows[1] <= (2 * 12 + 9 + 2) * len(x)


def test_more_runs_only_help(trained):
    net, x, y = trained()
    attack = FAB(steps=5)
    one, more = attack(net, x, y), FAB(steps=5, restarts=2)(net, x, y, rng=generator(0, "r"))
    assert bool((more.size("linf") <= one.size("linf") * (1 + 1e-9)).all())


def test_rows_do_not_influence_each_other(trained):
    net, x, y = trained(n=6)
    for attack in (FAB(steps=4), FAB(0.05, steps=4, rivals=2)):
        single = [attack.inputs(net, x[i : i + 1], y[i : i + 1]) for i in range(3)]
        whole = attack.inputs(net, x, y)[:3]
        torch.testing.assert_close(whole, torch.cat(single), rtol=0, atol=1e-3)


def test_two_classes_are_one_score(trained):
    net, x, y = trained(classes=2)
    signs, gap = 2.0 * y - 1, lambda z: net(z)[:, 1] - net(z)[:, 0]
    for rivals in (0, 3):
        attack = FAB(norm="l2", steps=5, rivals=rivals)
        sizes = [found.size("l2") for found in (attack(net, x, y), attack(gap, x, signs))]
        # other rounding may choose another way at a fork, for some rows
        assert float(torch.isclose(*sizes, rtol=1e-2, atol=1e-4).double().mean()) > 0.8
        torch.testing.assert_close(sizes[0].mean(), sizes[1].mean(), rtol=0.02, atol=0.0)


def test_a_flat_model_is_left_alone():
    x, y = torch.rand(4, 3, dtype=torch.float64), torch.ones(4, dtype=torch.float64)
    found = FAB(steps=3)(lambda z: 1 + 0 * z.sum(1), x, y)
    assert torch.equal(found.x, x) and found.robust_accuracy == 1


def test_fab_takes_its_turn_and_draws_curves(trained):
    net, x, y = trained()
    alone = APGD(0.05, steps=10, start="zero")
    found = InTurn((alone, FAB(0.05, steps=10)))(net, x, y)
    assert bool((found.fooled >= alone(net, x, y).fooled).all())
    curve = robust_curve(partial(FAB, steps=5), net, x, y, [0.02, 0.2])
    assert curve.robust_accuracies[0] > curve.robust_accuracies[1]


def test_the_module_is_given_back_and_pictures_are_welcome():
    torch.manual_seed(0)
    first, last = nn.Conv2d(1, 2, 3), nn.Linear(8, 3)
    net = nn.Sequential(first, nn.BatchNorm2d(2), nn.Dropout(), nn.Flatten(), last)
    x = torch.rand(5, 1, 4, 4, generator=generator(0, "x"))
    with torch.no_grad():
        y = net.eval()(x).argmax(1)
    found = FAB(steps=3)(net.train(), x, y)
    assert found.x.shape == x.shape and all(module.training for module in net.modules())
    assert all(p.grad is None and p.requires_grad for p in net.parameters())


def test_misuse_of_fab_is_named(trained):
    net, x, y = trained()
    with pytest.raises(InputError, match="at least 1"):
        FAB(steps=0)
    with pytest.raises(InputError, match="eps"):
        FAB(-0.1)
    with pytest.raises(InputError, match="outside the box"):
        FAB()(net, 3 * x, y)
    with pytest.raises(InputError, match="BlackBoxAttack"):
        FAB(steps=2)(lambda z: net(z).detach(), x, y)


def test_radius_zero_changes_nothing(trained):
    net, x, y = trained()
    assert torch.equal(FAB(0.0)(net, x, y).x, x)


# Boundaries.


def test_one_boundary_is_a_column_of_all_of_them(trained):
    net, x, y = trained()
    rival = (y + 1) % 5
    gaps, slopes = boundaries(net, x, y)
    gap, slope = boundary_towards(net, x, y, rival)
    rows = torch.arange(len(x))
    torch.testing.assert_close(gap, gaps[rows, rival])
    torch.testing.assert_close(slope, slopes[rows, rival])
    assert bool(gaps[rows, y].isinf().all()) and bool((slopes[rows, y] == 0).all())


def test_drawing_in_ends_just_behind_the_boundary():
    x, y = torch.zeros(3, 2, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    moved = torch.tensor([[1.0, 0.0], [1.5, 0.0], [0.5, 0.0]], dtype=torch.float64)
    z = drawn_in(lambda z: 0.9 - z[:, 0], x, y, moved)
    assert z[:2, 0].tolist() == pytest.approx([0.9, 0.9], abs=2e-3)
    assert bool((z[:2, 0] >= 0.9).all()) and torch.equal(z[2], moved[2])


# Peers.


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_fab_finds_no_larger_perturbations_than_that_of_torchattacks(trained, norm):
    peer = pytest.importorskip("torchattacks")
    net, x, y = trained(dtype=torch.float32)
    model, images = nn.Sequential(nn.Flatten(), net), x.view(-1, 1, 4, 4)
    name = {"linf": "Linf", "l2": "L2"}[norm]
    theirs = peer.FAB(model, norm=name, eps=10.0, steps=20, n_classes=5)(images, y)
    with torch.no_grad():
        fooled = is_fooled(model(theirs), y)
    sizes = torch.where(fooled, size(theirs - images, norm), torch.inf)
    ours = FAB(norm=norm, steps=20)(model, images, y)
    assert ours.robust_accuracy == 0
    assert float(ours.size(norm).median()) <= 1.001 * float(sizes.median())
