from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import Severity, Status, Subject
from corollary.examine.examiner import examine
from corollary.exams.classifiers import box_of, separation
from corollary.train import fit


@pytest.fixture(scope="module")
def clouds():
    rng = torch.Generator().manual_seed(0)
    y = torch.arange(240) % 3
    x = 2 * torch.eye(3, 10)[y] + 0.5 * torch.randn(240, 10, generator=rng)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
    fit(net, (x, y), F.cross_entropy, partial(torch.optim.Adam, lr=1e-2), epochs=10, batch_size=32)
    return net, (x, y)


@pytest.fixture(scope="module")
def findings(clouds):
    return examine(*clouds, only="robustness", budget=120).findings


def of(findings, exam):
    return [f for f in findings if f.exam == f"robustness/{exam}"]


def test_a_healthy_network_is_not_blamed(findings):
    assert all(f.status is Status.DONE for f in findings)
    assert max(f.severity.rank for f in findings) <= Severity.LOW.rank


def test_the_smallest_perturbation_lies_between_proof_and_attack(findings):
    both = of(findings, "smallest_perturbation")
    assert len(both) == 2
    for f in both:
        assert 0 < f.value.low <= f.value.value == f.value.high
        assert f.value.low > 0.3 * f.value.high  # CROWN is close on a network of two layers
        assert "CROWN" in f.meaning and f.figures


def test_accuracy_under_attack_comes_with_its_interval_and_falls_with_the_radius(findings):
    (f,) = of(findings, "robust_accuracy")
    assert f.value.low < f.value.value <= f.value.high
    kept = list(f.details["kept"].values())
    assert kept == sorted(kept, reverse=True)


def test_between_attack_and_proof_no_sample_of_a_small_network_is_open(findings):
    (f,) = of(findings, "robust_accuracy")
    assert f.details["open"] == 0 and f.details["proved"] == f.details["kept"]["0.1"] > 0
    assert f.details["proof"] in f.meaning and "this accuracy is exact" in f.meaning
    assert any("proved" in mark.label for mark in f.figures[0].marks)


def test_the_slope_lies_between_what_is_seen_and_what_is_proved(findings):
    (f,) = of(findings, "sensitivity")
    assert f.value.low == f.value.value < f.value.high < 100 * f.value.low


def test_radii_are_relative_to_the_separation_of_the_classes():
    x, y = torch.tensor([[0.0], [2.0], [10.0], [12.0]]), torch.tensor([0, 1, 0, 1])
    subject = Subject(nn.Linear(1, 2), (x, y))
    assert separation(subject, "l2") == separation(subject, "linf") == 1.0


def test_the_range_of_pixels_is_seen_and_other_data_has_none():
    y = torch.zeros(9, dtype=torch.int64)
    for scale, box in ((1.0, (0.0, 1.0)), (255.0, (0.0, 255.0)), (3.7, None)):
        x = scale * torch.linspace(0, 1, 9)[:, None]
        assert box_of(Subject(nn.Linear(1, 2), (x, y))) == box


def test_an_untrained_network_has_nothing_to_attack(clouds):
    torch.manual_seed(1)
    done = examine(nn.Linear(10, 3), clouds[1], only="robustness", budget=60)
    (accuracy, *_) = of(done.findings, "clean_accuracy")
    assert accuracy.severity in (Severity.NONE, Severity.LOW)
    if accuracy.severity is Severity.LOW:
        (attack,) = of(done.findings, "robust_accuracy")
        assert (
            attack.status is Status.NOT_APPLICABLE and "train the network first" in attack.meaning
        )


@pytest.mark.parametrize(
    "model, data, said",
    [
        (nn.Linear(4, 1), (torch.randn(16, 4), torch.randn(16, 1)), "not classes"),
        (nn.Embedding(5, 3), (torch.arange(16) % 5, torch.arange(16) % 3), "token ids"),
        (
            nn.Bilinear(2, 2, 3),
            ((torch.randn(16, 2), torch.randn(16, 2)), torch.arange(16) % 3),
            "got 2",
        ),
    ],
)
def test_what_is_no_classifier_of_real_inputs_is_told_so(model, data, said):
    findings = examine(model, data, only="clean_accuracy", budget=30).findings
    assert findings[-1].status is Status.NOT_APPLICABLE and said in findings[-1].meaning


def test_a_layer_without_bounds_is_named_and_the_attack_still_counts(clouds):
    class Sorted(nn.Module):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def forward(self, x):
            return self.net(x) + 0 * x.sort(1).values[:, :3]

    done = examine(Sorted(clouds[0]), clouds[1], only="smallest_perturbation", budget=60)
    f = done.findings[0]
    assert f.status is Status.DONE and f.value.low == 0 < f.value.high and "'sort'" in f.meaning
    done = examine(Sorted(clouds[0]), clouds[1], only="robust_accuracy", budget=60)
    f = done.findings[0]
    assert f.status is Status.DONE and f.details["proved"] == 0 and "'sort'" in f.meaning


def test_one_logit_with_labels_zero_and_one_is_a_classifier_too():
    rng = torch.Generator().manual_seed(0)
    y = torch.arange(80) % 2
    x = (2.0 * y - 1)[:, None] + 0.3 * torch.randn(80, 3, generator=rng)
    net = nn.Linear(3, 1)
    with torch.no_grad():
        net.weight.fill_(1.0)
        net.bias.zero_()
    done = examine(net, (x, y), only="robustness", budget=60)
    assert all(f.status is Status.DONE for f in done.findings)
    (l2, _) = of(done.findings, "smallest_perturbation")
    assert l2.value.low == pytest.approx(l2.value.high, rel=0.05)  # a linear one is known exactly
