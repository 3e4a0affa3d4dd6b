"""Mistakes of wiring that raise no error are named, and healthy twins are not blamed."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import Severity
from corollary.examine.examiner import examine


def titles(exam, model, data, **about):
    how = {"optimizer": torch.optim.Adam(model.parameters(), lr=0.02), "steps": 80}
    done = examine(model, data, only=exam, batch_size=32, progress=False, **how | about)
    return [f.title for f in done.findings if f.severity.rank >= Severity.MEDIUM.rank]


def helps(model, data, **about):
    return titles("trainability/what_helps", model, data, **about)


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, outputs))


class Flat(nn.Module):
    def forward(self, output, y):
        return F.mse_loss(output.flatten(), y.float())


class Calls(nn.Module):
    """A rule over named children."""

    def __init__(self, rule, **children):
        super().__init__()
        self.rule = rule
        for name, child in children.items():
            setattr(self, name, child)

    def forward(self, x):
        return self.rule(self, x)


def classes_as_numbers(broken):
    y = torch.arange(160) % 4
    x = torch.tensor([2.0, -1.0, 1.0, -2.0])[y][:, None] + 0.2 * torch.randn(160, 1)
    model = mlp(1, 1 if broken else 4)
    return model, (x, y), {"loss": Flat() if broken else "cross_entropy", "steps": 60}


def categories_as_numbers(broken):
    code = torch.arange(256) % 32
    y = torch.randint(2, (32,))[code]
    x = code[:, None].float() / 32 if broken else F.one_hot(code, 32).float()
    return mlp(x.shape[1], 2), (x, y), {}


class Encoder(nn.Module):
    """One layer of attention, with or without positions."""

    def __init__(self, placed):
        super().__init__()
        self.tokens, self.places = nn.Embedding(6, 16), nn.Embedding(6, 16) if placed else None
        self.q, self.k, self.v, self.head = (nn.Linear(16, n) for n in (16, 16, 16, 2))

    def forward(self, ids):
        h = self.tokens(ids)
        if self.places is not None:
            h = h + self.places.weight
        weights = (self.q(h) @ self.k(h).transpose(1, 2) / 4).softmax(-1)
        return self.head((h + weights @ self.v(h)).relu().mean(1))


def places_forgotten(broken):
    ids = torch.rand(256, 6).argsort(1)
    y = ((ids == 0).int().argmax(1) < (ids == 1).int().argmax(1)).long()
    return Encoder(placed=not broken), (ids, y), {"steps": 100}


def pooled_over_features(broken):
    y = torch.arange(192) % 3
    x = torch.randn(192, 10, 3) + 1.5 * F.one_hot(y, 3)[:, None]
    axis, size = (2, 10) if broken else (1, 16)
    body, head = nn.Linear(3, 16), nn.Linear(size, 3)
    return Calls(lambda m, x: m.head(m.body(x).relu().mean(axis)), body=body, head=head), (x, y), {}


def rows_for_columns(broken):
    mask = (torch.rand(96, 6, 6) > 0.5).float()
    x = (mask + 0.1 * torch.randn(96, 6, 6))[:, None]
    turn = (lambda h: h.transpose(-1, -2)) if broken else (lambda h: h)
    model = Calls(lambda m, x: turn(m.conv(x)[:, 0]), conv=nn.Conv2d(1, 1, 1))
    return model, (x, mask), {"loss": nn.BCEWithLogitsLoss()}


def subtracted_penalty(broken):
    x = torch.randn(160, 4)

    def loss(output, y):
        error, size = F.smooth_l1_loss(output, y), output.square().mean()
        return error - size if broken else error + 1e-3 * size

    return mlp(4, 1), (x, x[:, :1] - x[:, 1:2]), {"loss": loss}


def divergence_too_heavy(broken):
    x = torch.randn(160, 4)

    def loss(outputs, y):
        answer, code = outputs
        return F.mse_loss(answer, y) + (1e3 if broken else 1e-3) * code.square().mean()

    model = Calls(lambda m, x: (m.head(m.body(x)), m.body(x)), body=mlp(4, 8), head=nn.Linear(8, 1))
    return model, (x, x[:, :1] - x[:, 1:2]), {"loss": loss}


CASES = {
    "Classes are fitted as numbers": classes_as_numbers,
    "Categories are read as numbers": categories_as_numbers,
    "The network does not see the order of the tokens": places_forgotten,
    "mean runs over the wrong axis": pooled_over_features,
    "Output and target do not match: rows and columns are swapped": rows_for_columns,
    "A term of the loss has the wrong sign": subtracted_penalty,
    "A term of the loss outweighs the error": divergence_too_heavy,
}


@pytest.mark.parametrize("title", CASES)
def test_the_mistake_is_named_and_the_twin_is_not(title):
    for broken in (True, False):
        torch.manual_seed(0)
        model, data, about = CASES[title](broken)
        assert helps(model, data, **about) == [title] * broken


@pytest.mark.parametrize("cell", [nn.RNN, nn.GRU])
def test_a_plain_rnn_forgets_a_long_sequence(cell):
    torch.manual_seed(0)
    y = torch.arange(96) % 2
    x = 0.5 * torch.randn(96, 50, 1)
    x[:, :3, 0] += 2.0 * y[:, None] - 1
    rnn = cell(1, 8, batch_first=True)
    if cell is nn.GRU:
        rnn.bias_hh_l0.data[8:16] = math.log(50)
    model = Calls(lambda m, x: m.head(m.rnn(x)[0][:, -1]), rnn=rnn, head=nn.Linear(8, 2))
    wanted = ["A plain RNN forgets the start of its sequence"] if cell is nn.RNN else []
    assert helps(model, (x, y), steps=60) == wanted


@pytest.mark.parametrize("broken", [True, False])
def test_an_angle_has_a_seam(broken):
    torch.manual_seed(0)
    angle = 2 * math.pi * torch.rand(400, 1)
    x = torch.cat([angle.cos(), angle.sin()], 1) + 0.1 * torch.randn(400, 2)
    y = angle if broken else x[:, :1]
    found = titles("soundness/periodic_targets", mlp(2, 1), (x, y), loss="mse", steps=200)
    wanted = ["The target is periodic, but is fitted as a plain number"]
    assert found == wanted * broken


@pytest.mark.parametrize("padding", [1, 0])
def test_the_end_of_a_sequence_is_learned(padding):
    torch.manual_seed(0)
    end, place, length = 1, torch.arange(13), torch.randint(3, 11, (64, 1))
    words = torch.randint(2, 9, (64, 13))
    ids = torch.where(place < length, words, torch.where(place == length, end, padding))

    def loss(output, y):
        return F.cross_entropy(output.flatten(0, 1), y.flatten(), ignore_index=padding)

    model = nn.Sequential(nn.Embedding(9, 8), nn.Linear(8, 9))
    found = titles("soundness/asked_places", model, (ids[:, :-1], ids[:, 1:]), loss=loss)
    assert found == ["The end of a sequence is not learned"] * (padding == end)


@pytest.mark.parametrize("eps", [1e-9, 1e-5])
def test_an_epsilon_below_the_precision_is_named(eps):
    torch.manual_seed(0)
    y = (torch.arange(96) % 2).float()[:, None]
    x = 40 * (2 * y - 1) + torch.randn(96, 1)

    def loss(p, y):
        p = p.clamp(eps, 1 - eps)
        return -(y * p.log() + (1 - y) * (1 - p).log()).mean()

    model = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid())
    found = titles("soundness/head_and_loss", model, (x, y), loss=loss)
    wanted = ["The loss is infinite where the output is exactly 0 or 1"]
    assert found == (wanted if eps < 1e-7 else [])
