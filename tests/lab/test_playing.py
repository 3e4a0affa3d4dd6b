"""The playground trains, and what theory says beside it is right."""

import base64
import math

import pytest
import torch
from torch.func import functional_call

from corollary.lab.settings import ACTIVATIONS, CLASSES, OPTIMIZERS, SURFACES, PlaySettings
from corollary.lab.work.advice import advice, step_advice
from corollary.lab.work.health import Health
from corollary.lab.work.playing import Table
from corollary.lab.work.point_sets import cloud
from corollary.lab.work.training import Playground
from corollary.theory.expressivity.bounds import serra_upper
from corollary.theory.landscape.curvature.interval import Estimate


def play(steps=0, **settings):
    made = Playground(PlaySettings(**settings))
    for _ in range(steps):
        made.step()
    return made


def dense_hessian(made):
    """All second derivatives, written out."""
    names = [name for name, _ in made.model.named_parameters()]
    start = [p.detach() for p in made.model.parameters()]
    flat = torch.cat([p.flatten() for p in start])

    def loss(vector):
        parts = vector.split([p.numel() for p in start])
        values = {n: v.view_as(p) for n, v, p in zip(names, parts, start, strict=True)}
        penalty = sum((v**2).sum() for n, v in values.items() if n.endswith("weight"))
        loss = made.loss(functional_call(made.model, values, (made.inputs,)), made.y)
        return loss + made.settings.l2 / 2 * penalty

    return torch.autograd.functional.hessian(loss, flat)


@pytest.mark.parametrize(("loss", "l2"), [("logistic", 0.0), ("squared", 0.0), ("squared", 1.0)])
def test_the_limit_is_two_over_the_largest_eigenvalue(loss, l2):
    made = play(30, hidden=(4,), activation="tanh", loss=loss, l2=l2)
    largest = float(torch.linalg.eigvalsh(dense_hessian(made))[-1])
    found = made.theory()
    assert found["sharpness"] == pytest.approx(largest, rel=0.05)
    assert found["limit"] == pytest.approx(2 / largest, rel=0.05)


def test_below_the_limit_the_loss_falls_and_far_beyond_it_rises():
    limit = play(hidden=(6,), loss="squared").theory()["limit"]
    calm = play(5, hidden=(6,), loss="squared", lr=round(0.5 * limit, 6))
    wild = play(5, hidden=(6,), loss="squared", lr=round(8 * limit, 6))
    start = play(hidden=(6,), loss="squared").row()["loss"]
    assert calm.row()["loss"] < start < wild.row()["loss"]


def test_the_same_settings_give_the_same_run():
    assert play(40, data="rings", batch=16).row() == play(40, data="rings", batch=16).row()
    assert play(40, seed=1).row() != play(40, seed=2).row()


def test_theory_changes_nothing_of_the_run():
    watched, alone = play(), play()
    for _ in range(10):
        watched.theory()
        watched.step()
        alone.step()
    assert watched.row() == alone.row()


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_learns_the_moons(optimizer):
    made = play(300, optimizer=optimizer, lr=0.02 if optimizer == "adam" else 0.3, noise=0.1)
    assert made.frame()["errors"][1] < 0.2


@pytest.mark.parametrize("name", CLASSES)
def test_every_cloud_has_both_classes_about_the_origin(name):
    x, y = cloud(name, 200, 0.1, rng=torch.Generator().manual_seed(0))
    assert x.shape == (200, 2) and sorted(set(y.tolist())) == [-1.0, 1.0]
    assert x.mean(0).abs().max() < 0.5 and abs(float(y.mean())) < 0.1


@pytest.mark.parametrize("name", SURFACES)
def test_heights_are_learned_by_the_squared_loss(name):
    made = play(data=name, hidden=(24,), activation="tanh", optimizer="adam", lr=0.05, noise=0.0)
    off = made.frame()["errors"]
    assert off[0] == pytest.approx((2 * made.row()["loss"]) ** 0.5, rel=1e-4)  # of half the mean
    for _ in range(300):
        made.step()
    assert made.frame()["errors"][1] < 0.3 * off[1]
    assert made.points()["regression"] and not all(abs(v) == 1 for v in made.y.tolist())
    assert made.theory()["alignment"] is not None


