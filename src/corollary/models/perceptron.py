r"""The perceptron, a linear threshold unit with Rosenblatt's rule.

.. math:: f(x) = \operatorname{sgn}(\langle w, x\rangle + b) \in \{-1, 0, +1\}

The sign has three values: on the hyperplane it is 0, so the zero weights at the start are wrong
about every point. The decision boundary has unit normal :math:`w/\|w\|` and signed offset
:math:`-b/\|w\|` from the origin. With targets :math:`t = (y + 1)/2` in {0, 1} the same rule reads
:math:`w \leftarrow w + (t - H(\langle w, x\rangle + b))\,x`, except on the hyperplane itself, where
the step function has already decided for 1.

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Mathematical Foundations of Deep Learning
    (slides), Introduction.
:covers: perceptron-model
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.compiled import Backend
from corollary.theory.connectionism.labelled import signed_points
from corollary.theory.connectionism.perceptron import (
    PerceptronFit,
    margin,
    perceptron_fit,
    radius,
)


@dataclass(frozen=True)
class MarginCertificate:
    """What the learned hyperplane proves about the points and about the learning."""

    margin: float  # distance of the nearest point to the hyperplane; negative if one is wrong
    bound: float  # Novikoff's (R / gamma)^2 with the learned direction; infinite if one is wrong
    mistakes: int  # made while learning; at most the bound if the points were those learned

    @property
    def separates(self) -> bool:
        """Whether every point is strictly on its side."""
        return self.margin > 0


class Perceptron(nn.Module):
    """``d -> 1`` threshold unit, zero at the start; ``mistakes`` counts the updates of ``fit``.

    Example:
        >>> unit = Perceptron(2)
        >>> x = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)
        >>> y = torch.tensor([-1.0, 1, 1, 1], dtype=torch.float64)  # OR
        >>> unit.fit(x, y).converged, unit(x).tolist(), unit.certificate(x, y).separates
        (True, [-1.0, 1.0, 1.0, 1.0], True)
    """

    def __init__(self, d: int, *, bias: bool = True, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        if d < 1:
            raise InputError(f"a perceptron needs d >= 1 inputs, got d={d}")
        self.w = nn.Parameter(torch.zeros(d, dtype=dtype))
        self.b = nn.Parameter(torch.zeros((), dtype=dtype)) if bias else None
        self.mistakes = 0

    def forward(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch"]:
        """-1, 0 or +1; its derivative is zero wherever it exists."""
        z = self.decision_function(x)
        return torch.where(z.isnan(), z, torch.sign(z))  # torch's sign of NaN is 0

    def decision_function(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch"]:
        """The activation before the sign."""
        scores = x @ self.w
        return scores if self.b is None else scores + self.b

    def normal(self) -> Float[Tensor, " d"]:
        """Unit normal of the decision boundary."""
        return self.w.detach() / self._length()

    def offset(self) -> float:
        """Where the boundary crosses its normal, measured from the origin."""
        return -self._bias() / self._length() + 0.0  # no minus zero

    @torch.no_grad()
    def fit(
        self,
        x: Float[Tensor, "n d"],
        y: Shaped[Tensor, " n"],
        *,
        order: Int[Tensor, " n"] | None = None,
        max_updates: int = 1_000_000,
        max_epochs: int = 1000,
        backend: Backend = "auto",
    ) -> PerceptronFit:
        """Learn from zero, mistake by mistake; ``converged`` says whether a pass was clean."""
        fit = perceptron_fit(
            x,
            y,
            bias=self.b is not None,
            order=order,
            max_updates=max_updates,
            max_epochs=max_epochs,
            backend=backend,
        )
        self.w.copy_(fit.w)
        if self.b is not None:
            self.b.fill_(fit.b)
        self.mistakes = fit.updates
        return fit

    def certificate(self, x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"]) -> MarginCertificate:
        """The margin on ``x, y``, and the mistake bound that it implies.

        With a bias the bound is for the augmented points: radius and margin of ``(x, 1)``.
        """
        with torch.no_grad():
            distance = float(margin(x, y, self.w, self._bias()))
            if distance <= 0:
                return MarginCertificate(distance, float("inf"), self.mistakes)
            z = signed_points(x, y, bias=self.b is not None)
            v = self.w if self.b is None else torch.cat([self.w, self.b[None]])
            gamma = (z @ v).min() / v.norm()
            return MarginCertificate(distance, float((radius(z) / gamma) ** 2), self.mistakes)

    def _bias(self) -> float:
        return 0.0 if self.b is None else self.b.item()

    def _length(self) -> float:
        length: float = self.w.norm().item()
        if length == 0:
            raise InputError("w = 0 has no decision boundary; fit the perceptron first")
        return length
