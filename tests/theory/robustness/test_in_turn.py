from functools import partial

import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.robustness import (
    APGD,
    FAB,
    FGSM,
    PGD,
    Attack,
    AutoAttack,
    BlackBoxAttack,
    InTurn,
    robust_curve,
)
from corollary.theory.robustness.scores import is_fooled, losses


@pytest.fixture
def learned(trained):
    """The net, its inputs, and labels of which three are wrong."""
    net, x, y = trained()
    with torch.no_grad():
        y = net(x).argmax(1)
    y[:3] = (y[:3] + 1) % 5
    return net, x, y


class Rows:
    """A model that counts the rows it is asked for."""

    def __init__(self, net):
        self.net, self.count = net, 0

    def __call__(self, x):
        self.count += len(x)
        return self.net(x)


def test_attacks_in_turn_fool_all_that_one_of_them_fools(learned):
    net, x, y = learned
    attacks = (FGSM(0.03), PGD(0.03, steps=5, start="zero"), APGD(0.03, steps=10, start="zero"))
    alone = [attack(net, x, y).fooled for attack in attacks]
    found = InTurn(attacks)(net, x, y)
    assert torch.equal(found.fooled, alone[0] | alone[1] | alone[2])
    with torch.no_grad():
        assert torch.equal(found.fooled, is_fooled(net(found.x), y))
        torch.testing.assert_close(found.loss, losses(net(found.x), y))
    torch.testing.assert_close(found.x, x + found.delta)
    assert found.accuracy == pytest.approx(1 - 3 / 60)


def test_later_attacks_see_survivors_only(learned):
    net, x, y = learned
    model, black = Rows(net), BlackBoxAttack(0.05, queries=20)
    black(model, x, y, rng=generator(0, "b"))
    whole, model.count = model.count, 0
    pgd = PGD(0.05, steps=5, start="zero")
    left = float((~pgd(model, x, y).fooled).double().mean())
    before, model.count = model.count, 0
    assert 0 < left < 0.6
    InTurn((pgd, black))(model, x, y, rng=generator(0, "b"))
    assert model.count - before < 0.8 * whole


@pytest.mark.parametrize(("norm", "eps"), [("linf", 0.05), ("l2", 0.2)])
def test_the_ensemble_is_at_least_as_strong_as_its_first_attack(learned, norm, eps):
    net, x, y = learned
    first = APGD(eps, norm=norm, steps=10)(net, x, y, rng=generator(0, "e"))
    attack = AutoAttack(eps, norm=norm, steps=10, queries=50)
    found = attack(net, x, y, rng=generator(0, "e"))
    assert isinstance(attack, Attack) and (attack.eps, attack.norm) == (eps, norm)
    assert bool((found.fooled >= first.fooled).all()) and found.robust_accuracy < found.accuracy
    assert bool((found.size(norm) <= eps * (1 + 1e-12)).all())


def test_squares_fool_a_model_that_hides_its_gradient(learned):
    net, x, y = learned

    def rounded(z):
        return net((8 * z).round() / 8) + 0 * z.sum(1, keepdim=True)

    with torch.no_grad():
        y = rounded(x).argmax(1)
    found = AutoAttack(0.1, steps=5, queries=200)(rounded, x, y, rng=generator(0, "h"))
    assert APGD(0.1, steps=5)(rounded, x, y, rng=generator(0, "h")).robust_accuracy > 0.8
    assert found.robust_accuracy < 0.1


def test_attacks_on_different_balls_are_refused():
    with pytest.raises(InputError, match="share one ball"):
        InTurn((FGSM(0.1), FGSM(0.2)))
    with pytest.raises(InputError, match="share one ball"):
        InTurn(())


# Several radii.


def test_the_curve_of_a_linear_model_is_exact():
    w = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    x = torch.randn(50, 3, generator=generator(0, "x"), dtype=torch.float64)
    y, radii = (x @ w).sign(), [0.05, 0.2, 0.4, 0.8]
    curve = robust_curve(partial(FGSM, box=None), lambda z: z @ w, x, y, radii)
    distance = (x @ w).abs() / w.abs().sum()
    exact = [float((distance > r).double().mean()) for r in radii]
    assert curve.robust_accuracies == pytest.approx(exact) and curve.accuracy == 1


def test_a_curve_attacks_only_what_stands(learned):
    net, x, y = learned
    radii = [0.01, 0.03, 0.05, 0.1]
    make = partial(PGD, steps=5, start="zero")
    model = Rows(net)
    curve = robust_curve(make, model, x, y, radii)
    spent, model.count = model.count, 0
    alone = [make(eps)(model, x, y).robust_accuracy for eps in radii]
    assert spent < model.count
    found = curve.robust_accuracies
    assert found == sorted(found, reverse=True)
    assert all(a <= b for a, b in zip(found, alone, strict=True))
    assert curve.accuracy == pytest.approx(1 - 3 / 60)
    fell = (curve.fell_at > 0) & curve.fell_at.isfinite()
    assert bool(((curve.x - x).abs().amax(1)[fell] <= curve.fell_at[fell] + 1e-12).all())
    with torch.no_grad():
        assert torch.equal(is_fooled(net(curve.x), y), curve.fell_at.isfinite())


@pytest.mark.parametrize("radii", [[], [0.0, 0.1], [0.2, 0.1], [0.1, 0.1]])
def test_radii_that_do_not_grow_are_refused(learned, radii):
    net, x, y = learned
    with pytest.raises(InputError, match="growing"):
        robust_curve(FGSM, net, x, y, radii)


@pytest.mark.parametrize(
    "attack",
    [
        PGD(0.1, keep="last"),
        APGD(0.1, steps=5),
        FAB(0.1, restarts=2, steps=5),
        BlackBoxAttack(0.1, queries=30),
        BlackBoxAttack(0.1, queries=30, method="nes"),
        InTurn((PGD(0.1, steps=2), BlackBoxAttack(0.1, queries=10))),
    ],
    ids=lambda attack: type(attack).__name__,
)
def test_without_rng_an_attack_starts_from_the_seed_0(attack, trained):
    net, x, y = trained()
    plain, seeded = attack(net, x, y).x, attack(net, x, y, rng=torch.Generator().manual_seed(0)).x
    assert torch.equal(plain, seeded) and torch.equal(plain, attack.inputs(net, x, y, rng=0))
    assert not torch.equal(plain, attack(net, x, y, rng=1).x)
