"""Copies, leaks and confidence are told by exact counts and known laws."""

import torch
from torch import nn

from corollary.core import Severity
from corollary.examine.examiner import examine

RNG = torch.Generator().manual_seed(0)
X = torch.randn(400, 5, generator=RNG)
Y = X[:, :3].argmax(1)


def only(exam, model, data=(X, Y), **about):
    return {f.title: f for f in examine(model, data, only=exam, **about).findings}


class Given(nn.Module):
    """Logits that are known: the inputs times a factor."""

    def __init__(self, factor):
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(factor))

    def forward(self, x):
        return self.factor * x


def drawn_labels(n=2000):
    """Labels drawn from the softmax of the inputs: logits of factor 1 are calibrated."""
    rng = torch.Generator().manual_seed(1)
    x = 3 * torch.randn(n, 4, generator=rng)
    return x, torch.multinomial(x.softmax(1), 1, generator=rng)[:, 0]


def test_copies_and_contradictions_are_counted():
    x, y = torch.cat([X, X[:60]]), torch.cat([Y, (Y[:60] + 1) % 3])
    found = only("soundness/duplicates", nn.Linear(5, 3), (x, y))
    assert found["Samples occur more than once"].value.value == 60
    wrong = found["Equal samples have different labels"]
    assert wrong.value.value == 120 and wrong.severity is Severity.MEDIUM


def test_held_out_samples_that_were_trained_on_are_a_leak():
    net = nn.Linear(5, 3)
    leak = only("soundness/duplicates", net, held_out=(X[:50] + 1e-4, Y[:50]))
    assert leak["Held-out samples are in the training data"].severity is Severity.HIGH
    new = torch.randn(50, 5, generator=RNG)
    assert "Held-out samples are new" in only(
        "soundness/duplicates", net, held_out=(new, new[:, :3].argmax(1))
    )


def test_calibrated_logits_are_left_alone_and_the_temperature_of_others_is_found():
    data = drawn_labels()
    fine = only("generalization/calibration", Given(1.0), data, held_out=data)
    assert "Calibration" in fine
    hot = only("generalization/calibration", Given(3.0), data, held_out=data)
    finding = hot["The network is not calibrated"]
    assert finding.severity is Severity.MEDIUM
    assert abs(float(finding.change.split("/")[1]) - 3.0) < 0.4  # what they were multiplied by


def test_conformal_sets_cover_what_their_law_says():
    data = drawn_labels(1500)
    found = only("generalization/calibration", Given(1.0), data, held_out=data)["Conformal sets"]
    seen = float(found.unit.split("measured: ")[1].split(" %")[0])
    assert found.value.low <= seen <= found.value.high
