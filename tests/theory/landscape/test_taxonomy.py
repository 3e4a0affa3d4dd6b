import pytest
import torch

from corollary.errors import InputError
from corollary.theory.landscape.student_teacher import (
    relu_correlations,
    student_teacher_loss,
)
from corollary.theory.landscape.taxonomy import classify


def kind(f, d: int) -> tuple[str, str]:
    zero = torch.zeros(d, dtype=torch.float64)
    return classify(f, zero, rng=torch.Generator().manual_seed(0))[:2]


def test_the_hessian_decides_where_it_can():
    assert kind(lambda w: w[0] ** 2 - w[1] ** 2, 2) == ("saddle", "hessian")
    assert kind(lambda w: w.square().sum(), 2) == ("minimum", "hessian")
    assert kind(lambda w: -w.square().sum(), 2) == ("maximum", "hessian")


def test_sampling_decides_where_the_hessian_is_silent():
    assert kind(lambda w: w[0] ** 3, 1) == ("saddle", "sampling")
    assert kind(lambda w: (w.prod() - 1) ** 2 / 2, 3) == ("saddle", "sampling")
    assert kind(lambda w: w[0] ** 4, 1) == ("minimum", "sampling")
    assert kind(lambda w: -(w**4).sum(), 2) == ("maximum", "sampling")
    assert kind(lambda w: 0 * w.sum(), 2) == ("flat", "sampling")
    assert kind(lambda w: w[0] ** 2 + w[1] ** 3, 2) == ("saddle", "sampling")


def test_the_notes_saddle_has_a_zero_hessian():
    """Definition 24 would call it no saddle; (0.1, 0.1, 0.1) is lower than 0."""
    zero = torch.zeros(3, dtype=torch.float64)
    f = lambda w: (w.prod() - 1) ** 2 / 2  # noqa: E731 - the formula of the notes
    found = classify(f, zero, rng=torch.Generator().manual_seed(0))
    assert found.curvatures.abs().max() == 0
    assert found.lowest < 0 < found.highest
    assert f(zero + 0.1) < f(zero)


def test_a_slope_is_no_critical_point():
    with pytest.raises(InputError, match="only critical points"):
        kind(lambda w: w.sum(), 2)


def test_the_expected_loss_of_students_is_that_of_samples():
    rng = torch.Generator().manual_seed(0)
    W = torch.randn(3, 4, generator=rng, dtype=torch.float64)
    V = torch.eye(4, dtype=torch.float64)
    x = torch.randn(200_000, 4, generator=rng, dtype=torch.float64)
    sampled = 0.5 * ((x @ W.T).relu().sum(1) - (x @ V.T).relu().sum(1)).square().mean()
    assert student_teacher_loss(W, V).item() == pytest.approx(sampled.item(), rel=0.02)
    assert student_teacher_loss(V, V).item() == pytest.approx(0.0, abs=1e-6)
    assert relu_correlations(V, V)[0, 1].item() == pytest.approx(0.5 / torch.pi)
