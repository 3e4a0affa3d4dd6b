r"""Gradient flow of a product of matrices.

Let :math:`\mathcal{L}(W_1, \dots, W_L) = \frac{1}{2L} \|W - T\|_F^2` with the product :math:`W =
W_L \cdots W_1` of square matrices, and let every factor follow the gradient flow :math:`\dot W_k =
-\partial\mathcal{L}/\partial W_k`. Factors are *balanced* if :math:`W_{k+1}^\top W_{k+1} = W_k
W_k^\top` for all :math:`k`; the flow keeps this. The array ``factors`` has :math:`W_1` first.

:source: Notes, Section 6.4, Problem 1.
:a: ``flow(factors, target, k)`` Return :math:`\dot W_k`, where :math:`k = 1, \dots, L`.
:a-hints: Write the product as :math:`A W_k B`. | The gradient of :math:`\frac12\|A W B - T\|^2` is
    :math:`A^\top (A W B - T) B^\top`. | The flow goes down, and :math:`1/L` stays.
:b: ``conserved_rate(factors, target, k)`` Return :math:`W_{k+1}^\top \dot W_{k+1}`, which equals
    :math:`\dot W_k W_k^\top`, where :math:`k = 1, \dots, L - 1`.
:b-hints: Use part a on both sides. | One transposed factor moves from one side to the other. |
    Therefore :math:`W_{k+1}^\top W_{k+1} - W_k W_k^\top` does not change.
:c: ``balanced_factors(W, L)`` Return balanced factors :math:`W_1, \dots, W_L` whose product is the
    given :math:`W`, as a list that begins with :math:`W_1`.
:c-hints: Start from :math:`W = U \Sigma V^\top`. | Every factor has the same singular values. |
    They are :math:`\Sigma^{1/L}`; inner singular vectors have to meet and cancel.
:d: Write the flow of one factor in terms of the singular value decompositions.
:d-ungraded: it is a step on the way to part f, and is graded there by its conclusion.
:e: Write the flow of the product in terms of the singular value decompositions.
:e-ungraded: it is a step on the way to part f, and is graded there by its conclusion.
:f: ``product_flow(W, target, L)`` For balanced factors, return :math:`\dot W` in terms of the
    product :math:`W` alone.
:f-hints: The product rule has one term for each factor. | For balanced factors :math:`W_L \cdots
    W_{k+1} W_{k+1}^\top \cdots W_L^\top = (W W^\top)^{(L-k)/L}`. | The powers of the two sides add
    up to :math:`(L-1)/L`.
"""

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from corollary.exercises.judging import Array, Case, Judge, Rng, equals, gradient, real


def product(factors: Array) -> Array:
    """The product, the last factor on the left."""
    return reduce(lambda W, factor: factor @ W, factors)


def velocities(factors: Array, target: Array) -> Array:
    """The flow of all factors, by numerical derivatives."""
    L = len(factors)
    return -gradient(lambda w: float(((product(w) - target) ** 2).sum()) / (2 * L), factors)


def drawn(rng: Rng) -> Iterator[tuple[Array, Array, int, str]]:
    """Factors, a target, and an index."""
    for L, d, k, edge in ((3, 3, 2, ""), (4, 2, 3, ""), (3, 2, 1, "the first factor")):
        yield rng.normal(size=(L, d, d)) / d**0.5, rng.normal(size=(d, d)), k, edge


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by numerical derivatives; also the last factor."""
    cases = list(drawn(rng))
    cases.append((rng.normal(size=(2, 3, 3)), rng.normal(size=(3, 3)), 2, "the last factor"))
    for factors, target, k, edge in cases:
        v = velocities(factors, target)[k - 1]
        said = {
            "your answer is the gradient; the flow follows minus the gradient": -v,
            "the factor 1/L is missing": len(factors) * v,
            "the matrix is transposed": v.T,
        }
        given = {"factors": factors, "target": target, "k": k}
        yield Case(given, equals(v, said, within=1e-5), edge)  # products of several matrices


def part_b(rng: Rng) -> Iterator[Case]:
    """From the numerical flow."""
    for factors, target, k, edge in drawn(rng):
        v = velocities(factors, target)
        rate = factors[k].T @ v[k]
        said = {
            "the sign is wrong": -rate,
            "the factors are in the wrong order": v[k] @ factors[k].T,
            "the factor 1/L is missing": len(factors) * rate,
            "the transpose is missing": factors[k] @ v[k],
        }
        given = {"factors": factors, "target": target, "k": k}
        yield Case(given, equals(rate, said, within=1e-5), edge)


def split(W: Array, L: int) -> Array:
    """Balanced factors of a matrix."""
    U, s, V = np.linalg.svd(W)
    root = np.diag(s ** (1 / L))
    return np.array([root @ V, *[root] * (L - 2), U @ root]) if L > 1 else W[None]


def part_c(rng: Rng) -> Iterator[Case]:
    """Products of several lengths, and one of rank 1."""
    cases = ((3, 2, ""), (3, 4, ""), (4, 3, ""), (3, 1, "a single factor"), (3, 3, "rank 1"))
    for d, L, edge in cases:
        W = rng.normal(size=(d, d))
        if edge == "rank 1":
            W = np.outer(W[0], W[1])
        yield Case({"W": W, "L": L}, _balanced(W, L), edge)


def _balanced(W: Array, L: int) -> Judge:
    def judge(answer: Any) -> str:
        got = real(answer)
        if got.shape != (L, *W.shape):
            return f"expected {L} matrices of shape {W.shape}, got shape {got.shape}"
        if not np.allclose(product(got), W, atol=1e-7 * np.abs(W).max()):
            return "the product is not W"
        pairs = zip(got[:-1], got[1:], strict=True)
        even = all(np.allclose(b.T @ b, a @ a.T, atol=1e-7 * (a @ a.T).max()) for a, b in pairs)
        return "" if even else "the factors are not balanced"

    return judge


def part_f(rng: Rng) -> Iterator[Case]:
    """The product rule with the numerical flow of balanced factors."""
    for d, L, edge in ((3, 2, ""), (3, 3, ""), (2, 4, ""), (3, 1, "a single factor")):
        W, target = rng.normal(size=(d, d)), rng.normal(size=(d, d))
        factors = split(W, L)
        v = velocities(factors, target)
        parts = [product(np.array([*factors[:k], v[k], *factors[k + 1 :]])) for k in range(L)]
        rate = np.sum(parts, axis=0)
        said = {
            "the sign is wrong: the product moves towards the target": -rate,
            "the factor 1/L is missing": L * rate,
            "your answer is the flow of a single factor": target - W,
        }
        given = {"W": W, "target": target, "L": L}
        yield Case(given, equals(rate, said, within=1e-5), edge)