def test_the_spiral_is_learned_by_three_layers_and_not_by_a_line():
    settings = {"data": "spiral", "noise": 0.0, "optimizer": "adam", "lr": 0.02}
    deep = play(400, hidden=(24, 24, 12), activation="tanh", **settings)
    assert deep.frame()["errors"][1] < 0.1
    assert play(400, activation="linear", **settings).frame()["errors"][1] > 0.3


def test_widths_go_layer_by_layer_into_the_network_and_the_bound():
    made = play(hidden=(7, 1, 3))
    assert [p.shape[0] for p in made.model.parameters() if p.ndim == 2] == [7, 1, 3, 1]
    assert made.points()["parameters"] == 7 * 3 + 1 * 8 + 3 * 2 + 1 * 4
    assert made.theory()["regions_note"] == f"at most {int(serra_upper(2, [7, 1, 3]))} by theory"


def test_the_penalty_is_the_decay_of_weights_but_not_of_biases():
    made, plain = play(l2=0.01), play()
    theirs = [
        {"params": [p for p in plain.model.parameters() if p.ndim == 2], "weight_decay": 0.01},
        {"params": [p for p in plain.model.parameters() if p.ndim == 1]},
    ]
    plain.optimizer = torch.optim.SGD(theirs, lr=plain.settings.lr)
    for _ in range(20):
        made.step()
        plain.step()
    for ours, other in zip(made.model.parameters(), plain.model.parameters(), strict=True):
        torch.testing.assert_close(ours, other)


