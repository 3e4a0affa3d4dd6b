"""What all losses share: gradients, large logits, reductions and refusals."""

import math

import pytest
import torch

from corollary.errors import InputError, InputTypeError
from corollary.train import losses
from corollary.train.losses.targets import one_hot

NAMES = [
    "l1",
    "squared",
    "expectation",
    "brier",
    "chebyshev",
    "hinge",
    "cross_entropy",
    "squared_log",
    "tanimoto",
    "cauchy_schwarz",
]
each = pytest.mark.parametrize("loss", [getattr(losses, n) for n in NAMES], ids=NAMES)


def outputs(n=6, k=4, seed=0, scale=1.5):
    rng = torch.Generator().manual_seed(seed)
    return scale * torch.randn(n, k, generator=rng, dtype=torch.float64)


Y = torch.tensor([0, 3, 1, 1, 2, 0])


@each
def test_gradcheck_passes(loss):
    assert torch.autograd.gradcheck(lambda o: loss(o, Y), (outputs().requires_grad_(True),))


@each
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_value_and_gradient_are_finite_at_logits_of_ten_thousand(loss, dtype):
    o = torch.tensor([[1e4, -1e4, 0.0], [-1e4, 1e4, -1e4]], dtype=dtype, requires_grad=True)
    for classes in ([0, 1], [1, 0], [2, 2]):
        value = loss(o, torch.tensor(classes))
        (gradient,) = torch.autograd.grad(value, o)
        assert bool(value.isfinite()) and bool(gradient.isfinite().all())


@each
def test_class_numbers_and_one_hot_vectors_give_the_same(loss):
    o = outputs()
    vectors = one_hot(o, Y) if loss is not losses.hinge else 2 * one_hot(o, Y) - 1
    torch.testing.assert_close(loss(o, vectors), loss(o, Y))


@each
def test_reductions_are_of_the_rows(loss):
    o = outputs()
    rows = loss(o, Y, reduction="none")
    assert rows.shape == (6,)
    torch.testing.assert_close(loss(o, Y), rows.mean())
    torch.testing.assert_close(loss(o, Y, reduction="sum"), rows.sum())
    with pytest.raises(InputError, match="reduction must be mean, sum or none"):
        loss(o, Y, reduction="median")


@each
def test_bad_input_gets_one_sentence(loss):
    o = outputs()
    with pytest.raises(InputError, match="class numbers from 0 to 3, got 4"):
        loss(o, torch.tensor([0, 1, 2, 3, 4, 0]))
    with pytest.raises(InputError, match="from 0 to 3, got -1"):
        loss(o, Y - 1)
    with pytest.raises(InputError, match=r"6 class numbers .* shape \(5,\)"):
        loss(o, Y[:5])
    with pytest.raises(InputError, match=r"n, k >= 1, got \(0, 4\)"):
        loss(o[:0], Y[:0])
    with pytest.raises(InputError, match="finite, but row 2 holds nan"):
        loss(o.index_fill(0, torch.tensor([2]), math.nan), Y)
    with pytest.raises(InputTypeError, match="floating tensor, got torch.int64"):
        loss(o.long(), Y)


@each
def test_training_on_it_raises_the_accuracy(loss):
    from corollary.train import fit

    rng = torch.Generator().manual_seed(0)
    y = torch.arange(60) % 3
    centres = torch.tensor([[3.0, 0.0], [-2.0, 2.0], [-2.0, -2.0]], dtype=torch.float64)
    x = centres[y] + 0.5 * torch.randn(60, 2, generator=rng, dtype=torch.float64)
    model = torch.nn.Linear(2, 3, dtype=torch.float64)
    with torch.no_grad():
        for p in model.parameters():
            p.zero_()
        model.weight[:, 0] = torch.tensor([-0.1, 0.1, 0.0])
    before = losses.error_rate(model(x), y)
    fit(model, (x, y), loss, lambda p: torch.optim.SGD(p, lr=0.1), steps=200)
    assert losses.error_rate(model(x), y) < 0.05 < before


def test_targets_must_be_tensors_and_finite():
    o = outputs()
    with pytest.raises(InputTypeError, match="targets to be a tensor, got list"):
        losses.l1(o, [0, 1])
    with pytest.raises(InputError, match="finite targets, got inf"):
        losses.squared(o, torch.full_like(o, math.inf))
