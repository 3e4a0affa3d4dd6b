r"""Danskin's theorem: how a maximum moves with its parameter.

For compact :math:`\Delta`, with :math:`\ell` and :math:`\nabla_w\ell` continuous in
:math:`(w,\delta)`, the function :math:`g(w)=\max_{\delta\in\Delta}\ell(w,\delta)` has directional
derivatives

.. math:: g'(w;v)=\max_{\delta\in\Delta^*(w)}\langle\nabla_w\ell(w,\delta),v\rangle,\qquad
   \Delta^*(w)=\operatorname*{argmax}_\delta\ell(w,\delta),

and the gradient :math:`\nabla_w\ell(w,\delta^*)` where the maximiser is unique.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.4, Equation 12.15; Danskin (1966),
    "The theory of max-min, with applications".
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError

Loss = Callable[[Tensor, Tensor], Tensor]  # (w, one delta) -> a number


@dataclass(frozen=True)
class Danskin:
    """The maximum over a finite set at w, its maximisers, and their gradients."""

    value: float
    maximisers: Int[Tensor, " r"]  # their places in the set
    gradients: Float[Tensor, "r p"]  # one candidate for each

    @property
    def is_differentiable(self) -> bool:
        """Whether all maximisers agree on the gradient, as a unique one does."""
        spread = (self.gradients - self.gradients[0]).abs().max()
        return bool(spread <= 1e-9 * (1 + self.gradients.abs().max()))

    @property
    def gradient(self) -> Float[Tensor, " p"]:
        """The gradient of the maximum.

        Raises:
            InputError: if the maximisers disagree; then only directional derivatives exist.
        """
        if not self.is_differentiable:
            raise InputError(
                f"{len(self.maximisers)} maximisers give different gradients, so the maximum is "
                "not differentiable here; use derivative(v)"
            )
        return self.gradients[0]

    def derivative(self, v: Float[Tensor, " p"]) -> float:
        """The derivative in the direction v: the largest over the maximisers."""
        return float((self.gradients @ v).max())


def danskin_gradient(
    loss: Loss,
    w: Float[Tensor, " p"],
    deltas: Float[Tensor, "m *s"],
    *,
    tie: float | int = 1e-12,
) -> Danskin:
    """Maximise over a finite set and differentiate at the maximisers.

    Args:
        loss: A function of w and one delta.
        w: Where.
        deltas: The set (a finite one, or the vertices where the loss is convex in delta).
        tie: Relative gap below which two values count as equal.

    Example:
        >>> signs = torch.tensor([-1.0, 1.0])
        >>> at = danskin_gradient(lambda w, s: (w * s).sum(), torch.tensor([0.0]), signs)
        >>> at.is_differentiable, at.gradients.flatten().tolist()
        (False, [-1.0, 1.0])
        >>> at.derivative(torch.tensor([1.0])), at.derivative(torch.tensor([-1.0]))
        (1.0, 1.0)

    :covers: danskin-theorem
    :erratum: [missing hypothesis] (12.15) is stated as an identity without uniqueness of the
        maximiser; for the maximum of delta w over delta = +-1 at w = 0 the two candidate gradients
        are +1 and -1, and |w| is not differentiable.
    """
    if len(deltas) == 0:
        raise InputError("the set of perturbations is empty")
    values = torch.func.vmap(loss, in_dims=(None, 0))(w, deltas)
    top = values.max()
    which = (values >= top - tie * (1 + top.abs())).nonzero()[:, 0]
    gradient = torch.func.grad(loss)
    gradients = torch.func.vmap(gradient, in_dims=(None, 0))(w, deltas[which])
    return Danskin(float(top), which, gradients)


def cube_vertices(d: int, eps: float | int, *, dtype: torch.dtype = torch.float64) -> Tensor:
    r"""The :math:`2^d` corners of the ball of :math:`\ell_\infty`, where convex losses are largest.

    Example:
        >>> cube_vertices(1, 0.5).tolist()
        [[-0.5], [0.5]]
    """
    if not 1 <= d <= 20:
        raise InputError(f"the 2^d corners can be listed for d from 1 to 20, got d = {d}")
    bits = torch.arange(2**d)[:, None] >> torch.arange(d) & 1
    return eps * (2 * bits - 1).to(dtype)
