import copy

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError, InputTypeError
from corollary.models.mlp import MLP
from corollary.theory.robustness.black_box import (
    BlackBoxAttack,
    difference_gradient,
    random_direction_gradient,
)
from corollary.theory.robustness.flip import DeepFool, flip_distance, linear_flip
from corollary.theory.robustness.gradient_attacks import FGSM, IFGSM, PGD
from corollary.theory.robustness.linear import worst_margin, worst_perturbation
from corollary.theory.robustness.risk import adversarial_risk, linear_adversarial_risk
from corollary.theory.robustness.scores import is_fooled, loss_slope, losses, margins

NORMS = ("linf", "l2", "l1")


def image_net(dtype=torch.float64) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(36, 20),
        nn.BatchNorm1d(20),
        nn.ReLU(),
        nn.Dropout(),
        nn.Linear(20, 5),
    ).to(dtype)


def images(n=12, dtype=torch.float64):
    rng = generator(0, "images")
    x = torch.rand(n, 1, 6, 6, generator=rng, dtype=dtype)
    return x, image_net(dtype).eval()(x).argmax(1)


def line(d=7):
    rng = generator(1, "line")
    model = nn.Linear(d, 1, bias=False).double()
    with torch.no_grad():
        model.weight.normal_(generator=rng)
    x = torch.randn(9, d, generator=rng, dtype=torch.float64)
    with torch.no_grad():
        y = model(x)[:, 0].sign()
    return model, model.weight.detach()[0], x, y


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("attack", [FGSM, PGD])
def test_attacks_on_linear_models_equal_the_oracle(norm, attack):
    model, w, x, y = line()
    options = {} if attack is FGSM else {"start": "zero", "keep": "last"}
    found = attack(0.3, norm=norm, box=None, **options)(model, x, y)
    torch.testing.assert_close(found.delta, worst_perturbation(w, y, 0.3, norm))
    with torch.no_grad():
        left = margins(model(found.x), y)
    torch.testing.assert_close(left, worst_margin(w, x, y, 0.3, norm))


