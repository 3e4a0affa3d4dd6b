import copy

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.robustness import APGD, FGSM, PGD
from corollary.theory.robustness.ascent import ascend, checkpoints
from corollary.theory.robustness.climbing import Ball
from corollary.theory.robustness.goals import Goal
from corollary.theory.robustness.linear import worst_margin
from corollary.theory.robustness.scores import (
    is_fooled,
    lead_of_others,
    logit_ratio,
    logit_ratio_towards,
    losses,
    margins,
)

RADII = {"linf": 0.05, "l2": 0.2}


@pytest.mark.parametrize("objective", ["loss", "margin"])
@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_apgd_reaches_the_worst_case_of_a_linear_model(norm, objective):
    rng = generator(1, "line")
    w = torch.randn(7, generator=rng, dtype=torch.float64)
    x = torch.randn(9, 7, generator=rng, dtype=torch.float64)
    y = (x @ w).sign()
    attack = APGD(0.1, norm=norm, box=None, steps=30, objective=objective)
    found = attack(lambda z: z @ w, x, y, rng=rng)
    worst = worst_margin(w, x, y, 0.1, norm)
    assert torch.equal(found.fooled, ~(worst > 0))
    stands = ~found.fooled
    assert bool(stands.any()) and bool(found.fooled.any())
    torch.testing.assert_close((y * (found.x @ w))[stands], worst[stands], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_apgd_is_no_weaker_than_pgd_of_as_many_passes(trained, norm):
    net, x, y = trained()
    for seed in range(2):
        robust = {
            make: make(RADII[norm], norm=norm, steps=20)(
                net, x, y, rng=generator(seed, "same")
            ).robust_accuracy
            for make in (PGD, APGD)
        }
        assert 0.05 < robust[PGD] < 0.95
        assert robust[APGD] <= robust[PGD] + 1 / len(x)


@pytest.mark.parametrize(
    "options", [{}, {"objective": "dlr"}, {"objective": "margin"}, {"rivals": 4}]
)
@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_perturbations_stay_in_ball_and_box_and_are_judged_right(trained, norm, options):
    net, x, y = trained()
    found = APGD(RADII[norm], norm=norm, steps=9, **options)(net, x, y, rng=generator(0, "in"))
    assert bool((found.size(norm) <= RADII[norm] * (1 + 1e-12)).all())
    assert 0 <= float(found.x.min()) and float(found.x.max()) <= 1
    with torch.no_grad():
        assert torch.equal(found.fooled, is_fooled(net(found.x), y))
        torch.testing.assert_close(found.loss, losses(net(found.x), y))
    assert found.robust_accuracy < found.accuracy


def test_rivals_find_more_than_the_loss_alone(trained):
    net, x, y = trained()
    alone = APGD(0.05, steps=20)(net, x, y, rng=generator(0, "one"))
    rivals = APGD(0.05, steps=20, rivals=9)(net, x, y, rng=generator(0, "one"))
    assert rivals.robust_accuracy <= alone.robust_accuracy


def test_rows_do_not_influence_each_other(trained):
    net, x, y = trained(n=6)
    attack = APGD(0.05, steps=15, start="zero")
    single = [attack.inputs(net, x[i : i + 1], y[i : i + 1]) for i in range(6)]
    torch.testing.assert_close(attack.inputs(net, x, y), torch.cat(single))


def test_more_restarts_only_help(trained):
    net, x, y = trained()
    few = APGD(0.05, steps=5)(net, x, y, rng=generator(0, "few"))
    more = APGD(0.05, steps=5, restarts=4)(net, x, y, rng=generator(0, "few"))
    assert bool((more.fooled >= few.fooled).all())


@pytest.mark.parametrize("steps", [1, 2, 7, 20, 100])
def test_checkpoints_grow_and_lie_before_the_end(steps):
    found = checkpoints(steps)
    assert found == sorted(set(found)) and all(0 < k < steps for k in found)


def test_a_row_that_swings_halves_its_step_until_it_is_at_the_top():
    x = torch.zeros(1, 1, dtype=torch.float64)
    goal = Goal(torch.ones(1, dtype=torch.float64), "margin")
    ball = Ball(x, 1.0, "linf", None)
    point, height, hit = ascend(lambda z: 1 + 3 * (z[:, 0] - 0.3).abs(), goal, ball, x, 100)
    assert abs(float(point) - 0.3) < 0.02 and float(height) > -1.06 and not bool(hit)
    fixed = PGD(1.0, alpha=2.0, steps=100, box=None, start="zero", keep="best", objective="margin")
    assert abs(float(fixed.inputs(lambda z: 1 + 3 * (z[:, 0] - 0.3).abs(), x, goal.y)) - 0.3) > 0.2


def test_ratios_of_logits_do_not_change_when_logits_are_scaled():
    out = torch.randn(30, 6, generator=generator(0, "out"), dtype=torch.float64)
    y, rival = torch.arange(30) % 6, (torch.arange(30) + 2) % 6
    torch.testing.assert_close(logit_ratio(1e3 * out, y), logit_ratio(out, y))
    torch.testing.assert_close(
        logit_ratio_towards(1e3 * out, y, rival), logit_ratio_towards(out, y, rival)
    )
    assert torch.equal(logit_ratio(out, y) >= 0, is_fooled(out, y))


def test_the_log_odds_rank_as_the_loss_does():
    out = torch.randn(50, 4, generator=generator(0, "rank"), dtype=torch.float64)
    y = torch.arange(50) % 4
    torch.testing.assert_close(nn.functional.softplus(lead_of_others(out, y)), losses(out, y))


def test_a_confident_float32_network_hides_nothing_from_apgd(trained):
    net, x, y = trained(dtype=torch.float32)
    loud = nn.Sequential(net, nn.Linear(5, 5, bias=False))
    with torch.no_grad():
        loud[1].weight.copy_(1e6 * torch.eye(5))
    for objective in ("loss", "margin", "dlr"):
        attack = APGD(0.05, steps=10, objective=objective)
        quiet, big = (attack(m, x, y, rng=generator(0, "c")).robust_accuracy for m in (net, loud))
        assert big == pytest.approx(quiet, abs=0.1) and big < 0.9


def test_the_module_is_given_back_as_it_came():
    net = nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 5)).train()
    x = torch.rand(6, 16, generator=generator(0, "x"))
    before, state = copy.deepcopy(net.state_dict()), torch.get_rng_state()
    APGD(0.1, steps=3)(net, x, torch.arange(6) % 5, rng=generator(0, "kept"))
    assert all(module.training for module in net.modules())
    after = net.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    assert all(p.grad is None for p in net.parameters())
    assert torch.equal(torch.get_rng_state(), state)


