import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.robustness import FAB, FMN, PGD, Attack, CarliniWagner, DeepFool
from corollary.theory.robustness.balls import size
from corollary.theory.robustness.scores import is_fooled, losses, margins

RADII = {"linf": 0.05, "l2": 0.2, "l1": 0.3}
NORMS = tuple(RADII)
CW = CarliniWagner(steps=20, searches=3, lr=0.05, c=0.1)
FABS = [FAB(norm=norm, steps=6, rivals=2 * (norm == "linf")) for norm in NORMS]


@pytest.mark.parametrize(("norm", "dual"), [("linf", 1), ("l2", 2), ("l1", float("inf"))])
def test_the_boundary_of_a_linear_model_is_found(norm, dual):
    rng = generator(1, "line")
    w = torch.randn(7, generator=rng, dtype=torch.float64)
    x = torch.randn(9, 7, generator=rng, dtype=torch.float64)
    found = FMN(norm=norm, steps=60, box=None)(lambda z: z @ w, x, (x @ w).sign())
    assert bool(found.fooled.all())
    exact = (x @ w).abs() / w.norm(p=dual)
    rtol = 0.05 if norm == "l1" else 0.02
    torch.testing.assert_close(found.size(norm), exact, rtol=rtol, atol=1e-6)


def test_carlini_and_wagner_find_the_boundary_of_a_linear_model():
    rng = generator(1, "line")
    w = torch.randn(7, generator=rng, dtype=torch.float64)
    x = torch.rand(9, 7, generator=rng, dtype=torch.float64) - 0.5
    for box in (None, (-2.0, 2.0)):
        attack = CarliniWagner(steps=40, searches=5, lr=0.05, c=0.1, box=box)
        found = attack(lambda z: z @ w, x, (x @ w).sign())
        assert bool(found.fooled.all())
        exact = (x @ w).abs() / w.norm()
        torch.testing.assert_close(found.size("l2"), exact, rtol=0.05, atol=5e-3)


@pytest.mark.parametrize("attack", [FMN(norm=norm, steps=20) for norm in NORMS] + [CW, *FABS])
def test_everything_is_fooled_inside_the_box_and_judged_right(trained, attack):
    net, x, y = trained()
    found = attack(net, x, y)
    assert found.robust_accuracy == 0 and found.queries is None and isinstance(attack, Attack)
    assert 0 <= float(found.x.min()) and float(found.x.max()) <= 1
    torch.testing.assert_close(found.x, x + found.delta)
    with torch.no_grad():
        assert torch.equal(found.fooled, is_fooled(net(found.x), y))
        torch.testing.assert_close(found.loss, losses(net(found.x), y))
    assert bool((found.delta[found.clean_fooled] == 0).all())


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_fmn_finds_perturbations_as_small_as_deepfool(trained, norm):
    net, x, y = trained()
    fmn, deep = (a(net, x, y).size(norm) for a in (FMN(norm=norm, steps=40), DeepFool(norm)))
    assert float(fmn.mean()) <= 1.03 * float(deep.mean())


def test_more_of_carlini_and_wagner_is_about_as_small_as_fmn(trained):
    net, x, y = trained()
    slow = CarliniWagner(steps=30, searches=4, lr=0.02, c=0.1)(net, x, y).size("l2")
    assert float(slow.median()) <= 1.1 * float(FMN(steps=30)(net, x, y).size("l2").median())


@pytest.mark.parametrize("norm", NORMS)
def test_with_a_radius_the_perturbations_stay_in_the_ball(trained, norm):
    net, x, y = trained()
    eps = RADII[norm]
    found, free = (FMN(e, norm=norm, steps=20)(net, x, y) for e in (eps, float("inf")))
    assert bool((found.size(norm) <= eps * (1 + 1e-12)).all())
    within = free.size(norm) <= 0.99 * eps
    assert 0 < int(within.sum()) < len(x)
    assert float(found.fooled[within].double().mean()) > 0.9  # rounding may part a few ways


def test_a_radius_bounds_carlini_and_wagner_too(trained):
    net, x, y = trained()
    found = CarliniWagner(0.2, steps=20, searches=3, lr=0.05, c=0.1)(net, x, y)
    assert bool((found.size("l2") <= 0.2 * (1 + 1e-12)).all())
    assert 0 < found.robust_accuracy < found.accuracy


def test_a_step_of_fmn_is_one_pass_and_rows_inside_their_radius_are_left_alone(trained):
    net, x, y = trained()

    def counted(z):
        counted.rows += len(z)
        return net(z)

    rows = []
    for eps in (1.0, float("inf")):
        counted.rows = 0
        FMN(eps, steps=30)(counted, x, y)
        rows.append(counted.rows)
    assert rows[0] < 0.6 * rows[1] <= 0.6 * (30 + 1 + 9 + 2) * len(x)