@pytest.mark.parametrize("norm", NORMS)
def test_from_random_starts_projected_ascent_reaches_the_oracle(norm):
    model, w, x, y = line()
    found = PGD(0.3, alpha=0.1, steps=60, norm=norm, box=None, keep="best")(
        model, x, y, rng=generator(0, norm)
    )
    with torch.no_grad():
        left = margins(model(found.x), y)
    torch.testing.assert_close(left, worst_margin(w, x, y, 0.3, norm), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("keep", ["fooled", "best", "last"])
@pytest.mark.parametrize("norm", NORMS)
def test_perturbations_stay_in_ball_and_box(norm, keep):
    x, y = images()
    eps = {"linf": 0.2, "l2": 1.0, "l1": 3.0}[norm]
    found = PGD(eps, steps=7, norm=norm, keep=keep)(image_net(), x, y, rng=generator(0, "a"))
    assert bool((found.size(norm) <= eps * (1 + 1e-12)).all())
    assert 0 <= float(found.x.min()) and float(found.x.max()) <= 1
    torch.testing.assert_close(found.x, x + found.delta)


@pytest.mark.parametrize("keep", ["fooled", "best"])
def test_the_loss_is_at_least_the_clean_loss(keep):
    x, y = images()
    found = PGD(0.1, steps=5, keep=keep)(image_net(), x, y, rng=generator(0, "b"))
    assert bool((found.loss >= found.clean_loss).all())
    net = image_net().eval()
    with torch.no_grad():
        torch.testing.assert_close(found.loss, losses(net(found.x), y))
        assert torch.equal(found.fooled, is_fooled(net(found.x), y))


def test_iterated_steps_have_a_larger_loss_than_one():
    x, y = images(40)
    one = FGSM(0.2)(image_net(), x, y)
    many = IFGSM(0.2, 0.04, 10, keep="best")(image_net(), x, y)
    assert many.loss.mean() > one.loss.mean()


@pytest.mark.parametrize(
    "make",
    [
        lambda: FGSM(0.1),
        lambda: PGD(0.1, steps=3),
        lambda: BlackBoxAttack(0.1, queries=9),
        lambda: DeepFool(steps=2),
    ],
)
def test_the_module_is_given_back_as_it_came(make):
    net = image_net().train()
    net(torch.rand(4, 1, 6, 6).double()).sum().backward()
    before, grads = copy.deepcopy(net.state_dict()), [p.grad.clone() for p in net.parameters()]
    x, y = images()
    state = torch.get_rng_state()
    make()(net, x, y, rng=generator(0, "kept"))
    assert net.training and all(m.training for m in net.modules())
    assert all(
        torch.equal(a, b) for a, b in zip(before.values(), net.state_dict().values(), strict=True)
    )
    assert all(torch.equal(p.grad, g) for p, g in zip(net.parameters(), grads, strict=True))
    assert torch.equal(torch.get_rng_state(), state)


def test_what_is_returned_can_be_trained_on():
    net, (x, y) = image_net(), images()
    z = PGD(0.1, steps=2)(net, x, y, rng=generator(0, "t")).x
    assert not z.requires_grad and not z.is_inference()
    nn.functional.cross_entropy(net(z), y).backward()


def test_rows_do_not_influence_each_other():
    x, y = images()
    attack = PGD(0.15, steps=8, start="zero")
    whole = attack.inputs(image_net(), x, y)
    single = torch.cat([attack.inputs(image_net(), x[i : i + 1], y[i : i + 1]) for i in range(12)])
    torch.testing.assert_close(whole, single)


def test_freezing_changes_where_a_row_stops_but_not_whether_it_falls():
    x, y = images(40)
    frozen = PGD(0.15, steps=10, start="zero")(image_net(), x, y)
    ever = PGD(0.15, steps=10, start="zero", keep="best", objective="margin")(image_net(), x, y)
    assert bool((frozen.fooled >= ever.fooled).float().mean() > 0.95)
    assert float(frozen.size("l2").mean()) <= float(ever.size("l2").mean())


@pytest.mark.parametrize("keep", ["fooled", "best", "last"])
def test_steps_with_momentum_follow_the_sum_of_directions(keep):
    x, y = images()
    net, z, speed = image_net().eval(), x.clone(), torch.zeros_like(x)
    for _ in range(4):
        leaf = z.requires_grad_(True)
        (g,) = torch.autograd.grad(nn.functional.cross_entropy(net(leaf), y, reduction="sum"), leaf)
        speed = 0.5 * speed + g / g.abs().sum(dim=(1, 2, 3), keepdim=True)
        z = (z.detach() + 0.002 * speed.sign()).clamp(x - 0.005, x + 0.005).clamp(0, 1)
    found = IFGSM(0.005, 0.002, 4, momentum=0.5, keep=keep)(net, x, y)
    if keep == "last":
        torch.testing.assert_close(found.x, z)
        return
    with torch.no_grad():
        end = losses(net(z), y)
    if keep == "best":
        assert bool((found.loss >= end - 1e-9).all())
    else:
        stands = ~found.fooled & (end > found.clean_loss)
        assert bool(stands.any())
        torch.testing.assert_close(found.x[stands], z[stands])
    assert float(found.size("linf").max()) <= 0.005 + 1e-12


def test_restarts_only_help():
    x, y = images(40)
    once = PGD(0.08, steps=4)(image_net(), x, y, rng=generator(0, "r"))
    often = PGD(0.08, steps=4, restarts=5)(image_net(), x, y, rng=generator(0, "r"))
    assert often.robust_accuracy <= once.robust_accuracy


def test_a_confident_float32_network_has_a_direction_where_its_loss_has_none():
    net, (x, y) = image_net(torch.float32).eval(), images(dtype=torch.float32)
    with torch.no_grad():
        net[-1].weight.mul_(1e6)
        net[-1].bias.mul_(1e6)
    z = x.clone().requires_grad_(True)
    (g,) = torch.autograd.grad(nn.functional.cross_entropy(net(z), y), z)
    assert float(g.abs().amax()) == 0
    assert PGD(0.3, steps=10)(net, x, y, rng=generator(0, "c")).robust_accuracy < 0.5


@pytest.mark.parametrize("eps", [-0.1, float("nan"), float("inf")])
def test_a_radius_that_is_none_is_refused(eps):
    for attack in (FGSM, PGD, BlackBoxAttack):
        with pytest.raises(InputError, match="eps"):
            attack(eps)


def test_radius_zero_changes_nothing():
    x, y = images()
    for attack in (FGSM(0.0), PGD(0.0, alpha=0.1), BlackBoxAttack(0.0)):
        assert torch.equal(attack(image_net(), x, y, rng=generator(0, "z")).x, x)


def test_misuse_is_named():
    x, y = images()
    net = image_net()
    with pytest.raises(InputError, match="outside the box"):
        FGSM(0.1)(net, 255 * x, y)
    with pytest.raises(InputError, match="whole class numbers"):
        FGSM(0.1)(net, x, y + 5)
    with pytest.raises(InputTypeError, match="real numbers"):
        FGSM(0.1)(net, (255 * x).to(torch.uint8), y)
    with pytest.raises(InputTypeError, match="rng: expected a whole number or a torch.Generator"):
        PGD(0.1)(net, x, y, rng=True)
    with pytest.raises(InputError, match="momentum"):
        PGD(0.1, momentum=1.0, step="gradient")
    with pytest.raises(InputError, match="BlackBoxAttack"):
        FGSM(0.1).inputs(lambda x: net(x.detach()).detach(), x, y)
    with pytest.raises(InputError, match="labels -1 and \\+1"):
        FGSM(0.1)(nn.Sequential(nn.Flatten(), nn.Linear(36, 1).double()), x, y)


def test_the_slope_of_the_loss_is_autograds_up_to_a_factor_a_row():
    out = torch.randn(6, 4, dtype=torch.float64, generator=generator(0, "slope"))
    y = torch.tensor([0, 1, 2, 3, 0, 1])
    leaf = out.clone().requires_grad_(True)
    (true,) = torch.autograd.grad(losses(leaf, y).sum(), leaf)
    torch.testing.assert_close(loss_slope(out, y, scaled=True), true)
    cosine = nn.functional.cosine_similarity(loss_slope(out, y), true)
    torch.testing.assert_close(cosine, torch.ones_like(cosine))


# Black box.


def test_central_differences_are_exact_to_second_order():
    def value(x):
        return x.sin().sum(dim=1)

    x = torch.randn(3, 5, dtype=torch.float64, generator=generator(0, "fd"))
    errors = [float((difference_gradient(value, x, h) - x.cos()).abs().max()) for h in (0.1, 0.05)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.02)


def test_random_directions_average_to_the_gradient():
    g = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    x = torch.zeros(1, 3, dtype=torch.float64)
    found = random_direction_gradient(lambda x: x @ g, x, 40_000, rng=generator(0, "nes"))
    torch.testing.assert_close(found[0], g, rtol=0, atol=0.1)


class Counting:
    """A model without gradients that counts the rows it is asked for."""

    def __init__(self, net):
        self.net, self.rows = net.eval(), 0

    def __call__(self, x):
        assert not torch.is_grad_enabled()
        self.rows += len(x)
        return self.net(x)


@pytest.mark.parametrize("method", ["square", "nes", "coordinates"])
@pytest.mark.parametrize("queries", [2, 50, 200])
def test_the_budget_of_queries_is_respected(method, queries):
    x, y = images(5)
    model = Counting(image_net())
    found = BlackBoxAttack(0.001, queries=queries, method=method)(
        model, x, y, rng=generator(0, "q")
    )
    assert found.queries <= queries
    judging = 5  # rows of the last pass
    assert model.rows - judging <= 5 * found.queries


@pytest.mark.parametrize(("method", "queries"), [("coordinates", 1500), ("square", 600)])
def test_with_enough_queries_black_box_is_near_white_box(method, queries):
    x, y = images(40)
    white = PGD(0.15, steps=20)(image_net(), x, y, rng=generator(0, "w")).robust_accuracy
    attack = BlackBoxAttack(0.15, queries=queries, method=method)
    assert attack(image_net(), x, y, rng=generator(0, "bb")).robust_accuracy <= white + 0.1


def test_the_square_attack_takes_vectors_and_pictures_without_channels():
    net = MLP([36, 20, 5], rng=generator(0, "v"), dtype=torch.float64)
    x, _ = images()
    for inputs, model in (
        (x.flatten(1), net),
        (x[:, 0], lambda z: net(z.flatten(1))),
    ):
        with torch.no_grad():
            y = model(inputs).argmax(1)
        found = BlackBoxAttack(0.3, queries=200)(model, inputs, y, rng=generator(0, "s"))
        assert found.robust_accuracy < 1 and float(found.size("linf").max()) <= 0.3 + 1e-12


# Minimal flips.


@pytest.mark.parametrize(("norm", "order"), [("l2", 2), ("linf", 1), ("l1", float("inf"))])
def test_flip_distance_is_exact_for_linear_models(norm, order):
    model, w, x, y = line()
    expected = (x @ w).abs() / w.norm(p=order)
    torch.testing.assert_close(flip_distance(model, x, y, norm), expected)
    found = DeepFool(norm, box=None, overshoot=0.0)(model, x, y)
    torch.testing.assert_close(found.size(norm), expected, rtol=1e-3, atol=1e-3)


def test_flip_distance_over_classes_is_that_of_the_nearest_one():
    rng = generator(0, "classes")
    W = torch.randn(4, 3, generator=rng, dtype=torch.float64)
    x = torch.randn(10, 3, generator=rng, dtype=torch.float64)
    y = (x @ W.T).argmax(1)
    gaps = (x @ W.T).gather(1, y[:, None]) - x @ W.T
    lengths = (W[y][:, None] - W[None]).norm(dim=2)
    expected = torch.where(lengths > 0, gaps / lengths, torch.inf).amin(dim=1)
    torch.testing.assert_close(flip_distance(lambda z: z @ W.T, x, y), expected)


def test_a_linear_step_maps_f_to_minus_f():
    _, w, x, _ = line()
    for point in x:
        f = float(point @ w)
        assert float(linear_flip(point, f, w) @ w) == pytest.approx(-f)
    with pytest.raises(InputError, match="zero"):
        linear_flip(x[0], 1.0, 0 * w)


def test_a_zero_gradient_is_refused():
    x = torch.ones(1, 2)
    with pytest.raises(InputError, match="gradient is zero"):
        flip_distance(lambda z: 1 + 0 * z.sum(1), x, torch.ones(1))


def test_deepfool_fools_every_row_inside_the_box():
    x, y = images(60)
    found = DeepFool()(image_net(), x, y)
    assert found.robust_accuracy == 0
    pgd = PGD(3.0, alpha=0.05, steps=100, norm="l2", start="zero")(image_net(), x, y)
    assert found.size("l2").median() <= pgd.size("l2").median() * 1.05


# Risk.


def test_the_adversarial_risk_of_a_linear_model_is_exact_monotone_and_the_risk_at_zero():
    model, w, x, y = line()
    radii = [0.0, 0.1, 0.2, 0.4]
    found = [adversarial_risk(model, x, y, FGSM(e, box=None)) for e in radii]
    exact = [linear_adversarial_risk(w, x, y, e) for e in radii]
    assert [f.adversarial for f in found] == pytest.approx(exact)
    assert exact == sorted(exact) and exact[0] == pytest.approx(found[0].clean)


def test_the_risk_does_not_depend_on_the_batch():
    x, y = images()
    attack = PGD(0.1, steps=3, start="zero", keep="best")
    a, b = (adversarial_risk(image_net(), x, y, attack, batch_size=k) for k in (5, 100))
    assert a.adversarial == pytest.approx(b.adversarial) and a.robust == b.robust
    assert a.adversarial >= a.clean and a.robust_accuracy <= a.accuracy


# Peers.


def torchattacks():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("torchattacks")


@pytest.mark.filterwarnings("ignore")
def test_fgsm_and_pgd_are_those_of_torchattacks():
    peer, net, (x, y) = torchattacks(), image_net().eval(), images()
    torch.testing.assert_close(FGSM(0.1).inputs(net, x, y), peer.FGSM(net, eps=0.1)(x, y))
    theirs = peer.PGD(net, eps=0.1, alpha=0.02, steps=10, random_start=False)(x, y)
    torch.testing.assert_close(IFGSM(0.1, 0.02, 10, keep="last").inputs(net, x, y), theirs)
    theirs = peer.MIFGSM(net, eps=0.1, alpha=0.02, steps=10, decay=0.7)(x, y)
    ours = IFGSM(0.1, 0.02, 10, momentum=0.7, keep="last")
    torch.testing.assert_close(ours.inputs(net, x, y), theirs)
    theirs = peer.PGDL2(net, eps=1.0, alpha=0.2, steps=10, random_start=False)(x, y)
    ours = PGD(1.0, alpha=0.2, steps=10, norm="l2", start="zero", keep="last")
    torch.testing.assert_close(ours.inputs(net, x, y), theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_pgd_is_at_least_as_strong_as_torchattacks():
    peer, net, (x, y) = torchattacks(), image_net().eval(), images(100)
    torch.manual_seed(0)
    theirs = peer.PGD(net, eps=0.08, alpha=0.01, steps=20)(x, y)
    with torch.no_grad():
        robust = float((net(theirs).argmax(1) == y).double().mean())
    ours = PGD(0.08, alpha=0.01, steps=20)(net, x, y, rng=generator(0, "strong"))
    assert ours.robust_accuracy <= robust + 0.02
