"""Two-sample tests keep their level; noisy labels, padding and rare classes are told by numbers."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import Severity
from corollary.examine.examiner import examine
from corollary.exams.soundness.shift import energy_test

torch.manual_seed(0)
X = torch.randn(400, 4)
Y = (X[:, :2].sum(1) > 0).long()
NET = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))


def only(exam, data, model=NET, **about):
    return examine(model, data, only=exam, effort="quick", **about).findings


def test_the_energy_test_has_its_level_and_sees_a_shift():
    rng = torch.Generator().manual_seed(0)
    draws = [torch.randn(2, 40, 2, generator=rng) for _ in range(60)]
    p = torch.tensor([energy_test(a, b, rng)[1] for a, b in draws])
    assert 0.3 < float(p.mean()) < 0.7  # uniform under the null
    assert energy_test(draws[0][0], draws[0][1] + 1, rng) > (0.1, 0.0)


def test_the_energy_coefficient_of_a_shift_by_one_deviation():
    rng = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 2000, 1, generator=rng)
    # E|X-Y| = 1.3993 for a shift of 1, E|X-X'| = 2/sqrt(pi)
    expected = 1 - 1.12838 / 1.3993
    assert abs(energy_test(x, y + 1, rng)[0] - expected) < 0.02


def test_held_out_data_of_another_scale_is_told_and_a_random_split_is_not():
    data, rest = (X[:200], Y[:200]), (X[200:], Y[200:])
    assert all(f.severity is Severity.NONE for f in only("shift", data, held_out=rest))
    found = only("shift", data, held_out=(rest[0] / 255, rest[1]))[0]
    assert found.severity is Severity.MEDIUM and "Preprocess both" in found.advice


def test_flipped_labels_are_found_and_listed():
    assert only("label_noise", (X, Y))[0].severity.rank <= Severity.LOW.rank
    flips = torch.arange(0, 400, 5)
    noisy = Y.clone()
    noisy[flips] = 1 - noisy[flips]
    (found,) = only("label_noise", (X, noisy))
    assert found.severity.rank >= Severity.LOW.rank
    listed = set(found.details["samples"])
    assert len(listed & set(flips.tolist())) > 0.9 * len(listed)


def token_loss(out, target):
    return F.cross_entropy(out.flatten(0, 1), target.flatten())


def test_tokens_of_unlike_lengths_do_not_accumulate_and_samples_do():
    ids = torch.randint(1, 30, (64, 10))
    target = ids.clone()
    target[torch.arange(10) >= torch.randint(2, 10, (64, 1))] = -100
    tagger = nn.Sequential(nn.Embedding(30, 8), nn.Linear(8, 30))
    (found,) = only("accumulation", (ids, target), tagger, loss=token_loss)
    assert found.severity is Severity.LOW and "tokens" in found.advice
    for loss in (nn.CrossEntropyLoss(), nn.CrossEntropyLoss(reduction="sum")):
        assert only("accumulation", (X, Y), loss=loss)[0].severity is Severity.NONE


def test_dropout_that_is_left_on_says_nothing_about_accumulation():
    class Noisy(nn.Linear):
        def forward(self, x):
            return F.dropout(super().forward(x), 0.5)

    (found,) = only("accumulation", (X, Y), Noisy(X.shape[1], 4))
    assert "different gradients" in found.meaning + found.title


def test_weights_of_the_loss_make_up_for_a_rare_class():
    rare = (torch.arange(400) % 50 == 0).long()
    x = X + 2 * rare[:, None]
    plain = only("labels", (x, rare), loss=nn.CrossEntropyLoss())[0]
    weighted = only("labels", (x, rare), loss=nn.CrossEntropyLoss(torch.tensor([1.0, 49.0])))[0]
    assert plain.title == "A class is rare" and weighted.title == "Balance of the classes"


@pytest.mark.parametrize("noise", [0.5, 0.0])
def test_heavy_label_noise_is_told_from_classes_that_overlap(noise):
    rng = torch.Generator().manual_seed(3)
    y = torch.randint(4, (512,), generator=rng)
    x = (3.0 if noise else 0.8) * torch.eye(4, 6)[y] + 0.6 * torch.randn(512, 6, generator=rng)
    wrong = torch.rand(512, generator=rng) < noise
    labels = torch.where(wrong, torch.randint(4, (512,), generator=rng), y)
    net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4))
    found = examine(net, (x, labels), only="label_noise", effort="quick").findings
    titles = [f.title for f in found if f.severity.rank >= Severity.MEDIUM.rank]
    assert titles == (["Many labels are wrong, all over the data"] if noise else [])
