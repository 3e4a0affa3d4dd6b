r"""Gradients in a matrix.

The gradient of a number in a matrix collects the derivatives in its entries. For factors that fit,

.. math::
   \nabla_X\|X\|_F^2&=2X, & \nabla_X\operatorname{tr}(AX)&=A^\top, &
   \nabla_X\operatorname{tr}(AX^\top)&=A,\\
   \nabla_B\operatorname{tr}(ABC)&=A^\top C^\top, &
   \nabla_B\operatorname{tr}(CB^\top A^\top)&=A^\top C, &
   \nabla_B\operatorname{tr}(ABCB^\top A^\top)&=A^\top AB(C+C^\top),\\
   \nabla_xx^\top Sx&=2Sx\ (S=S^\top), & \nabla_Sx^\top Sx&=xx^\top, &
   \nabla_xx^\top A^\top Ax&=2A^\top Ax,\\
   \nabla_A\|y-Ax\|^2&=-2(y-Ax)x^\top, & \nabla_Xa^\top Xb&=ab^\top, &
   \nabla_Xa^\top X^\top DXb&=D^\top Xab^\top+DXba^\top .

Checked along a random direction each, against automatic differentiation.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1, (6.1)-(6.7), (6.11) and
    (6.21)-(6.23); Lucchi (2024), Foundations of Deep Learning (slides), Matrix Differentiation.
:kind: identity
:cost: instant
:covers: gradient-frobenius-norm, gradient-trace-products, gradient-quadratic-forms,
    gradient-residual-matrix, gradient-bilinear-forms
:erratum: [typo] (6.2) declares A as n x m also for tr(A X^T) with X of shape m x n, where the
    product would not fit; A must have the shape of X. The proof of (6.7) cites (6.6), a gradient in
    x, for the derivative of x^T A^T A x in A, which is 2 A x x^T. The results are right.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.landscape import matrix_calculus as mc


class Given(NamedTuple):
    """Factors of every shape that occurs, and the number that seeds the directions."""

    A: Float[Tensor, "p m"]
    B: Float[Tensor, "m n"]
    C: Float[Tensor, "n p"]
    D: Float[Tensor, "m m"]
    S: Float[Tensor, "n n"]
    seed: int


class Rule(NamedTuple):
    """A function of one tensor, where it is taken, and its gradient by formula."""

    name: str
    value: Callable[[Tensor], Tensor]
    at: Tensor
    gradient: Tensor


class MatrixGradients(Claim[Given]):
    p: int = option(2, low=1, high=50)  # rows of A
    m: int = option(3, low=1, high=50)  # columns of A, rows of B
    n: int = option(4, low=2, high=50)  # columns of B
    relation = equals(ulps=1e4, scale=1.0)  # sums of some p m n products of order one

    def given(self, rng: Generator) -> Given:
        """Gaussian factors; S is the symmetric part of one."""
        p, m, n = self.p, self.m, self.n
        shapes = ((p, m), (m, n), (n, p), (m, m), (n, n))
        A, B, C, D, S = (torch.randn(s, generator=rng, dtype=torch.float64) for s in shapes)
        return Given(A, B, C, D, (S + S.T) / 2, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What the shortcut needs; fitting shapes are refused by the functions themselves."""
        off = float((given.S - given.S.T).abs().max())
        yield Hypothesis("S is symmetric", off == 0, f"largest entry of S − Sᵀ: {off:.3g}")

    def predict(self, given: Given) -> list[float]:
        """Slopes along the directions, by formula."""
        rules = _rules(given)
        return [float((r.gradient * v).sum()) for r, v in zip(rules, _ways(given), strict=True)]

    def measure(self, given: Given) -> list[float]:
        """Slopes along the directions, by autograd."""
        rules = _rules(given)
        return [float((_autograd(r) * v).sum()) for r, v in zip(rules, _ways(given), strict=True)]

    def counterexample(self, rng: Generator) -> Given:
        """A matrix S that is not symmetric: 2Sx is not the gradient."""
        given = self.given(rng)
        S = torch.randn(self.n, self.n, generator=rng, dtype=torch.float64)
        return given._replace(S=S)

    def figure(self, given: Given) -> Figure:
        """Every entry of every gradient."""
        rules = _rules(given)
        formula = torch.cat([r.gradient.flatten() for r in rules])
        auto = torch.cat([_autograd(r).flatten() for r in rules])
        ends = [float(formula.min()), float(formula.max())]
        return Figure(
            "Entries of twelve gradients",
            x="entry by formula",
            y="entry by automatic differentiation",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(formula, auto, label="entries of all gradients"),
            ),
        )


def _rules(given: Given) -> list[Rule]:
    A, B, C, D, S, _ = given
    x, a, b, y = B[0], B[:, 0], C[0], C[:, 0]  # of lengths n, m, p, n
    M = B.T @ D @ B  # n x n, not symmetric
    return [
        Rule("|X|²", lambda X: X.square().sum(), A, mc.frobenius_sq(A).gradient),
        Rule("tr AX", lambda X: (A @ X).trace(), A.T, mc.trace_ax(A, A.T).gradient),
        Rule("tr AXᵀ", lambda X: (A @ X.T).trace(), A, mc.trace_axt(A, A).gradient),
        Rule("tr ABC", lambda X: (A @ X @ C).trace(), B, mc.trace_abc(A, B, C).gradient),
        Rule("tr CBᵀAᵀ", lambda X: (C.T @ X.T @ A.T).trace(), B, mc.trace_cbtat(A, B, C.T)[1]),
        Rule(
            "tr ABMBᵀAᵀ",
            lambda X: (A @ X @ M @ X.T @ A.T).trace(),
            B,
            mc.trace_abcbtat(A, B, M).gradient,
        ),
        Rule("xᵀSx in x", lambda v: v @ S @ v, x, 2 * S @ x),
        Rule("xᵀSx in S", lambda Z: x @ Z @ x, S, mc.quadratic_form(x, S).in_A),
        Rule("|Bx|² in x", lambda v: (B @ v).square().sum(), x, mc.gram_form(x, B).in_x),
        Rule(
            "|y − Sx|² in S",
            lambda Z: (y - Z @ x).square().sum(),
            S,
            mc.residual_sq(S, x, y).gradient,
        ),
        Rule("aᵀXx", lambda X: a @ X @ x, B, mc.bilinear(a, B, x).gradient),
        Rule(
            "bᵀXᵀDXb",
            lambda X: b @ X.T @ D @ X @ C[-1],
            A.T,
            mc.bilinear_sandwich(b, A.T, D, C[-1]).gradient,
        ),
    ]


def _autograd(rule: Rule) -> Tensor:
    at = rule.at.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(rule.value(at), at)
    return gradient


def _ways(given: Given) -> list[Tensor]:
    rng = torch.Generator().manual_seed(given.seed)
    return [torch.randn(r.at.shape, generator=rng, dtype=r.at.dtype) for r in _rules(given)]
