"""Where training goes badly, the change that helps names the cause; where it goes well, nothing."""

import pytest
import torch
from torch import nn
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import StepLR

from corollary.core import Severity
from corollary.examine.examiner import examine
from corollary.exams.rewiring import Rewired, heads_of, moved, permutation_of

torch.manual_seed(0)
X = torch.randn(256, 6)
Y = X[:, :3].argmax(1)


def network(*between):
    return nn.Sequential(nn.Linear(6, 32), nn.ReLU(), *between, nn.Linear(32, 3))


def helped(model, data=(X, Y), optimizer=None, **about):
    optimizer = optimizer or Adam(model.parameters(), lr=0.01)
    about = {"batch_size": 32, "steps": 60} | about
    found = examine(model, data, optimizer=optimizer, effort="quick", only="what_helps", **about)
    return found.findings[0]


class Swapped(nn.Module):
    """Channels and time change places by a view, or as they should."""

    def __init__(self, view):
        super().__init__()
        self.conv, self.head, self.view = nn.Conv1d(4, 8, 1), nn.Linear(8, 2), view

    def forward(self, x):
        h = torch.relu(self.conv(x))
        h = h.view(len(x), 6, 8) if self.view else h.transpose(1, 2)
        return self.head(h).transpose(1, 2)


def decayed(net):
    return {"optimizer": SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1.0)}


def scheduled(net):
    sgd = SGD(net.parameters(), lr=0.5)
    return {"optimizer": sgd, "scheduler": StepLR(sgd, 1, gamma=0.1)}


def rated(lr):
    return lambda net: {"optimizer": Adam(net.parameters(), lr=lr)}


CASES = {
    "Weight decay is too strong": (network(), decayed),
    "The schedule lowers the learning rate too soon": (network(), scheduled),
    "The learning rate is too large": (network(), rated(5.0)),
    "The learning rate is too small": (network(), rated(1e-6)),
    "Dropout keeps the network from learning": (network(nn.Dropout(0.98)), rated(0.01)),
    "Dropout on the output": (nn.Sequential(network(), nn.Dropout(0.95)), rated(0.01)),
}


@pytest.mark.parametrize("title", CASES)
def test_the_change_that_helps_names_the_cause(title):
    net, about = CASES[title]
    found = helped(net, **about(net))
    assert found.title == title and found.severity.rank >= Severity.MEDIUM.rank, found
    assert found.advice and "with this change" in found.meaning


def test_a_view_in_place_of_a_transpose_is_seen_by_what_a_transpose_gains():
    x = torch.randn(256, 4, 6)
    y = (x[:, 0] > 0).long()
    found = helped(Swapped(True), (x, y))
    assert found.title == "A reshape is used where a transpose is needed"
    assert helped(Swapped(False), (x, y)).severity is Severity.NONE


def test_frozen_layers_are_blamed_only_where_training_them_helps():
    net = network()
    net[0].requires_grad_(False)
    net[0].weight.data.zero_()
    held = [p for p in net.parameters() if p.requires_grad]
    found = helped(net, optimizer=Adam(held, lr=0.01))
    assert found.title == "Frozen layers keep the network from learning" and found.where == "0"


def test_a_run_that_goes_well_is_left_alone():
    found = helped(network(nn.Dropout(0.1)))
    assert found.title == "No change was tried" and found.severity is Severity.NONE


def test_reshapes_that_move_axes_are_told_from_those_that_join_or_split_them():
    size = torch.Size
    assert permutation_of(size([4, 16, 24]), size([4, 24, 16])) == (0, 2, 1)
    assert permutation_of(size([4, 1, 24]), size([4, 24, 1])) is None  # no number moves
    assert heads_of(size([2, 12, 32]), size([2, 4, 12, 8]))
    x = torch.randn(2, 12, 32)
    assert torch.equal(moved(x, size([2, 4, 12, 8])), x.view(2, 12, 4, 8).transpose(1, 2))
    back = torch.randn(2, 4, 12, 8)
    assert torch.equal(moved(back, size([2, 12, 32])), back.transpose(1, 2).reshape(2, 12, 32))
    assert moved(x, size([2, 384])) is None and moved(x, size([24, 32])) is None


def test_what_is_rewired_is_rewired_in_functions_and_modules():
    def twice(op, func, args, kwargs):
        return 2 * args[0] if op == "relu" else None

    x = torch.tensor([-1.0, 2.0])
    with Rewired(twice):
        assert torch.equal(nn.ReLU()(x), 2 * x) and torch.equal(torch.relu(x), 2 * x)
    assert torch.equal(torch.relu(x), torch.tensor([0.0, 2.0]))
