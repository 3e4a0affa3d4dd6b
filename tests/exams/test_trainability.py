"""Healthy practice is not blamed, and a fault is placed where it is."""

import torch
from torch import nn

from corollary.core import Evidence, Severity, Status
from corollary.examine.examiner import examine

X, Y = torch.randn(64, 10), torch.arange(64) % 3


def only(exam, model, data=(X, Y), **about):
    return examine(model, data, only=f"trainability/{exam}", budget=60, **about).findings


def test_a_head_that_starts_at_zero_cuts_the_gradient_for_one_step_only():
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3))
    nn.init.zeros_(model[2].weight)
    (finding,) = only("gradient_reach", model)
    assert finding.severity is Severity.NONE and finding.number == "2 of 2 weight matrices"


def test_a_dead_layer_is_named_as_what_stops_the_gradient():
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3))
    nn.init.constant_(model[0].bias, -100.0)
    (finding,) = only("gradient_reach", model)
    assert finding.where == "1" and "'1' outputs zeros" in finding.advice


class Attention(nn.Module):
    """Query and key are tiny, as they start in many transformers; values are not."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(10, 10) for _ in range(3))
        self.head = nn.Linear(10, 3)
        for layer in (self.query, self.key):
            nn.init.normal_(layer.weight, std=1e-5)

    def forward(self, x):
        weights = (self.query(x) @ self.key(x).mT).softmax(-1)
        return self.head((weights @ self.value(x)).mean(1))


def test_branches_that_stand_side_by_side_count_as_one_layer():
    findings = only("signal_passage", Attention(), (torch.randn(32, 4, 10), Y[:32]))
    assert [f.severity for f in findings] == [Severity.NONE] * 2


def test_one_layer_has_no_passage():
    (finding,) = only("signal_passage", nn.Linear(10, 3))
    assert finding.status is Status.NOT_APPLICABLE and "two layers" in finding.meaning


def test_a_learning_rate_that_is_stable_is_said_to_be():
    (finding,) = only("largest_step", nn.Linear(10, 3), lr=0.1)
    assert finding.meaning == "Your learning rate of 0.1 is below this limit."


def test_diverges_is_said_only_of_what_diverged():
    (limit,) = only("largest_step", nn.Linear(10, 3), (X, X[:, :3].clone()), loss="mse")
    quadratic = {"data": (X, X[:, :3].clone()), "loss": "mse", "batch_size": 64}
    (below,) = only("largest_step", nn.Linear(10, 3), lr=0.5 * limit.value.low / 500, **quadratic)
    (far,) = only("largest_step", nn.Linear(10, 3), lr=20.0, **quadratic)
    assert below.severity is not Severity.HIGH
    assert far.severity is Severity.HIGH and far.evidence is Evidence.CONFIRMED
    assert far.meaning.endswith("and the trial run diverges.") and "+ lr=" in far.change


def test_above_the_limit_but_learning_is_no_alarm():
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
    (limit,) = only("largest_step", model, optimizer="sgd:lr=0.01")
    (above,) = only("largest_step", model, lr=2.0 * limit.value.high)
    assert above.severity is Severity.NONE and "Training still works" in above.meaning


def test_the_limit_of_adam_is_in_its_own_metric():
    (finding,) = only("largest_step", nn.Linear(10, 3), optimizer="adam:lr=1e-3")
    assert finding.unit == "for Adam" and finding.value.value > 1e-3


def test_a_learning_rate_at_which_nothing_happens_is_too_small():
    found = only("what_helps", nn.Linear(10, 3), (X, X[:, :3].argmax(1)), lr=1e-5)
    assert [f.title for f in found if f.severity is not Severity.NONE] == [
        "The learning rate is too small"
    ]


class Block(nn.Module):
    """A residual block whose inner layer hardly matters, as transformers start."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer, self.norm = nn.Linear(8, 8), nn.Linear(8, 8), nn.LayerNorm(8)
        nn.init.normal_(self.outer.weight, std=1e-3)

    def forward(self, x):
        return self.norm(x + self.outer(self.inner(x)))


def test_a_layer_that_a_shortcut_passes_by_is_no_vanishing_gradient():
    model = nn.Sequential(nn.Linear(10, 8), *(Block() for _ in range(4)), nn.Linear(8, 3))
    model[0].requires_grad_(False)  # the first layer with a gradient is then an inner one
    assert {f.severity for f in only("signal_passage", model)} == {Severity.NONE}