def test_radius_zero_changes_nothing(trained):
    net, x, y = trained()
    assert torch.equal(APGD(0.0, steps=2)(net, x, y).x, x)


def test_misuse_of_apgd_is_named(trained):
    net, x, y = trained(classes=2)
    with pytest.raises(InputError, match="use PGD"):
        APGD(0.1, norm="l1")
    with pytest.raises(InputError, match="three classes"):
        APGD(0.1, objective="dlr", start="zero")(net, x, y)
    with pytest.raises(InputError, match="at least 1"):
        APGD(0.1, steps=0)
    with pytest.raises(InputError, match="so rivals must be 0"):
        APGD(0.1, rivals=2, start="zero")(net, x, y, target=1 - y)


def test_few_classes_and_single_scores_have_rivals_too(trained):
    net, x, y = trained(classes=2)
    found = APGD(0.15, steps=10, rivals=9)(net, x, y, rng=generator(0, "two"))
    assert found.robust_accuracy < found.accuracy
    signs, gap = 2.0 * y - 1, lambda z: net(z)[:, 1] - net(z)[:, 0]
    same = APGD(0.15, steps=10, rivals=9)(gap, x, signs, rng=generator(0, "two"))
    assert torch.equal(same.fooled, found.fooled)


# Targets.


@pytest.mark.parametrize(
    "attack",
    [
        PGD(0.3, steps=20),
        APGD(0.3, steps=20),
        APGD(0.3, steps=20, objective="dlr"),
        FGSM(0.3),
        PGD(0.3, steps=20, keep="best", objective="margin"),
    ],
)
def test_a_target_is_reached_where_the_result_says_so(trained, attack):
    net, x, y = trained()
    target = (y + 1) % 5
    found = attack(net, x, y, target=target, rng=generator(0, "t"))
    with torch.no_grad():
        assert torch.equal(found.reached, net(found.x).argmax(1) == target)
    assert float(found.reached.double().mean()) > (0.2 if isinstance(attack, FGSM) else 0.6)
    assert bool((found.fooled | ~found.reached).all())
    assert attack(net, x, y, rng=generator(0, "t")).reached is None


def test_towards_the_other_of_two_classes_is_away_from_the_label(trained):
    net, x, y = trained(classes=2)
    for attack in (FGSM(0.1), PGD(0.1, start="zero", steps=5), APGD(0.1, start="zero", steps=5)):
        away, to = attack(net, x, y), attack(net, x, y, target=1 - y)
        torch.testing.assert_close(away.x, to.x)
        assert torch.equal(away.fooled, to.reached)


def test_a_step_towards_a_target_descends_its_loss(trained):
    net, x, y = trained()
    target = (y + 2) % 5
    moved = FGSM(1e-4).inputs(net, x, y, target=target)
    with torch.no_grad():
        assert bool((losses(net(moved), target) < losses(net(x), target)).all())


def test_a_row_that_is_at_its_target_stays(trained):
    net, x, y = trained()
    with torch.no_grad():
        target = net(x).argmax(1)
    for attack in (PGD(0.1), APGD(0.1)):
        assert torch.equal(attack(net, x, y, target=target, rng=generator(0, "s")).x, x)


def test_a_target_that_does_not_fit_is_named(trained):
    net, x, y = trained()
    for attack in (FGSM(0.1), PGD(0.1, start="zero"), APGD(0.1, start="zero")):
        with pytest.raises(InputError, match="one target class for each"):
            attack(net, x, y, target=y[:1])
        with pytest.raises(InputError, match="whole class numbers"):
            attack(net, x, y, target=y + 5)


# Peers.


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("loss", "objective"), [("ce", "loss"), ("dlr", "dlr")])
@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_apgd_is_as_strong_as_that_of_torchattacks(trained, norm, loss, objective):
    peer = pytest.importorskip("torchattacks")
    net, x, y = trained(dtype=torch.float32)
    model = nn.Sequential(nn.Flatten(), net)
    images = x.view(-1, 1, 4, 4)
    name = {"linf": "Linf", "l2": "L2"}[norm]
    theirs = peer.APGD(model, norm=name, eps=RADII[norm], steps=20, loss=loss)(images, y)
    with torch.no_grad():
        robust = float((margins(model(theirs), y) > 0).double().mean())
    ours = APGD(RADII[norm], norm=norm, steps=20, objective=objective)
    assert ours(model, images, y, rng=generator(0, "p")).robust_accuracy <= robust + 0.05
