import math

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.norms import (
    ORDERS,
    norm_violation,
    operator_norm,
    vector_norm,
)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("shape", [(4, 4), (7, 3), (3, 7), (1, 1)])
def test_the_operator_norm_is_that_of_torch_and_is_attained(p, shape):
    A = normal(*shape)
    found = operator_norm(A, p)
    assert found.value == pytest.approx(float(torch.linalg.matrix_norm(A, ord=p)), rel=1e-12)
    x = found.maximiser
    assert float(vector_norm(A @ x, p) / vector_norm(x, p)) == pytest.approx(found.value, rel=1e-8)
    v = normal(1000, shape[1], seed=1)
    ratios = vector_norm(v @ A.T, p) / vector_norm(v, p)
    assert float(ratios.max()) <= found.value * (1 + 1e-12)


def test_the_spectral_norm_is_the_root_of_the_largest_eigenvalue():
    A = normal(5, 3)
    top = float(torch.linalg.eigvalsh(A.T @ A).max())
    assert operator_norm(A).value == pytest.approx(top**0.5)


@pytest.mark.parametrize("p", ORDERS)
def test_the_three_norms_pass_the_axioms(p):
    assert norm_violation(lambda v: vector_norm(v, p), 4, rng=rng()) is None


def test_the_operator_norm_passes_the_axioms():
    def size(v):
        return torch.linalg.matrix_norm(v.reshape(-1, 2, 3), ord=2)

    assert norm_violation(size, 6, rng=rng()) is None


@pytest.mark.parametrize(
    ("form", "axiom"),
    [
        (lambda v: v.abs().sqrt().sum(dim=1) ** 2, "p(u + v) <= p(u) + p(v)"),
        (lambda v: v[:, 0].abs(), "p(v) = 0 only for v = 0"),
        (lambda v: v.square().sum(dim=1), "p(a v) = |a| p(v)"),
        (lambda v: v.abs().sqrt().sum(dim=1), "p(a v) = |a| p(v)"),
        (lambda v: v.sum(dim=1), "p(v) >= 0"),
        (lambda v: v.abs().sum(dim=1) + 1, "p(0) = 0"),
    ],
)
def test_what_is_no_norm_is_rejected_with_a_witness(form, axiom):
    found = norm_violation(form, 3, rng=rng())
    assert found.axiom == axiom
    *_, v = found.witness
    if axiom == "p(u + v) <= p(u) + p(v)":
        u = found.witness[0]
        assert form((u + v)[None]) > form(u[None]) + form(v[None])
    if axiom == "p(v) = 0 only for v = 0":
        assert form(v[None]) == 0 and bool((v != 0).any())


def test_the_sum_of_roots_also_breaks_the_triangle_inequality_of_its_square():
    """The sum of roots itself is subadditive and not homogeneous; its square is the reverse."""
    e = torch.eye(2, dtype=torch.float64)

    def half(v):
        return float(v.abs().sqrt().sum() ** 2)

    assert half(e[0] + e[1]) == 4.0 > half(e[0]) + half(e[1]) == 2.0


def test_bad_input_is_named():
    with pytest.raises(InputError, match="p must be 1, 2 or infinity"):
        operator_norm(torch.eye(2), 3)
    with pytest.raises(InputError, match="must not be empty"):
        operator_norm(torch.ones(0, 3))
    with pytest.raises(InputError, match="1 of its entries"):
        vector_norm(torch.tensor([1.0, math.nan]))
