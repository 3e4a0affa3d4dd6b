import math

import numpy as np
import pytest
import torch

from corollary.core import generator
from corollary.data.separable import separable_cloud
from corollary.data.xor import xor
from corollary.errors import InputError
from corollary.theory.connectionism.labelled import homogeneous
from corollary.theory.connectionism.max_margin import max_margin, novikoff_bound
from corollary.theory.connectionism.perceptron import margin, perceptron_fit


@pytest.mark.parametrize("seed", range(6))
def test_the_margin_is_that_of_a_hard_margin_svm(seed):
    from sklearn.svm import SVC

    # Through the origin: the points and their mirror images force the svm's offset to zero.
    x, y, _ = separable_cloud(60, 4, 0.1, rng=generator(seed, "svm"))
    both, labels = torch.cat([x, -x]).numpy(), torch.cat([y, -y]).numpy()
    svm = SVC(kernel="linear", C=1e8, tol=1e-10).fit(both, labels)
    found = max_margin(x, y)
    assert found.margin == pytest.approx(1 / np.linalg.norm(svm.coef_), rel=1e-5)
    np.testing.assert_allclose(found.u.numpy(), svm.coef_[0] / np.linalg.norm(svm.coef_), atol=1e-4)


@pytest.mark.parametrize("bias", [False, True])
def test_margin_and_distance_to_the_hull_coincide(bias):
    x, y, u = separable_cloud(300, 10, 0.02, rng=generator(1, "dual"))
    found = max_margin(x, y, bias=bias)
    assert abs(found.gap) < 1e-12
    points = homogeneous(x) if bias else x
    assert float(margin(points, y, found.u)) == pytest.approx(found.margin, rel=1e-12)
    if not bias:
        assert found.margin >= float(margin(x, y, u)) - 1e-12  # no direction does better


def test_only_support_vectors_carry_weight():
    x, y, _ = separable_cloud(300, 5, 0.1, rng=generator(2, "support"))
    found = max_margin(x, y)
    far = y * (x @ found.u) > found.margin * (1 + 1e-9)
    assert found.weights[far].abs().max() == 0
    assert found.weights.sum().item() == pytest.approx(1)


@pytest.mark.parametrize("n", [1, 2, 7, 32])
def test_orthonormal_points_attain_the_bound(n):
    x, y = torch.eye(n, dtype=torch.float64), torch.ones(n, dtype=torch.float64)
    assert max_margin(x, y).margin == pytest.approx(1 / math.sqrt(n))
    assert novikoff_bound(x, y) == n == perceptron_fit(x, y, bias=False).updates


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bias", [False, True])
def test_updates_never_exceed_the_sharpest_bound(seed, bias):
    rng = generator(seed, "bound")
    x, y, _ = separable_cloud(80, 3, 0.05, rng=rng)
    if bias:
        x = x + 0.5
    bound = novikoff_bound(x, y, bias=bias)
    for _ in range(5):
        order = torch.randperm(len(x), generator=rng)
        assert perceptron_fit(x, y, bias=bias, order=order).updates <= bound


def test_less_than_the_floor_is_refuted_by_one_point():
    """The notes' 'less than floor((R/gamma)^2)' would allow no update at all."""
    x, y = torch.ones(1, 1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    updates = perceptron_fit(x, y, bias=False).updates
    assert updates == novikoff_bound(x, y) == math.floor(1.0) == math.ceil(1.0) == 1
    assert not updates < math.floor(1.0)


def test_points_that_are_not_separable_have_no_bound():
    x, y = xor()
    found = max_margin(x, y, bias=True)
    assert found.margin == 0 and found.u.eq(0).all()
    with pytest.raises(InputError, match="separates, but none does"):
        novikoff_bound(x, y, bias=True)
