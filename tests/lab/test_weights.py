"""Weights one by one: set by hand, and shrunk by the L1 penalty."""

import base64

import pytest
import torch

from corollary.errors import InputError
from corollary.lab.request_body import order_of_play
from corollary.lab.settings import OPTIMIZERS, PlaySettings
from corollary.lab.work.playing import Table
from corollary.lab.work.training import Playground
from corollary.lab.work.weights import all_weights


def play(steps=0, **settings):
    made = Playground(PlaySettings(**settings))
    for _ in range(steps):
        made.step()
    return made


def penalised(made):
    """The gradient of the smooth part, and the weights."""
    weights = list(all_weights(made.model))
    loss = made.objective(made.model(made.inputs), made.y)
    return zip(torch.autograd.grad(loss, weights), weights, strict=True)


def test_the_first_step_is_a_step_of_the_gradient_and_one_of_shrinking():
    made, plain = play(l1=0.05, hidden=(5,)), play(hidden=(5,))
    start = [w.detach().clone() for w in all_weights(plain.model)]
    for gradient, weight in penalised(made):
        moved = weight.detach() - made.settings.lr * gradient
        old = start.pop(0)
        torch.testing.assert_close(weight.detach(), old)
        wanted = moved.sign() * (moved.abs() - made.settings.lr * 0.05).clamp(min=0)
        start.append(wanted)
    made.step()
    for wanted, weight in zip(start, all_weights(made.model), strict=True):
        torch.testing.assert_close(weight.detach(), wanted)


@pytest.mark.parametrize("optimizer", ["gradient descent", "momentum"])
def test_training_rests_where_the_penalised_loss_is_stationary(optimizer):
    """There |gradient| is l1 where a weight is not zero, and at most l1 where it is."""
    names = ("x1", "x2", "x1^2", "x2^2", "x1*x2")
    made = play(300, l1=0.02, features=names, hidden=(), optimizer=optimizer, lr=2.0)
    zeros = 0
    for gradient, weight in penalised(made):
        on = weight != 0
        zeros += int((~on).sum())
        assert (gradient.abs() <= 0.02 + 1e-4).all()
        assert (gradient[on] + 0.02 * weight[on].sign()).abs().max() < 1e-4
    assert made.frame()["zeros"] == zeros > 0


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_penalty_makes_weights_small(optimizer):
    settings = {"optimizer": optimizer, "lr": 0.03, "hidden": (6,)}
    size = [
        sum(float(w.detach().abs().sum()) for w in all_weights(play(100, l1=l1, **settings).model))
        for l1 in (0.0, 0.05)
    ]
    assert size[1] < 0.8 * size[0]


def test_noise_inputs_are_dropped_by_the_penalty():
    """Of seven inputs the rings need two squares, and those are what is left."""
    names = ("x1", "x2", "x1^2", "x2^2", "x1*x2", "sin x1", "sin x2")
    made = play(400, data="rings", features=names, hidden=(), l1=0.02)
    left = [name for name, w in zip(names, made.model[0].weight[0], strict=True) if w != 0]
    assert left == ["x1^2", "x2^2"] and made.frame()["errors"][1] < 0.05


def test_the_limit_does_not_change_with_a_penalty_that_has_no_curvature():
    assert play(hidden=(4,), l1=0.5).theory()["limit"] == play(hidden=(4,)).theory()["limit"]


def test_a_weight_set_by_hand_is_that_weight_and_the_picture_follows():
    made = play(hidden=(3, 2))
    before = made.frame()["grid"]
    made.set_weight(1, 1, 2, 2.5)
    made.set_weight(2, 0, None, -7.0)
    assert made.model[2].weight[1, 2].item() == 2.5 and made.model[4].bias[0].item() == -7
    after = made.frame()
    assert after["layers"][1]["weights"][1][2] == 2.5 and after["layers"][2]["biases"] == [-7.0]
    assert after["grid"] != before
    assert max(base64.b64decode(after["grid"])) < 128  # minus seven is below zero everywhere


def test_a_run_is_repeated_from_what_was_set_by_hand():
    first = play(5, hidden=(4,))
    for value in (0.1, 0.2, 0.3):  # a slider passes by
        first.set_weight(0, 1, 0, value)
    first.step()
    first.set_weight(1, 0, None, 1.0)
    first.step()
    assert first.by_hand() == {
        "edited": 2,
        "edits": [(5, 0, 1, 0, 0.3), (6, 1, 0, None, 1.0)],
    }
    again = play(hidden=(4,))
    for step in range(7):
        for at, *edit in first.edits:
            if at == step:
                again.set_weight(*edit)
        again.step()
    assert again.row() == first.row()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ((3, 0, 0), "a layer from 0 to 2"),
        ((0, 3, 0), "a unit between 0 and 2 in layer 0"),
        ((0, 0, 2), "an input between 0 and 1 of layer 0"),
        ((-1, 0, None), "got -1"),
    ],
)
def test_a_weight_that_is_not_there_is_one_sentence(place, said):
    with pytest.raises(InputError, match=said):
        play(hidden=(3, 2)).set_weight(*place, 1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"unit": 1.5},
        {"layer": True},
        {"layer": "0"},
        {"source": -1},
        {"value": None},
        {"value": "3"},
        {"value": 1e4},
        {"value": float("nan")},
    ],
)
def test_an_order_that_is_no_weight_is_refused(wrong):
    right = {"layer": 0, "unit": 1, "source": None, "value": 2}
    assert order_of_play("weight", right) == {"do": "weight"} | right
    with pytest.raises(InputError):
        order_of_play("weight", right | wrong)


class Told:
    """A channel that remembers."""

    def __init__(self):
        self.said = []

    def say(self, **what):
        self.said.append(what)


def test_the_picture_comes_at_once_and_the_theory_when_the_hand_rests():
    told = Told()
    table = Table(told, PlaySettings(hidden=(3,)))
    assert not table.due
    table.take({"do": "weight", "layer": 0, "unit": 0, "source": 1, "value": 1.5})
    assert table.due and "theory" not in told.said[-1]
    assert told.said[-1]["hand"] == {"edited": 1, "edits": [(0, 0, 0, 1, 1.5)]}
    table.show(theory=True)
    assert not table.due and "theory" in told.said[-1]
    table.take({"do": "reset", "settings": {}})
    assert told.said[-1]["hand"]["edited"] == 0
