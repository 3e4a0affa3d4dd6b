import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from corollary.core.batch import Batch
from corollary.core.gathering import gather
from corollary.core.subject import Subject
from corollary.errors import InputError, InputTypeError, NotApplicableError

X, LABELS, NUMBERS = torch.randn(6, 3), torch.tensor([0, 1, 2, 0, 1, 2]), torch.randn(6, 1)


class Says(nn.Module):
    """Calls a function on its linear map: outputs of every shape and kind."""

    def __init__(self, say, out=3):
        super().__init__()
        self.linear, self.say = nn.Linear(3, out), say

    def forward(self, x):
        return self.say(self.linear(x))


@pytest.mark.parametrize(
    "data",
    [
        (X, LABELS),
        [X, LABELS],
        TensorDataset(X, LABELS),
        DataLoader(TensorDataset(X, LABELS), batch_size=4),
        [(X[:2], LABELS[:2]), (X[2:], LABELS[2:])],
        {"x": X, "label": LABELS},
        Batch((X,), {}, LABELS),
    ],
)
def test_data_of_every_usual_form_is_gathered(data):
    batch = gather(data, samples=5)
    assert batch.size == 5
    assert torch.equal(batch.tensors()[0], X[:5]) and torch.equal(batch.target, LABELS[:5])


def test_several_inputs_stay_apart():
    batch = Subject(nn.Bilinear(3, 1, 3), ((X, NUMBERS), LABELS)).data()
    assert len(batch.inputs) == 2 and torch.equal(batch.inputs[1], NUMBERS)


def test_ragged_batches_give_the_first():
    batches = [(torch.zeros(2, 5), LABELS[:2]), (torch.zeros(2, 7), LABELS[:2])]
    assert gather(batches, samples=4).tensors()[0].shape == (2, 5)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ((X, LABELS[:4]), InputError, "same number of samples"),
        ((X[:0], LABELS[:0]), InputError, "no samples"),
        ([], InputError, "no samples"),
        (3, InputTypeError, "got int"),
    ],
)
def test_bad_data_gets_one_sentence(data, error, message):
    with pytest.raises(error, match=message):
        gather(data, samples=5)


@pytest.mark.parametrize(
    "say",
    [
        lambda z: z,
        lambda z: {"logits": z, "hidden": z.exp()},
        lambda z: (z, "note"),
        lambda z: {"mask": torch.ones(2, dtype=torch.bool), "scores": z},
    ],
)
def test_the_likely_output_is_found(say):
    subject = Subject(Says(say), (X, LABELS))
    with subject.borrowed():
        assert torch.equal(subject.output(subject.data()), subject.model.linear(X))


def test_an_output_without_a_float_tensor_is_said():
    subject = Subject(Says(lambda z: z > 0), (X, LABELS))
    with pytest.raises(NotApplicableError, match="pass output="):
        subject.output(subject.data())


def test_the_loss_suits_output_and_target():
    model = Says(lambda z: z)
    assert torch.equal(
        Subject(model, (X, LABELS)).loss(Batch((X,), {}, LABELS)),
        F.cross_entropy(model(X), LABELS),
    )
    one = Says(lambda z: z, out=1)
    assert torch.equal(
        Subject(one, (X, NUMBERS)).loss(Batch((X,), {}, NUMBERS)), F.mse_loss(one(X), NUMBERS)
    )
    binary = LABELS.clamp(max=1)
    assert torch.equal(
        Subject(one, (X, binary)).loss(Batch((X,), {}, binary)),
        F.binary_cross_entropy_with_logits(one(X)[:, 0], binary.float()),
    )


def test_the_models_own_loss_is_taken():
    subject = Subject(Says(lambda z: {"loss": z.sum(), "logits": z}), (X, LABELS))
    assert torch.equal(subject.loss(subject.data()), subject.model.linear(X).sum())


def test_a_loss_that_does_not_fit_gets_one_sentence():
    with pytest.raises(NotApplicableError, match=r"shape \(6, 3\).*pass loss="):
        Subject(Says(lambda z: z), (X, torch.randn(6, 2))).loss(Batch((X,), {}, torch.randn(6, 2)))
    subject = Subject(Says(lambda z: z), (X, LABELS), loss=lambda o, t: o)
    with pytest.raises(InputError, match="expected a loss that returns one number"):
        subject.loss(subject.data())
    with pytest.raises(InputError, match="expected the loss cross_entropy"):
        Subject(Says(lambda z: z), (X, LABELS), loss="hinge")


def test_borrowing_gives_the_module_back():
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout()).train()
    before = model[0].weight.clone()
    subject = Subject(model, (X, LABELS))
    with subject.borrowed() as borrowed:
        assert not borrowed.training
        borrowed[0].weight.data.zero_()
    assert model.training and torch.equal(model[0].weight, before)


@pytest.mark.parametrize(
    ("options", "message"), [({"lr": -1.0}, "lr must be"), ({"batch_size": 0}, "batch_size must")]
)
def test_bad_options_get_one_sentence(options, message):
    with pytest.raises(InputError, match=message):
        Subject(nn.Linear(1, 1), **options)
    with pytest.raises(InputTypeError, match="expected a torch.nn.Module, got"):
        Subject(lambda x: x)
