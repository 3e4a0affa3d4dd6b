import math

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss
from torch.optim import SGD, AdamW, Optimizer, RMSprop

from corollary.errors import InputError, NotFiniteError
from corollary.train import find_learning_rate, fit
from corollary.train.learning_rate.result import alike
from corollary.train.learning_rate.trials import Trial, Trials, with_rate


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def line(weight=0.0):
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, weight)
    return model


def sgd(parameters):
    return SGD(parameters, lr=1.0)


def classifier():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))


x = normal(200, 8)
classes = (x @ normal(8, 3, seed=1)).argmax(1)


def test_without_noise_the_best_rate_is_that_of_newton():
    points = torch.tensor([[1.0], [-1.0]])  # curvature 2: one step of 1/2 solves the problem
    found = find_learning_rate(line(), (points, 3 * points), mse_loss, sgd, steps=40)
    assert found.stable.value == pytest.approx(1.0, rel=1e-3)
    assert 0.3 < found.rate < 0.7


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_rate_follows_the_scale_of_the_loss(scale):
    def loss(output, target):
        return scale * mse_loss(output, target)

    points = normal(64, 1)
    found = find_learning_rate(line(), (points, points), loss, sgd, steps=40, batch_size=16)
    assert found.rate * scale == pytest.approx(0.45, rel=0.5)


@pytest.mark.parametrize(
    "make",
    [
        sgd,
        lambda p: SGD(p, lr=1.0, momentum=0.9),
        lambda p: RMSprop(p, lr=1.0),
        lambda p: AdamW(p, lr=1.0),
    ],
    ids=["SGD", "momentum", "RMSprop", "AdamW"],
)
def test_the_rate_is_as_good_as_a_grid(make):
    def final(rate):
        model = classifier()
        optimizer = with_rate(make, rate)
        history = fit(model, (x, classes), cross_entropy, optimizer, steps=60, batch_size=20, rng=7)
        return sum(history.losses[-10:]) / 10

    model = classifier()
    found = find_learning_rate(model, (x, classes), cross_entropy, make, steps=60, batch_size=20)
    grid = [final(2.0**k) for k in range(-10, 4, 2)]
    assert final(found.rate) < 1.3 * min(grid) + 0.02


def test_the_model_and_the_random_state_are_given_back():
    model = nn.Sequential(classifier(), nn.BatchNorm1d(3), nn.Dropout(0.2))
    before = {k: v.clone() for k, v in model.state_dict().items()}
    state = torch.get_rng_state()
    find_learning_rate(model, (x, classes), cross_entropy, sgd, steps=8, batch_size=50, seeds=2)
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)


class Sign(Optimizer):
    """An optimizer whose stability limit is not known."""

    def __init__(self, parameters, lr=1.0):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p -= group["lr"] * p.grad.sign()


def test_an_optimizer_without_a_known_limit_gets_a_rate_from_runs():
    points = normal(64, 1)
    found = find_learning_rate(line(1.0), (points, 3 * points), mse_loss, Sign, steps=40)
    assert found.stable is None
    assert 0.02 < found.rate < 0.5  # 40 steps have to bring the weight from 1 to 3


def test_a_loss_that_is_never_finite_is_an_error_and_one_that_overflows_is_not():
    points = normal(16, 1)
    with pytest.raises(NotFiniteError, match="expected a finite loss at some learning rate"):
        find_learning_rate(line(), (points, math.nan * points), mse_loss, sgd, steps=8)

    def quartic(output, target):
        return (output - target).pow(4).mean()  # diverges at large rates

    found = find_learning_rate(line(), (points, 3 * points), quartic, sgd, steps=40)
    assert math.isfinite(found.rate)
    assert any(math.isinf(trial.loss) for trial in found.trials)


def test_rates_that_runs_cannot_distinguish_are_told():
    best, close, bad = Trial(0.1, 9, (1.0, 1.2)), Trial(0.2, 9, (1.1, 1.1)), Trial(0.4, 9, (9, 9))
    assert alike([best, close, bad], best) == (0.1, 0.2)
    lost = Trial(0.05, 9, (math.inf, 1.0))
    assert alike([lost, best, bad], best) == (0.1, 0.1)


def test_groups_keep_the_ratio_of_their_rates():
    model = classifier()

    def make(parameters):
        first, *rest = parameters
        return SGD([{"params": [first], "lr": 3.0}, {"params": rest, "lr": 1.5}])

    optimizer = Trials(model, (x, classes), cross_entropy, make).warm(2)
    assert [group["lr"] for group in optimizer.param_groups] == [1.0, 0.5]
    made = with_rate(make, 0.2)(model.parameters())
    assert [group["lr"] for group in made.param_groups] == [0.2, 0.1]
    with pytest.raises(InputError, match="expected an optimizer with a positive learning rate"):
        with_rate(lambda p: SGD(p, lr=0.0), 0.2)(model.parameters())


def test_the_result_has_a_sentence_and_a_figure():
    points = normal(64, 1)
    found = find_learning_rate(line(), (points, points), mse_loss, sgd, steps=20, seeds=2)
    assert str(found).startswith("learning rate ")
    assert found.low <= found.high
    (losses, chosen) = found.figure.marks
    assert len(losses.x) >= 3 and chosen.value == found.rate
    assert found.steps == sum(t.steps * len(t.losses) for t in found.trials)
