"""Losses, signs and scales: the cause is named, and healthy programs are left alone."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from corollary.core import Severity
from corollary.examine.examiner import examine

torch.manual_seed(0)
X = torch.randn(192, 6)
Y = X[:, :3].argmax(1)
NUMBERS = torch.stack([X[:, 0], X[:, 1] - X[:, 2]], 1)


def network(out=3):
    return nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, out))


def asked(only, model, data=(X, Y), optimizer=None, **about):
    optimizer = optimizer or Adam(model.parameters(), lr=0.02)
    told = {"batch_size": 48, "steps": 40, "effort": "quick", "loss": nn.CrossEntropyLoss()}
    return examine(model, data, optimizer=optimizer, only=only, **(told | about)).findings


def loud(findings):
    return [f for f in findings if f.severity.rank >= Severity.MEDIUM.rank]


class Scaled(nn.Module):
    """Logits times a number."""

    def __init__(self, factor):
        super().__init__()
        self.net, self.factor = network(), factor

    def forward(self, x):
        return self.net(x) * self.factor


class Penalised(nn.Module):
    """Cross-entropy and the absolute weights."""

    def __init__(self, model, share):
        super().__init__()
        self.held, self.share = [model], share

    def forward(self, output, y):
        weights = sum(p.abs().sum() for p in self.held[0].parameters())
        return F.cross_entropy(output, y) + self.share * weights


def climbing(broken):
    net = network()
    return net, {"optimizer": SGD(net.parameters(), lr=0.3, momentum=0.9, maximize=broken)}


def scaled(broken):
    net = Scaled(1e-4 if broken else 1.0)
    return net, {"optimizer": SGD(net.parameters(), lr=0.3, momentum=0.9)}


def penalised(broken):
    net = network()
    return net, {"loss": Penalised(net, 2.0 if broken else 1e-6)}


def unbiased(broken):
    net = nn.Linear(6, 2, bias=not broken)
    data = (X, NUMBERS + 3)
    return net, {"data": data, "loss": nn.MSELoss(), "optimizer": Adam(net.parameters(), lr=0.2)}


CASES = {
    "The optimizer maximises the loss": climbing,
    "The outputs (logits) are multiplied by 0.0001 at the end": scaled,
    "A penalty on the weights outweighs the error": penalised,
    "The last layer has no bias": unbiased,
}


@pytest.mark.parametrize("title", CASES)
def test_the_change_names_the_cause(title):
    net, about = CASES[title](True)
    (found,) = loud(asked("what_helps", net, **about))
    assert found.title == title and found.change, found
    net, about = CASES[title](False)
    assert not loud(asked("what_helps", net, **about))


@pytest.mark.parametrize(("smoothing", "wanted"), [(1.0, True), (0.1, False)])
def test_label_smoothing_of_one_leaves_no_labels(smoothing, wanted):
    loss = nn.CrossEntropyLoss(label_smoothing=smoothing)
    found = loud(asked("loss_and_targets", network(), loss=loss))
    assert [f.title for f in found] == ["Label smoothing erases the labels"] * wanted


@pytest.mark.parametrize("weight", [0.0, 0.1])
def test_a_task_without_weight_is_named(weight):
    def loss(output, y):
        first, second = (output - y).square().mean(0)
        return first + weight * second

    found = loud(asked("loss_and_targets", network(2), (X, NUMBERS), loss=loss))
    wanted = [("The loss leaves out an output", "output 1")] if weight == 0 else []
    assert [(f.title, f.where) for f in found] == wanted


class Looped(nn.Module):
    """Three layers of a list in turn, or the first of them thrice."""

    def __init__(self, broken):
        super().__init__()
        self.start, self.head, self.broken = nn.Linear(6, 8), nn.Linear(8, 3), broken
        self.blocks = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        h = self.start(x)
        for i in range(3):
            h = h + torch.tanh(self.blocks[0 if self.broken else i](h))
        return self.head(h)


def test_one_layer_for_a_whole_loop_is_named():
    (found,) = loud(asked("soundness/parameters", Looped(True)))
    assert "'blocks.0' is called 3 times" in found.advice and "for layer in self.blocks" in (
        found.advice
    )
    assert not loud(asked("soundness/parameters", Looped(False)))


class Rates(nn.Module):
    """A layer, and exp of it or not."""

    def __init__(self, exp):
        super().__init__()
        self.fc, self.exp = nn.Linear(6, 1), exp

    def forward(self, x):
        return self.fc(x).exp() if self.exp else self.fc(x)


@pytest.mark.parametrize(
    ("exp", "logarithm", "wanted"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_exp_is_not_applied_twice(exp, logarithm, wanted):
    data = (X, torch.poisson((X[:, :1] - 2).exp(), generator=torch.Generator().manual_seed(0)))
    loss, net = nn.PoissonNLLLoss(log_input=logarithm), Rates(exp)
    adam = torch.optim.Adam(net.parameters(), lr=0.05)
    found = loud(asked("head_and_loss", net, data, loss=loss, optimizer=adam))
    assert [f.title for f in found] == ["exp is applied twice"] * wanted


@pytest.mark.parametrize("momentum", [1e-4, 0.2])
def test_running_statistics_that_do_not_follow_are_named(momentum):
    torch.manual_seed(0)
    norm = nn.BatchNorm1d(16, momentum=momentum)
    net = nn.Sequential(nn.Linear(6, 16), norm, nn.GELU(), nn.Linear(16, 3))
    found = loud(asked("soundness/modes", net, (8 * X + 20, Y)))
    assert len(found) == (momentum < 0.1)
    assert all("momentum=0.1" in f.advice for f in found)


class Looked(nn.Module):
    """A sum of looked-up vectors, the ids wrapped or not."""

    def __init__(self, wrapped):
        super().__init__()
        self.words, self.head, self.wrapped = nn.EmbeddingBag(24, 8), nn.Linear(8, 3), wrapped

    def forward(self, ids):
        return self.head(self.words(ids % 2 if self.wrapped else ids))


def test_ids_that_become_the_same_are_named_where_that_hurts():
    ids = torch.randint(24, (192, 1), generator=torch.Generator().manual_seed(0))
    y = (7 * ids[:, 0] // 5) % 3
    (found,) = loud(asked("what_helps", Looked(True), (ids, y), None, steps=80))
    assert found.title == "Token ids are clamped, so different ids become the same", found
    assert not loud(asked("what_helps", Looked(False), (ids, y), None, steps=80))


class Sequences(nn.Module):
    """A causal network whose classes come second, by a view or by a transpose."""

    def __init__(self, view):
        super().__init__()
        self.words, self.head, self.view = nn.Embedding(7, 8), nn.Linear(8, 7), view

    def forward(self, ids):
        logits = self.head(self.words(ids).cumsum(1))
        return logits.view(len(ids), 7, -1) if self.view else logits.transpose(1, 2)


def test_a_view_that_leaks_the_future_is_named():
    ids = torch.randint(7, (64, 10), generator=torch.Generator().manual_seed(0))
    data = (ids[:, :-1], ids[:, 1:])
    (found,) = loud(asked("causality", Sequences(True), data))
    assert "transpose" in found.advice and "view" in found.advice
    assert not loud(asked("causality", Sequences(False), data))
