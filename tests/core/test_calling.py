"""Batches as forward takes them, and targets as the loss takes them."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from corollary.core import Batch, Subject
from corollary.core.calling import suited
from corollary.errors import InputError

X, Y = torch.arange(24.0).reshape(8, 3), torch.arange(8) % 3
NUMBERS = torch.linspace(0, 1, 8)[:, None]


class Calls(nn.Module):
    """Two heads; forward as it is given."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 1)


class Whole(Calls):
    def forward(self, parts):
        first, second = parts.values() if isinstance(parts, dict) else parts
        return self.a(first) + self.a(second)


class TwoHeads(Calls):
    def forward(self, x):
        return self.a(x), self.b(x)


class Masked(Calls):
    def forward(self, input_ids, attention_mask=None):
        return self.a(input_ids)


class OwnLoss(Calls):
    def forward(self, x, labels=None):
        logits = self.a(x)
        return logits if labels is None else (F.cross_entropy(logits, labels), logits)


@pytest.mark.parametrize("parts", [[X, X.flip(0)], (X, X.flip(0)), {"u": X, "v": X.flip(0)}])
def test_a_list_or_dict_is_given_whole_to_a_forward_of_one_argument(parts):
    subject = Subject(Whole(), (parts, Y))
    few = subject.data(3)
    assert subject.output(few).shape == (3, 3) and [len(t) for t in few.tensors()] == [3, 3]
    doubled = few.with_inputs(*(2 * t for t in few.tensors()))
    assert torch.equal(doubled.tensors()[1], 2 * X.flip(0)[:3])


def test_names_that_forward_does_not_know_are_left_out_if_it_needs_none_of_them():
    data = {"input_ids": X, "attention_mask": X, "token_type_ids": X, "text": ["a"] * 8}
    batch = suited(Batch((), data), Masked())
    assert list(batch.named) == ["input_ids", "attention_mask"]


def test_one_input_by_another_name_is_given_by_place():
    assert suited(Batch((), {"image": X}), nn.Flatten()).inputs[0] is X


def test_targets_go_to_a_forward_that_takes_labels_unless_a_loss_is_given():
    model = OwnLoss()
    subject = Subject(model, (X, Y))
    batch = subject.data()
    own, logits = model(X, Y)
    assert torch.equal(subject.loss(batch), own) and torch.equal(subject.output(batch), logits)
    assert not Subject(model, (X, Y), loss="cross_entropy").data().named


def both(output, target):
    return F.cross_entropy(output[0], target[0]) + F.mse_loss(output[1], target[1])


ROWS = [(X[i], (Y[i], NUMBERS[i])) for i in range(8)]
TARGETS = {
    "tuple": (X, (Y, NUMBERS)),
    "list": [X, [Y, NUMBERS]],
    "three columns": (X, Y, NUMBERS),
    "loader": DataLoader(ROWS, batch_size=3),
    "loader of three columns": DataLoader(TensorDataset(X, Y, NUMBERS), batch_size=3),
}


@pytest.mark.parametrize("form", TARGETS)
def test_several_targets_go_whole_to_the_loss(form):
    model = TwoHeads()
    subject = Subject(model, TARGETS[form], loss=both)
    few = subject.data(5)
    expected = both(model(X[:5]), (Y[:5], NUMBERS[:5]))
    torch.testing.assert_close(subject.loss(few), expected)


def test_targets_by_name_and_as_one_thing_per_sample_are_cut_with_the_samples():
    by_name = Subject(nn.Linear(3, 3), (X, {"class": Y, "box": NUMBERS}), loss=both).data(2)
    assert [len(t) for t in by_name.target.values()] == [2, 2]
    boxes = [{"boxes": torch.zeros(i % 3, 4)} for i in range(8)]
    batches = [(X[:4], boxes[:4]), (X[4:], boxes[4:])]
    few = Subject(nn.Linear(3, 3), batches, loss=both).data().slice(torch.tensor([7, 2]))
    assert [len(t["boxes"]) for t in few.target] == [1, 2]


def test_a_packed_sequence_is_refused_in_one_sentence():
    packed = nn.utils.rnn.pack_padded_sequence(X[:, :, None], torch.full((8,), 3), batch_first=True)
    with pytest.raises(InputError, match="with the padded tensor x"):
        Subject(nn.Flatten(), (packed, Y))


def test_a_loader_gives_the_epoch_that_would_have_come():
    def epochs(look):
        torch.manual_seed(1)
        own = torch.Generator().manual_seed(2)
        loaders = [
            DataLoader(TensorDataset(X, Y), 3, shuffle=True, drop_last=True, generator=g)
            for g in (own, None)
        ]
        for loader in loaders if look else ():
            assert Subject(nn.Flatten(), loader).data().size == 6
        return [torch.cat([y for _, y in loader]) for loader in loaders]

    assert all(map(torch.equal, epochs(look=True), epochs(look=False)))
