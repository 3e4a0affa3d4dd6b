import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core import generator
from corollary.data.separable import separable_cloud
from corollary.data.xor import xor
from corollary.errors import InputError
from corollary.theory.connectionism import separability
from corollary.theory.connectionism.labelled import signed_points
from corollary.theory.connectionism.perceptron import margin
from corollary.theory.connectionism.separability import linear_separability


def proves_overlap(answer, x, y, bias=True):
    """The certificate is nonnegative, sums to 1 and cancels the signed points."""
    a = answer.certificate
    z = signed_points(x, y, bias=bias)
    return a.min() >= 0 and abs(a.sum() - 1) < 1e-9 and (a @ z).abs().max() < 1e-7 * z.abs().max()


def test_xor_is_not_separable_and_its_diagonals_cross():
    x, y = xor()
    answer = linear_separability(x, y)
    assert not answer
    assert (answer.w, answer.b, answer.margin) == (None, None, 0.0)
    torch.testing.assert_close(answer.certificate, torch.full((4,), 0.25, dtype=torch.float64))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 25),
    d=st.integers(1, 6),
    bias=st.booleans(),
    scale=st.sampled_from([1e-6, 1.0, 1e8]),
)
def test_every_answer_carries_a_proof(seed, n, d, bias, scale):
    rng = generator(seed, "proof")
    x = scale * (torch.randn(n, d, generator=rng, dtype=torch.float64) + 3)
    y = torch.where(torch.rand(n, generator=rng) < 0.5, -1.0, 1.0).double()
    answer = linear_separability(x, y, bias=bias)
    if answer.separable:
        assert margin(x, y, answer.w, answer.b) > 0
        assert answer.margin == pytest.approx(float(margin(x, y, answer.w, answer.b)), rel=1e-6)
        assert bias or answer.b == 0
        assert answer.certificate is None
    else:
        assert proves_overlap(answer, x, y, bias)


@pytest.mark.parametrize("gamma", [0.3, 1e-3, 1e-6])
def test_small_margins_are_found(gamma):
    x, y, _ = separable_cloud(200, 5, gamma, rng=generator(0, "small"))
    answer = linear_separability(x, y, bias=False)
    assert answer.separable
    assert margin(x, y, answer.w) > 0


def test_answers_agree_with_qhull_on_whether_the_origin_is_in_the_hull():
    from scipy.spatial import ConvexHull

    answers = []
    for seed in range(60):
        rng = generator(seed, "hull")
        x = torch.randn(8, 4, generator=rng, dtype=torch.float64)
        y = torch.where(torch.rand(8, generator=rng) < 0.5, -1.0, 1.0).double()
        hull = ConvexHull(signed_points(x, y).numpy())
        inside = bool((hull.equations[:, -1] <= 0).all())
        answers.append(linear_separability(x, y, bias=False).separable)
        assert answers[-1] == (not inside)
    assert 10 < sum(answers) < 50  # both answers occur


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_class_is_separable_and_said_to_be_one_class(label):
    x = torch.randn(5, 3, generator=generator(0, "one"), dtype=torch.float64)
    y = torch.full((5,), label, dtype=torch.float64)
    answer = linear_separability(x, y)
    assert answer.separable
    assert margin(x, y, answer.w, answer.b) == pytest.approx(answer.margin) == pytest.approx(1.0)
    assert answer.note == f"all labels are {label:+g}"


def test_one_class_around_the_origin_is_not_separable_without_a_bias():
    x = torch.tensor([[1.0], [-2.0]], dtype=torch.float64)
    answer = linear_separability(x, torch.ones(2), bias=False)
    assert not answer.separable
    torch.testing.assert_close(
        answer.certificate, torch.tensor([2 / 3, 1 / 3]).double(), atol=1e-7, rtol=0
    )


def test_a_point_with_both_labels_is_named():
    x = torch.tensor([[0.0, 1], [5, 5], [2, 2], [5, 5]], dtype=torch.float64)
    answer = linear_separability(x, torch.tensor([1.0, 1, -1, -1]))
    assert not answer.separable
    assert answer.note == "points 1 and 3 coincide but have opposite labels"
    assert proves_overlap(answer, x, torch.tensor([1.0, 1, -1, -1]))


def test_touching_hulls_are_not_separable():
    x = torch.tensor([[0.0, 0], [2, 0], [1, 0], [1, 1]], dtype=torch.float64)
    answer = linear_separability(x, torch.tensor([1.0, 1, -1, -1]))
    assert not answer.separable
    assert answer.certificate[3] == pytest.approx(0, abs=1e-9)


def test_bad_values_are_refused():
    x, y = xor()
    with pytest.raises(InputError, match="expected labels"):
        linear_separability(x, (y + 1) / 2)
    with pytest.raises(InputError, match="point 0"):
        linear_separability(x * math.inf, y)


def test_the_answer_keeps_the_dtype():
    x, y = xor()
    assert linear_separability(x.float(), y).certificate.dtype == torch.float32
    assert linear_separability(x[:3].float(), y[:3]).w.dtype == torch.float32


@pytest.mark.parametrize("attempt", ["_by_nearest_point", "_by_linear_program"])
def test_either_method_alone_gives_the_same_answers(attempt, monkeypatch):
    method = getattr(separability, attempt)
    for seed in range(25):
        rng = generator(seed, "either")
        x = torch.randn(10, 4, generator=rng, dtype=torch.float64)
        y = torch.where(torch.rand(10, generator=rng) < 0.5, -1.0, 1.0).double()
        answer = linear_separability(x, y)
        with monkeypatch.context() as patch:
            patch.setattr(separability, "_by_nearest_point", method)
            patch.setattr(separability, "_by_linear_program", method)
            alone = linear_separability(x, y)
        assert alone.separable == answer.separable
        assert alone.separable or proves_overlap(alone, x, y)


def test_hulls_closer_than_a_billionth_of_their_size_count_as_touching():
    x = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]], dtype=torch.float64)
    y = torch.tensor([-1.0, -1.0, 1.0], dtype=torch.float64)
    for height, separable in ((1e-7, True), (1e-12, False), (0.0, False)):
        x[2, 1] = height
        answer = linear_separability(x, y)
        assert answer.separable == separable
        assert answer.margin <= height