def test_the_picture_of_a_unit_is_its_answer_over_the_square():
    made = play(50, hidden=(5, 20), activation="tanh")
    first, second, _ = made.frame()["layers"]
    assert (first["units"], first["shown"], second["units"], second["shown"]) == (5, 5, 20, 16)
    cells = torch.tensor(list(base64.b64decode(second["grid"]))).view(16, 16 * 16)
    with torch.no_grad():
        answers = made.model[:4](made.tile).T[:16]
    shares = (cells - 128) / 127
    torch.testing.assert_close(
        shares.double(), answers / answers.abs().amax(1, True), rtol=0, atol=0.5 / 127 + 1e-6
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_linear_regions_are_counted_where_there_are(activation):
    found = play(hidden=(5, 5), activation=activation).theory()
    if activation in ("relu", "leaky relu", "linear"):
        assert found["regions"] == len(found["polygons"]) >= 1
        assert (found["regions"] == 1) == (activation == "linear")
    else:
        assert found["regions"] is None and "smooth" in found["regions_note"]


def test_the_picture_is_the_sign_of_the_network():
    made = play(100)
    cells = base64.b64decode(made.frame()["grid"])
    with torch.no_grad():
        signs = made.model(made.grid)[:, 0] > 0
    agree = [(c > 128) == s for c, s in zip(cells, signs.tolist(), strict=True) if c != 128]
    assert all(agree) and len(agree) > 3000


def test_the_kernel_has_not_turned_at_the_start():
    assert play().theory()["turn"] == pytest.approx(0, abs=1e-9)
    assert play(200).theory()["turn"] > 0.01


@pytest.mark.parametrize(
    ("lr", "severity", "said"),
    [
        (0.1, "none", "stable"),
        (0.95, "low", "edge of stability"),
        (1.05, "low", "edge of stability"),
        (1.5, "medium", "rises at first"),
        (5.0, "high", "should diverge"),
        (0.0005, "low", "slow"),
    ],
)
def test_the_warning_of_theory_follows_the_step(lr, severity, said):
    found, text = step_advice(PlaySettings(lr=lr), Estimate(1.0, 0.99, 1.01, 0.95))
    assert found == severity and said in text


def test_adam_is_not_judged_by_the_limit_of_gradient_descent():
    assert play(optimizer="adam", hidden=(3,)).theory()["edge"] is None
    settings = PlaySettings(lr=50.0, optimizer="adam")
    severity, text = step_advice(settings, Estimate(1.0, 0.9, 1.1, 0.95))
    assert severity == "none" and "Adam" in text


def test_a_network_that_a_large_learning_rate_killed_is_not_called_stable():
    made = play(50, lr=20.0)
    out = made.model[:4](made.inputs)
    assert (out == 0).all() and made.row()["loss"] > math.log(2)
    found = made.theory()
    assert found["limit"] > 10 * 20.0  # by its curvature alone all would be well
    assert found["advice"]["severity"] == "high"
    assert "All 8 units of hidden layer 2 are dead" in found["advice"]["text"]


@pytest.mark.parametrize(
    ("health", "severity", "said"),
    [
        (Health(0, 0.8, 0.8, 0.7), "none", "stable"),  # before the first step there is no news
        (Health(9, 0.6, 0.8, 0.7), "none", "stable"),
        (Health(9, 0.75, 0.8, 0.7), "low", "is 0.75, still above 0.7, the loss of the best"),
        (Health(9, 2.47, 0.8, 0.7), "medium", "has risen to 2.47, above 0.7"),
        (Health(9, 0.6, 0.8, 0.7, ((1, 8), (0, 8))), "none", "Dead units: 1 of 16."),
        (Health(9, 0.6, 0.8, 0.7, ((7, 8), (2, 8))), "low", "Dead units: 9 of 16."),
        (Health(9, 0.6, 0.8, 0.7, ((0, 8), (4, 4))), "high", "All 4 units of hidden layer 2"),
    ],
)
def test_a_stable_learning_rate_is_good_only_where_the_network_learns(health, severity, said):
    found = advice(PlaySettings(lr=0.1), Estimate(1.0, 0.99, 1.01, 0.95), health)
    assert found["severity"] == severity and said in found["text"]


@pytest.mark.parametrize("data", ["moons", "hills"])
def test_the_loss_of_the_best_constant_is_that_of_a_search(data):
    made = play(data=data)
    outputs = torch.linspace(-3, 3, 6001, dtype=torch.float64)
    losses = [float(made.loss(c.expand(len(made.y), 1), made.y)) for c in outputs]
    assert made._health().constant == pytest.approx(min(losses), abs=1e-6)  # a grid of 0.001


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("data", ["moons", "hills"])
@pytest.mark.parametrize("size", [1e10, 1e50, 1e100, 1e150, 1e250])
def test_numbers_that_overflow_before_the_weights_do_end_nothing(data, size, activation):
    made = play(data=data, activation=activation)
    with torch.no_grad():
        for weight in made.model.parameters():
            weight.mul_(size)
    assert made.finite
    found = made.theory()["advice"]
    if made.row()["loss"] is None:
        assert found["severity"] == "high" and "weights have overflowed" in found["text"]


class Told:
    """A channel that remembers."""

    def __init__(self):
        self.said = []

    def say(self, **what):
        self.said.append(what)


def test_the_table_steps_pauses_resets_and_changes_its_step_size():
    told = Told()
    table = Table(told, PlaySettings(hidden=(4, 4)))
    assert told.said[0]["anew"] and "theory" in told.said[1]
    table.take({"do": "step"})
    assert told.said[-1]["rows"][0]["step"] == 10 and not table.running
    table.take({"do": "pace", "pace": 1})
    table.take({"do": "run"})
    table.advance()
    assert table.running and told.said[-1]["frame"]["step"] == 11
    table.take({"do": "lr", "lr": 0.01})
    assert table.play.optimizer.param_groups[0]["lr"] == 0.01 and table.play.steps == 11
    table.take({"do": "reset", "settings": {"hidden": [3, 2]}})
    assert table.play.steps == 0 and not table.running
    assert told.said[-2]["settings"]["hidden"] == (3, 2)


def test_a_run_that_overflows_stops_and_says_so():
    told = Told()
    table = Table(told, PlaySettings(hidden=(16, 16, 16, 16), loss="squared", lr=100.0))
    table.take({"do": "run"})
    for _ in range(20):
        if table.running:
            table.advance()
    assert not table.running
    last = told.said[-1]
    assert last["state"] == {"running": False, "finite": False}
    assert "weights have overflowed" in last["theory"]["advice"]["text"]
