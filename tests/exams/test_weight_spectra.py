"""What the weights alone say: the two exams that need no data."""

from copy import deepcopy
from functools import cache

import pytest
import torch
from planted.weights import changed, forgotten, noisy, trained
from torch import nn

from corollary.core import Budget, Severity, Status, Subject
from corollary.examine.examiner import examine
from corollary.exams.generalization import weight_spectra
from corollary.exams.layer_spectra import layer_spectra_of
from corollary.theory.generalization.weight_spectra.layers import layers_of
from corollary.theory.generalization.weight_spectra.portrait import portrait


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Fewer draws for the tests of tails; p-values are known to 0.1 then."""
    monkeypatch.setattr(weight_spectra, "DRAWS", 30)


BOTH = ("generalization/weight_spectra", "generalization/untouched_layers")


def dense(d=64, m=128, k=10):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(d, m), nn.ReLU(), nn.Linear(m, m), nn.ReLU(), nn.Linear(m, k))


def found_in(model, only=BOTH, **about):
    torch.manual_seed(0)
    return {f.title: f for f in examine(model, None, only=only, budget=60.0, **about).findings}


@cache
def made(plant, *about):
    torch.manual_seed(0)
    return plant(*about)["model"]


def built(plant, *about):
    return deepcopy(made(plant, *about))


def test_a_fresh_network_is_noise_without_a_tail_and_not_trained():
    found = found_in(dense())
    assert found["Learned directions"].value.value == 0
    assert found["Not trained yet"].value.value == 3
    assert found["No heavy tail"].value.value == 0
    assert {f.severity for f in found.values()} == {Severity.NONE}


def test_a_trained_network_shows_directions_and_no_alarm():
    found = found_in(built(forgotten, False))
    assert found["Learned directions"].value.value >= 5
    assert found["All layers have been trained"].value.value == 0
    assert {f.severity for f in found.values()} == {Severity.NONE}


def test_what_is_counted_is_what_was_planted():
    model = dense(64, 64, 64)
    u = torch.linalg.qr(torch.randn(64, 3)).Q
    with torch.no_grad():
        model[2].weight += 3 * u @ torch.linalg.qr(torch.randn(64, 3)).Q.T
    found = found_in(model, only=BOTH[0])["Learned directions"]
    assert (found.where, found.value.value) == ("2", 3)


def test_how_large_a_change_would_have_been_seen_is_said():
    found = found_in(built(forgotten, True), only=BOTH[1])["A layer was never trained"]
    assert found.severity is Severity.MEDIUM and found.where == "2"
    assert (found.value.low, found.value.value) == (0, 0)
    assert found.value.high == pytest.approx(13 / 128**2, rel=0.1)


def test_a_frozen_layer_is_a_remark():
    model = built(forgotten, True)
    model[2].requires_grad_(False)
    found = found_in(model, only=BOTH[1])["A layer was never trained"]
    assert found.severity is Severity.LOW and "frozen" in found.meaning


def test_a_new_head_on_a_trained_body_is_found():
    model = built(forgotten, False)
    model[4] = nn.Linear(128, 100)
    assert found_in(model, only=BOTH[1])["A layer was never trained"].where == "4"


def test_heavy_tails_are_no_proof_of_learning():
    torch.manual_seed(0)
    x, y = torch.randn(400, 64), torch.randint(10, (400,))  # there is nothing to learn
    found = found_in(trained(dense(m=256), x, y, lr=0.02), only=BOTH[0])["Heavy tails"]
    assert found.value.low < found.value.value < found.value.high
    assert "not proved" in found.meaning and found.severity is Severity.NONE


def test_alarms_come_with_the_layer_and_its_picture():
    noise = found_in(built(noisy, True), only=BOTH[0])["One direction dominates a weight matrix"]
    assert noise.where == "2" and noise.figures[0].log_y
    bit = found_in(built(changed, 1000.0, False), only=BOTH[0])[
        "One weight is far larger than the others"
    ]
    assert bit.where == "2" and bit.value.value > 10
    scale = found_in(built(changed, 0.01, True), only=BOTH[0])["A layer has an unusual norm"]
    assert scale.where == "2" and scale.severity is Severity.LOW, "small layers may be meant so"


def test_normalisation_excuses_a_layer_out_of_line():
    model = built(changed, 100.0, True)
    model.append(nn.LayerNorm(10))
    assert found_in(model, only=BOTH[0])["A layer has an unusual norm"].severity is Severity.LOW


def test_networks_without_large_weights_have_nothing_to_say():
    for model in (nn.Linear(4, 4), nn.ReLU()):
        done = examine(model, None, only=BOTH).findings
        assert {f.status for f in done} == {Status.NOT_APPLICABLE}


def test_layers_beyond_the_budget_are_named_and_taken_up_later():
    subject = Subject(dense(64, 600))
    first = layer_spectra_of(subject, Budget.of(1000.0, bytes=10 << 20))
    assert [p.name for p in first.portraits] == ["0", "4"] and first.too_large == ("2",)
    again = layer_spectra_of(subject, Budget.of(1000.0))
    assert [p.name for p in again.portraits] == ["0", "2", "4"] and not again.too_large


def test_convolutions_are_read_by_patches_and_by_frequencies():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3))
    found = found_in(model)
    assert found["Not trained yet"].value.value == 2
    assert [len(portrait(layer).operator) for layer in layers_of(model)] == [80, 160]
