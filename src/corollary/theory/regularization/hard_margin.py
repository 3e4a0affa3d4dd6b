r"""The hard-margin support vector machine through the origin.

.. math:: \hat w=\operatorname*{argmin}_w\tfrac12\|w\|^2\quad\text{s.t.}\quad
   y_i\langle w,x_i\rangle\ge1,\qquad\hat w=\sum_i\alpha_iy_ix_i,\quad\alpha\ge0,\quad
   \alpha_i=0\text{ unless }y_i\langle\hat w,x_i\rangle=1 .

The direction is that of the largest margin :math:`\gamma=1/\|\hat w\|`, and
:math:`\sum_i\alpha_i=\|\hat w\|^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, (11.12) and the proof of
    Theorem 72; Vapnik (1995), The Nature of Statistical Learning Theory.
"""

from dataclasses import dataclass

from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.connectionism.labelled import signed_points
from corollary.theory.connectionism.max_margin import max_margin
from corollary.theory.connectionism.separability import linear_separability
from corollary.theory.regularization.kkt import Problem

TOUCHING = 1e-7  # a point this near to margin 1 is a support vector


@dataclass(frozen=True)
class HardMargin:
    """The max-margin vector with its multipliers."""

    w: Float[Tensor, " d"]  # w hat
    alpha: Float[Tensor, " n"]  # multipliers of the points
    support: Bool[Tensor, " n"]  # points with margin exactly 1
    margin: float  # gamma = 1/||w||
    theta: float  # the smallest margin of another point, above 1; infinite if there is none

    @property
    def direction(self) -> Float[Tensor, " d"]:
        """The unit vector."""
        u: Tensor = self.w / self.w.norm()
        return u


def hard_margin_svm(x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"] | None = None) -> HardMargin:
    """Solve the problem by the nearest point of the hull; refused if no hyperplane separates.

    Cost: an active-set method, about (number of support vectors)^3 + n d a step.

    Args:
        x: Points, with their labels multiplied in if ``y`` is absent.
        y: Labels, -1 or +1.

    Example:
        >>> import torch
        >>> found = hard_margin_svm(2 * torch.eye(2, dtype=torch.float64))
        >>> [round(v, 12) for v in found.w.tolist() + found.alpha.tolist()]
        [0.5, 0.5, 0.25, 0.25]

    :covers: max-margin-implicit-bias, svm-kkt-conditions
    """
    labels = x.new_ones(len(x)) if y is None else y
    z = signed_points(x, labels)
    found = max_margin(x, labels)
    if found.margin <= 0:
        proof = linear_separability(x, labels, bias=False)
        raise InputError(
            "a hard margin needs points that a hyperplane through the origin separates, but "
            f"no such hyperplane exists{': ' + proof.note if proof.note else ''}; "
            "linear_separability(x, y) proves it"
        )
    alpha = found.weights / found.distance**2
    w = alpha @ z
    w = w / float((z @ w).min())  # feasible to the last digit
    values = z @ w
    touching = (values <= 1 + TOUCHING) | (alpha > TOUCHING * alpha.max())
    theta = float(values[~touching].min()) if bool((~touching).any()) else float("inf")
    return HardMargin(w, alpha, touching, 1 / float(w.norm()), theta)


def margin_problem(z: Float[Tensor, "n d"]) -> Problem:
    r"""The problem :math:`\min\frac12\|w\|^2` subject to :math:`1-\langle w,z_i\rangle\le0`.

    Example:
        >>> import torch
        >>> problem = margin_problem(torch.eye(2))
        >>> problem.f(torch.ones(2)).item(), problem.g(torch.ones(2)).tolist()
        (1.0, [0.0, 0.0])
    """
    return Problem(lambda w: 0.5 * w.square().sum(), g=lambda w: 1 - z @ w)
