import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.smoothness import (
    GALLERY,
    hessian_norm,
    hessian_spectrum_bound_check,
    quadratic_upper_bound_gap,
    regularity,
    smoothness_constant,
)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_square_is_two_smooth_exactly():
    assert smoothness_constant(lambda x: x.square().sum(), normal(10, 1)).curvature == 2.0


def test_a_quadratic_has_its_largest_eigenvalue():
    q = normal(4, 4)
    Q = q @ q.T
    found = smoothness_constant(lambda x: 0.5 * x @ Q @ x, normal(5, 4, seed=1))
    assert found.value == pytest.approx(float(torch.linalg.eigvalsh(Q).max()), rel=1e-9)
    assert found.secant <= found.curvature * (1 + 1e-9)


def test_power_iteration_agrees_with_the_dense_spectrum():
    q = normal(80, 80)
    Q = (q + q.T) / 2
    true = float(torch.linalg.eigvalsh(Q).abs().max())
    found = hessian_norm(lambda x: 0.5 * x @ Q @ x, normal(80, seed=1), iterations=500)
    assert found <= true * (1 + 1e-12) and found == pytest.approx(true, rel=1e-2)
    assert hessian_norm(lambda x: 0.5 * x @ Q @ x, normal(80), dense=80) == pytest.approx(true)


def test_logistic_regression_is_smooth_by_a_quarter_of_the_gram_matrix():
    X, y = normal(20, 3), torch.sign(normal(20, seed=1))

    def loss(w):
        return torch.nn.functional.softplus(-y * (X @ w)).mean()

    L = float(torch.linalg.eigvalsh(X.T @ X).max()) / 4 / 20
    found = smoothness_constant(
        loss, torch.cat([torch.zeros(1, 3).double(), normal(20, 3, seed=2)])
    )
    assert found.value <= L * (1 + 1e-12)
    assert found.value == pytest.approx(L)  # attained at w = 0


@pytest.mark.parametrize("specimen", GALLERY, ids=lambda s: s.name)
def test_the_gallery_is_classified_as_it_is_labelled(specimen):
    assert regularity(specimen.function) == specimen.regularity


@pytest.mark.parametrize("power", [1.0, 1.5])
def test_the_estimate_diverges_under_refinement_where_f_is_not_smooth(power):
    estimates = []
    for h in (1e-2, 1e-4, 1e-6):
        points = torch.tensor([[-h], [h]], dtype=torch.float64)
        estimates.append(smoothness_constant(lambda x: x.abs().pow(power).sum(), points).secant)
    assert estimates[2] > 5 * estimates[1] > 25 * estimates[0]


def test_the_spectrum_of_waves_approaches_the_largest_squared_frequency():
    a = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    points = 3 * normal(100, 3)

    def f(x):
        return torch.sin(a * x).sum()

    found = hessian_spectrum_bound_check(f, points, L=9.0)
    assert not found.violated and 8.9 < found.largest <= 9.0
    understated = hessian_spectrum_bound_check(f, points, L=4.5)
    assert understated.violated
    assert hessian_norm(f, understated.point) == understated.largest > 4.5


@pytest.mark.parametrize(
    ("f", "L"),
    [(lambda x: (1 - torch.cos(x)).sum(), 1.0), (lambda x: x.square().sum(), 2.0)],
)
def test_no_point_is_above_the_parabola(f, L):
    zero = torch.zeros(2, dtype=torch.float64)
    gaps = [quadratic_upper_bound_gap(f, zero, L, x) for x in 3 * normal(50, 2)]
    assert max(gaps) <= 1e-12


def test_at_a_minimum_the_hessian_lies_between_zero_and_L():
    from corollary.theory.prerequisites.hessians import hessian
    from corollary.theory.prerequisites.loewner import is_psd, loewner_leq

    H = hessian(lambda x: (1 - torch.cos(x)).sum(), torch.zeros(3, dtype=torch.float64))
    assert is_psd(H).holds and loewner_leq(H, torch.eye(3, dtype=torch.float64)).holds


def test_bad_input_is_named():
    one = torch.ones(1, dtype=torch.float64)
    with pytest.raises(InputError, match=r"x\* must be stationary"):
        quadratic_upper_bound_gap(lambda x: x.square().sum(), one, 2.0, 2 * one)
    with pytest.raises(InputError, match="at least two points"):
        smoothness_constant(lambda x: x.square().sum(), one[None])
    with pytest.raises(InputError, match="L must be a positive number"):
        hessian_spectrum_bound_check(lambda x: x.square().sum(), one[None], -1.0)