def test_confidence_puts_another_class_ahead(trained):
    net, x, y = trained()
    attack = CarliniWagner(steps=20, searches=3, lr=0.05, c=0.1, confidence=0.5)
    found = attack(net, x, y)
    with torch.no_grad():
        ahead = -margins(net(found.x), y)
    assert float(ahead[found.size("l2") > 0].min()) >= 0.5 - 1e-9


def test_rows_do_not_influence_each_other(trained):
    net, x, y = trained(n=6)
    for attack in (FMN(steps=10), CarliniWagner(steps=10, searches=2, lr=0.05, c=0.1)):
        single = [attack.inputs(net, x[i : i + 1], y[i : i + 1]) for i in range(3)]
        whole = attack.inputs(net, x, y)[:3]
        torch.testing.assert_close(whole, torch.cat(single), rtol=0, atol=2e-3)


def test_a_corner_of_the_box_does_not_hold_fmn_up():
    """The nearest flip to first order leaves the box, and each step goes part of what is left."""
    x, y = torch.tensor([[0.0, 0.5]]).double(), torch.ones(1).double()
    found = FMN(steps=60)(lambda z: 0.3 + 3 * z[:, 0] - z[:, 1] ** 2, x, y)
    assert bool(found.fooled.all())
    assert float(found.size("l2")) == pytest.approx(0.3**0.5 - 0.5, abs=2e-3)


def test_the_module_is_given_back_as_it_came():
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 3)).train()
    x, y = torch.rand(5, 4, generator=generator(0, "x")), torch.arange(5) % 3
    for attack in (FMN(steps=3), CarliniWagner(steps=3, searches=2)):
        attack(net, x, y)
        assert all(module.training for module in net.modules())
        assert all(p.grad is None and p.requires_grad for p in net.parameters())


def test_misuse_is_named(trained):
    net, x, y = trained()
    with pytest.raises(InputError, match="steps >= 1"):
        FMN(steps=0)
    with pytest.raises(InputError, match="gamma"):
        FMN(gamma=1.5)
    with pytest.raises(InputError, match="use FMN"):
        CarliniWagner(norm="linf")
    with pytest.raises(InputError, match="searches"):
        CarliniWagner(searches=0)
    with pytest.raises(InputError, match="confidence"):
        CarliniWagner(confidence=-1.0)
    for attack in (FMN(steps=2), CW):
        with pytest.raises(InputError, match="outside the box"):
            attack(net, 3 * x, y)
        with pytest.raises(InputError, match="BlackBoxAttack"):
            attack(lambda z: net(z).detach(), x, y)


def test_radius_zero_changes_nothing(trained):
    net, x, y = trained()
    for attack in (FMN(0.0), CarliniWagner(0.0)):
        assert torch.equal(attack(net, x, y).x, x)


# Peers.


@pytest.mark.filterwarnings("ignore")
def test_fmn_finds_no_larger_perturbations_than_those_of_foolbox_and_pgd(trained):
    peer = pytest.importorskip("foolbox")
    net, x, y = trained(dtype=torch.float32)
    model = peer.PyTorchModel(net.eval(), bounds=(0, 1))
    ours = FMN(steps=50)(net, x, y).size("l2")
    for attack in (peer.attacks.L2FMNAttack(steps=50), peer.attacks.DDNAttack(steps=50)):
        theirs = attack(model, x, y, epsilons=None)[1]
        with torch.no_grad():
            fooled = is_fooled(net(theirs), y)
        sizes = torch.where(fooled, size(theirs - x, "l2"), torch.inf)
        assert float(ours.median()) <= 1.01 * float(sizes.median())
    pgd = PGD(0.3, norm="l2", alpha=0.01, steps=50, start="zero")(net, x, y)
    assert float(ours[pgd.fooled].median()) <= float(pgd.size("l2")[pgd.fooled].median())


@pytest.mark.filterwarnings("ignore")
def test_carlini_and_wagner_find_no_larger_perturbations_than_in_foolbox(trained):
    peer = pytest.importorskip("foolbox")
    net, x, y = trained(dtype=torch.float32)
    model = peer.PyTorchModel(net.eval(), bounds=(0, 1))
    attack = peer.attacks.L2CarliniWagnerAttack(
        steps=40, binary_search_steps=4, stepsize=0.02, initial_const=0.1, abort_early=False
    )
    theirs = size(attack(model, x, y, epsilons=None)[1] - x, "l2")
    ours = CarliniWagner(steps=40, searches=4, lr=0.02, c=0.1)(net, x, y)
    assert ours.robust_accuracy == 0
    assert float(ours.size("l2").median()) <= 1.01 * float(theirs.median())
