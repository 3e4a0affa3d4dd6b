r"""Softmax does not see a common shift.

Adding one vector :math:`\Delta` to all rows of :math:`\Theta` leaves every probability
:math:`e^{x\cdot\theta_i}/\sum_je^{x\cdot\theta_j}` as it was. So :math:`\theta_k=0` may be asked
for, and the Hessian of the cross-entropy has a kernel of dimension at least :math:`d`: exactly
:math:`d` when the points span :math:`\mathbb{R}^d`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.4; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Softmax.
:kind: identity
:cost: instant
:covers: softmax-shift-invariance
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.theory.networks.softmax import softmax, softmax_jacobian


class Given(NamedTuple):
    """A classifier, points, and what is added to its rows."""

    Theta: Float[Tensor, "k d"]
    x: Float[Tensor, "n d"]
    shift: Float[Tensor, "k d"]


def hessian_spectrum(given: Given) -> Tensor:
    """Eigenvalues of the mean cross-entropy's Hessian; it does not depend on the labels."""
    J = softmax_jacobian(softmax(given.x @ given.Theta.T))  # (n, k, k)
    H = torch.einsum("nab,ni,nj->aibj", J, given.x, given.x) / len(given.x)
    return torch.linalg.eigvalsh(H.reshape(given.Theta.numel(), -1))


class SoftmaxShift(Claim[Given]):
    n: int = 60  # points
    d: int = option(5, low=1, high=20)  # dimension
    k: int = option(4, low=2, high=20)  # classes
    size: float = option(3.0, low=0.01, high=100.0)  # length of the shift
    relation = equals(ulps=4096, scale=1.0)  # logits grow by the shift before it cancels

    def given(self, rng: Generator) -> Given:
        """Gaussian rows and points, one shift for all rows."""
        Theta, x, shift = self._drawn(rng)
        return Given(Theta, x, shift[:1].expand(self.k, self.d))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What the kernel's dimension needs, and the common shift."""
        common = bool((given.shift == given.shift[0]).all())
        yield Hypothesis("the same vector is added to every row", common)
        rank = int(torch.linalg.matrix_rank(given.x))
        yield Hypothesis("the points span the space", rank == self.d, f"rank {rank}")

    def predict(self, given: Given) -> list[float]:
        """The probabilities before, and d."""
        return [*softmax(given.x @ given.Theta.T).flatten().tolist(), float(self.d)]

    def measure(self, given: Given) -> list[float]:
        """The probabilities after, and the eigenvalues that vanish."""
        after = softmax(given.x @ (given.Theta + given.shift).T)
        values = hessian_spectrum(given)
        return [*after.flatten().tolist(), float((values < 1e-10 * values.max()).sum())]

    def counterexample(self, rng: Generator) -> Given:
        """Each row is shifted by a vector of its own."""
        return Given(*self._drawn(rng))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Probabilities along a line, and the spectrum."""
        t = torch.linspace(-3, 3, 121).to(given.x)
        line = t[:, None] * given.x[0] / given.x[0].norm()
        before, after = (softmax(line @ T.T) for T in (given.Theta, given.Theta + given.shift))
        marks = []
        for i in range(min(self.k, 3)):
            marks.append(Curve(before[:, i], x=t, label=f"class {i + 1}", role="predicted"))
            marks.append(Points(t[::10], after[::10, i], label=f"class {i + 1}, shifted"))
        values = hessian_spectrum(given).clamp(min=1e-18)
        spectrum = (
            Points(range(1, len(values) + 1), values, label="eigenvalues"),
            Level(self.d + 0.5, label="d = dimension of the kernel", axis="x"),
        )
        return (
            Figure("Before and after the shift", x="t, along x₁", y="P(class)", marks=tuple(marks)),
            Figure("Hessian of the cross-entropy", x="number", y="λ", marks=spectrum, log_y=True),
        )

    def _drawn(self, rng: Generator) -> tuple[Tensor, Tensor, Tensor]:
        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        shift = normal(self.k, self.d)
        shift = self.size * shift / shift.norm(dim=1, keepdim=True)
        return normal(self.k, self.d), normal(self.n, self.d), shift
