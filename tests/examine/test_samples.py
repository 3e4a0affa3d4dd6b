"""Data and modules in the forms that users have them."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from corollary.core import Subject
from corollary.core.gathering import gather
from corollary.errors import InputError
from corollary.examine.modules import unwrapped
from corollary.examine.samples import as_batches

X, Y = torch.arange(60.0).reshape(10, 2, 3), torch.arange(10) % 3


class Stream(IterableDataset):
    def __iter__(self):
        return iter(list(zip(X, Y, strict=True)))


class Table:
    """As pandas has them."""

    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return self.values


SAME = {
    "tensors": lambda: (X, Y),
    "arrays": lambda: (X.numpy(), Y.numpy()),
    "tables": lambda: (X, Table(Y.numpy())),
    "labels in a list": lambda: (X.numpy(), Y.tolist()),
    "list of samples": lambda: list(zip(X, Y, strict=True)),
    "samples with plain labels": lambda: [(x, int(y)) for x, y in zip(X, Y, strict=True)],
    "samples as arrays": lambda: [(x.numpy(), y.numpy()[()]) for x, y in zip(X, Y, strict=True)],
    "generator of samples": lambda: ((x, int(y)) for x, y in zip(X, Y, strict=True)),
    "generator of batches": lambda: ((X[i : i + 5], Y[i : i + 5]) for i in (0, 5)),
    "list of batches": lambda: [(X[i : i + 5], Y[i : i + 5]) for i in (0, 5)],
    "dataset without a length": Stream,
    "loader of it": lambda: DataLoader(Stream(), batch_size=4),
    "dataset": lambda: TensorDataset(X, Y),
}


@pytest.mark.parametrize("form", SAME)
def test_every_form_of_the_data_gives_the_same_samples(form):
    batch = Subject(nn.Flatten(), as_batches(SAME[form]())).data()
    assert torch.equal(batch.inputs[0], X) and torch.equal(batch.target, Y)


def test_samples_by_name_are_put_together_by_name():
    rows = [{"image": x, "label": int(y)} for x, y in zip(X, Y, strict=True)]
    batch = gather(as_batches(rows), 10)
    assert torch.equal(batch.named["image"], X) and torch.equal(batch.target, Y)


def test_samples_of_different_shapes_are_refused_in_one_sentence():
    rows = [(torch.zeros(2), 0), (torch.zeros(3), 1)]
    with pytest.raises(InputError, match="cannot be combined into a batch"):
        Subject(nn.Flatten(), as_batches(rows))


def test_words_are_no_numbers():
    with pytest.raises(InputError, match="expected numbers in the data"):
        as_batches((np.array(["a", "b"]), np.array([0, 1])))


def test_the_module_within_a_wrapper_is_taken():
    model = nn.Linear(2, 1)
    assert unwrapped(torch.compile(model, backend="eager")) is model
    assert unwrapped(nn.DataParallel(model)) is model
    assert unwrapped(model) is model and unwrapped(3) == 3


def test_a_scripted_module_gets_its_mode_back():
    from corollary.core import Subject

    model = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout()))
    model.train()
    with Subject(model, torch.zeros(4, 2)).borrowed():
        assert not any(m.training for m in model.modules())
    assert all(m.training for m in model.modules())


def test_rows_of_a_sparse_input_are_chosen():
    from corollary.core import Batch

    x = torch.eye(4)
    part = Batch((x.to_sparse_coo(),), {}, torch.arange(4)).slice(torch.tensor([2, 0]))
    assert torch.equal(part.inputs[0].to_dense(), x[[2, 0]]) and part.target.tolist() == [2, 0]


def test_a_loss_written_for_a_record_gets_the_record():
    from corollary.core import Subject

    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)

        def forward(self, x):
            return {"mean": self.a(x), "spread": self.b(x)}

    def loss(out, y):
        return (out["mean"] - y).square().mean() + out["spread"].square().mean()

    subject = Subject(Two(), (torch.ones(4, 2), torch.zeros(4, 1)), loss=loss)
    batch = subject.data()
    assert torch.equal(subject.loss(batch), loss(subject.call(batch), batch.target))


def test_labels_are_split_off_where_forward_does_not_take_them():
    from corollary.core import Subject

    batch = Subject(
        torch.nn.Linear(2, 2), {"input": torch.ones(4, 2), "labels": torch.zeros(4)}
    ).batch
    assert "labels" not in batch.named and batch.target.shape == (4,)
