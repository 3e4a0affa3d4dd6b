r"""Gradients of traces, quadratic and bilinear forms in a matrix.

The gradient of a number in a matrix has the shape of the matrix: entry (i, j) is the derivative in
entry (i, j). Every function returns the value and its gradients by formula, without autograd, and
refuses factors that do not fit.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1, (6.1)-(6.7), (6.11) and
    (6.21)-(6.23); Lucchi (2024), Foundations of Deep Learning (slides), Matrix Differentiation;
    Petersen and Pedersen (2012), "The matrix cookbook", Sections 2.4 and 2.5.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_symmetric

Matrix = Float[Tensor, "_ _"]
Vector = Float[Tensor, " _"]


class Differentiated(NamedTuple):
    """A number and its gradient."""

    value: Float[Tensor, ""]
    gradient: Tensor


class QuadraticForm(NamedTuple):
    """A quadratic form with its gradients in the vector and in the matrix."""

    value: Float[Tensor, ""]
    in_x: Vector
    in_A: Matrix


def frobenius_sq(X: Matrix) -> Differentiated:
    r"""The square :math:`\|X\|_F^2` with the gradient :math:`2X`.

    Example:
        >>> import torch
        >>> frobenius_sq(torch.tensor([[3.0, 4.0]]))
        Differentiated(value=tensor(25.), gradient=tensor([[6., 8.]]))

    :covers: gradient-frobenius-norm
    """
    return Differentiated(X.square().sum(), 2 * X)


def trace_ax(A: Matrix, X: Matrix) -> Differentiated:
    r"""The trace :math:`\operatorname{tr}(AX)` with A n x m and X m x n; in X: :math:`A^\top`.

    Example:
        >>> import torch
        >>> trace_ax(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]])).gradient.tolist()
        [[1.0], [2.0]]

    :covers: gradient-trace-products
    :erratum: [typo] (6.2) declares A as n x m for both of its formulas; the second, tr(A X^T)
        with X of shape m x n, needs A of shape m x n: with n = 2, m = 3 the product would be
        (2 x 3)(2 x 3). Both gradients are right.
    """
    _fit("tr(AX)", [("A", A), ("X", X)])
    return Differentiated((A @ X).trace(), A.T)


def trace_axt(A: Matrix, X: Matrix) -> Differentiated:
    r"""The trace :math:`\operatorname{tr}(AX^\top)` of two matrices of one shape; in X: :math:`A`.

    Example:
        >>> import torch
        >>> trace_axt(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])).value.item()
        11.0
    """
    _fit("tr(AX^T)", [("A", A), ("X^T", X.T)])
    return Differentiated((A * X).sum(), A)


def trace_abc(A: Matrix, B: Matrix, C: Matrix) -> Differentiated:
    r"""The trace :math:`\operatorname{tr}(ABC)`; in B: :math:`A^\top C^\top`.

    Example:
        >>> import torch
        >>> one = torch.ones(1, 1)
        >>> trace_abc(2 * one, 3 * one, 5 * one).gradient.item()
        10.0
    """
    _fit("tr(ABC)", [("A", A), ("B", B), ("C", C)])
    return Differentiated((A @ B @ C).trace(), A.T @ C.T)


def trace_cbtat(A: Matrix, B: Matrix, C: Matrix) -> Differentiated:
    r"""The trace :math:`\operatorname{tr}(CB^\top A^\top)`; in B: :math:`A^\top C`.

    Example:
        >>> import torch
        >>> one = torch.ones(1, 1)
        >>> trace_cbtat(2 * one, 3 * one, 5 * one).gradient.item()
        10.0
    """
    _fit("tr(CB^TA^T)", [("C", C), ("B^T", B.T), ("A^T", A.T)])
    return Differentiated((C @ B.T @ A.T).trace(), A.T @ C)


def trace_abcbtat(A: Matrix, B: Matrix, C: Matrix) -> Differentiated:
    r"""The trace :math:`\operatorname{tr}(ABCB^\top A^\top)`; in B: :math:`A^\top AB(C+C^\top)`.

    Example:
        >>> import torch
        >>> one = torch.ones(1, 1)
        >>> trace_abcbtat(2 * one, 3 * one, 5 * one)  # 4 · 5 · b² at b = 3
        Differentiated(value=tensor(180.), gradient=tensor([[120.]]))
    """
    _fit("tr(ABCB^TA^T)", [("A", A), ("B", B), ("C", C), ("B^T", B.T), ("A^T", A.T)])
    AB = A @ B
    return Differentiated((AB @ C @ AB.T).trace(), A.T @ AB @ (C + C.T))


def quadratic_form(x: Vector, A: Matrix, *, symmetric: bool = False) -> QuadraticForm:
    r"""The form :math:`x^\top Ax`; in x: :math:`(A+A^\top)x`, in A: :math:`xx^\top`.

    Args:
        x: Where.
        A: Square.
        symmetric: Use the shortcut :math:`2Ax`; refused when ``A`` is not symmetric.

    Example:
        >>> import torch
        >>> x, A = torch.tensor([1.0, 2.0]), torch.tensor([[0.0, 1.0], [0.0, 0.0]])
        >>> quadratic_form(x, A).in_x.tolist()  # of x₁ x₂
        [2.0, 1.0]

    :covers: gradient-quadratic-forms
    """
    _fit("x^T A x", [("x^T", x[None]), ("A", A), ("x", x[:, None])])
    if symmetric:
        check_symmetric("A", A)
    in_x = 2 * A @ x if symmetric else (A + A.T) @ x
    return QuadraticForm(x @ A @ x, in_x, x.outer(x))


def gram_form(x: Vector, A: Matrix) -> QuadraticForm:
    r"""The form :math:`\|Ax\|^2` for any A; in x: :math:`2A^\top Ax`, in A: :math:`2Axx^\top`.

    Example:
        >>> import torch
        >>> gram_form(torch.tensor([2.0]), torch.tensor([[1.0], [1.0]])).in_x.item()  # of 2x²
        8.0
    """
    _fit("A x", [("A", A), ("x", x[:, None])])
    Ax = A @ x
    return QuadraticForm(Ax @ Ax, 2 * A.T @ Ax, 2 * Ax.outer(x))


def residual_sq(A: Matrix, x: Vector, y: Vector) -> Differentiated:
    r"""The squared residual :math:`\|y-Ax\|^2`; in A: :math:`-2(y-Ax)x^\top`.

    Example:
        >>> import torch
        >>> residual_sq(torch.zeros(1, 2), torch.tensor([1.0, 2.0]), torch.ones(1)).gradient
        tensor([[-2., -4.]])

    :covers: gradient-residual-matrix
    :erratum: [typo] The proof of (6.7) cites (6.6), a gradient in x, for the derivative of
        x^T A^T A x in A; the identity it uses, 2 A x x^T, is not among those listed. The result is
        right.
    """
    _fit("y - A x", [("A", A), ("x", x[:, None])])
    if len(y) != len(A):
        raise InputError(f"y must have {len(A)} entries to fit A x, got {len(y)}")
    r = y - A @ x
    return Differentiated(r @ r, -2 * r.outer(x))


def bilinear(a: Vector, X: Matrix, b: Vector) -> Differentiated:
    r"""The form :math:`a^\top Xb`; in X: :math:`ab^\top`.

    Example:
        >>> import torch
        >>> bilinear(torch.tensor([1.0, 2.0]), torch.zeros(2, 1), torch.tensor([3.0])).gradient
        tensor([[3.],
                [6.]])

    :covers: gradient-bilinear-forms
    """
    _fit("a^T X b", [("a^T", a[None]), ("X", X), ("b", b[:, None])])
    return Differentiated(a @ X @ b, a.outer(b))


def bilinear_sandwich(a: Vector, X: Matrix, D: Matrix, b: Vector) -> Differentiated:
    r"""The form :math:`a^\top X^\top DXb`; in X: :math:`D^\top Xab^\top+DXba^\top`.

    Example:
        >>> import torch
        >>> one = torch.ones(1)
        >>> bilinear_sandwich(2 * one, 3 * one[None], 5 * one[None], 7 * one)  # 70 x² at x = 3
        Differentiated(value=tensor(630.), gradient=tensor([[420.]]))
    """
    chain = [("a^T", a[None]), ("X^T", X.T), ("D", D), ("X", X), ("b", b[:, None])]
    _fit("a^T X^T D X b", chain)
    Xa, Xb = X @ a, X @ b
    return Differentiated(Xa @ D @ Xb, (D.T @ Xa).outer(b) + (D @ Xb).outer(a))


def sum_squares_slack(x: Float[Tensor, "..."], y: Float[Tensor, "..."]) -> Float[Tensor, ""]:
    r"""What :math:`\|x+y\|^2\le2\|x\|^2+2\|y\|^2` gives away: :math:`\|x-y\|^2`, 0 iff x = y.

    Vectors, or matrices in the Frobenius norm.

    Example:
        >>> import torch
        >>> sum_squares_slack(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])).item()  # 4 - 2
        2.0

    :covers: squared-norm-sum-bound
    """
    if x.shape != y.shape:
        raise InputError(
            f"x and y must have the same shape, got {tuple(x.shape)} and {tuple(y.shape)}"
        )
    return 2 * x.square().sum() + 2 * y.square().sum() - (x + y).square().sum()


def _fit(formula: str, chain: list[tuple[str, Tensor]]) -> None:
    """Neighbours must multiply, and a trace needs a square product."""
    closed = [*zip(chain, chain[1:], strict=False)]
    if formula.startswith("tr"):
        closed.append((chain[-1], chain[0]))
    for (name, left), (other, right) in closed:
        if left.shape[1] != right.shape[0]:
            raise InputError(
                f"{formula} needs as many columns of {name} as rows of {other}, but their shapes "
                f"are {tuple(left.shape)} and {tuple(right.shape)}"
            )
