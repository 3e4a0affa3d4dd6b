import math

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from corollary.errors import InputError
from corollary.models.softmax_classifier import SoftmaxClassifier
from corollary.train.losses import cross_entropy


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def points(n=30, d=4, seed=1):
    return torch.randn(n, d, generator=rng(seed), dtype=torch.float64)


def test_the_probabilities_are_those_of_sklearns_multinomial_model():
    x, y = points(), torch.arange(30) % 3
    fitted = LogisticRegression(fit_intercept=False).fit(x.numpy(), y.numpy())
    model = SoftmaxClassifier.of(torch.from_numpy(np.ascontiguousarray(fitted.coef_)))
    torch.testing.assert_close(
        model.probabilities(x).detach(), torch.from_numpy(fitted.predict_proba(x.numpy()))
    )


def test_a_common_shift_of_all_rows_changes_nothing():
    model, x = SoftmaxClassifier(4, 3, rng=rng()), points()
    shifted = SoftmaxClassifier.of(model.Theta + points(1)[0])
    torch.testing.assert_close(shifted.probabilities(x), model.probabilities(x), rtol=0, atol=1e-12)


def test_the_canonical_classifier_agrees_and_has_fewer_parameters():
    model, x = SoftmaxClassifier(4, 3, rng=rng()), points()
    pinned = model.canonical()
    torch.testing.assert_close(pinned.probabilities(x), model.probabilities(x))
    assert pinned.Theta[-1].tolist() == [0] * 4
    assert [sum(p.numel() for p in m.parameters()) for m in (model, pinned)] == [12, 8]


@pytest.mark.parametrize("pin_last, nullity", [(False, 4), (True, 0)])
def test_the_hessian_of_the_loss_has_the_shifts_in_its_kernel_unless_a_row_is_pinned(
    pin_last, nullity
):
    model, x, y = SoftmaxClassifier(4, 3, pin_last=pin_last, rng=rng()), points(), torch.arange(30)

    def loss(free):
        return cross_entropy(torch.func.functional_call(model, {"free": free}, x), y % 3)

    H = torch.autograd.functional.hessian(loss, model.free.detach())
    values = torch.linalg.eigvalsh(H.reshape(model.free.numel(), -1))
    assert int((values.abs() < 1e-12).sum()) == nullity


def test_two_classes_are_one_sigmoid_unit():
    model, x = SoftmaxClassifier(4, 2, rng=rng()), points()
    unit = model.to_sigmoid()
    torch.testing.assert_close(unit(x), model.probabilities(x)[:, 0], rtol=0, atol=1e-12)
    with pytest.raises(InputError, match="only a classifier with 2 classes .* got 3"):
        SoftmaxClassifier(4, 3, rng=rng()).to_sigmoid()


def test_the_middle_line_as_read_doubles_the_argument():
    Theta = torch.tensor([[0.7], [-0.3]], dtype=torch.float64)
    true = SoftmaxClassifier.of(Theta).probabilities(torch.ones(1, 1).double())[0, 0].item()
    as_read = math.e / (math.e + math.exp(-1))
    assert (round(true, 3), round(as_read, 3)) == (0.731, 0.881)


def test_bad_shapes_are_refused():
    with pytest.raises(InputError, match="k >= 2 classes, got d=3, k=1"):
        SoftmaxClassifier(3, 1, rng=rng())
    with pytest.raises(InputError, match="points with 4 features"):
        SoftmaxClassifier(4, 2, rng=rng())(points(d=3))
