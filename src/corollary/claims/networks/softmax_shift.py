r"""Softmax does not change under a common shift.

Adding one vector :math:`\Delta` to all rows of :math:`\Theta` leaves every probability
:math:`e^{x\cdot\theta_i}/\sum_je^{x\cdot\theta_j}` as it was. So :math:`\theta_k=0` may be asked
for, and the Hessian of the cross-entropy has a kernel of dimension at least :math:`d`: exactly
:math:`d` when the points span :math:`\mathbb{R}^d`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.4; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Softmax.
:kind: identity
:covers: softmax-shift-invariance
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Parity, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Level, Marks, Points, picture
from corollary.theory.networks.softmax import canonical_rows, softmax, softmax_jacobian


class Given(NamedTuple):
    Theta: Float[Tensor, "k d"]  # a classifier
    x: Float[Tensor, "n d"]  # points
    shift: Float[Tensor, "k d"]  # added to its rows


class SoftmaxShift(Claim[Given]):
    n: int = 60  # points
    d: int = option(5, low=1, high=20)  # dimension
    k: int = option(4, low=2, high=20)  # classes
    size: float = option(3.0, low=0.01, high=100.0)  # length of the shift

    relation = equals(ulps=4096, scale=1.0)  # logits grow by the shift before it cancels
    supposes = (
        Suppose(
            "the same vector is added to every row",
            lambda g: near(g.shift, g.shift[:1], 0.0),
            "If only one row is shifted, the probabilities change.",
            shift=lambda g: torch.cat([g.shift[:1], 0 * g.shift[1:]]),
        ),
        Suppose(
            "the points span the space",
            lambda self, g: int(torch.linalg.matrix_rank(g.x)) - self.d + 1,
            "If the points lie in a hyperplane, the kernel of the Hessian is larger.",
            x=lambda g: torch.cat([0 * g.x[:, :1], g.x[:, 1:]], 1),
        ),
    )
    symbols = "P(class), and 1", "P(class) after the shift, and dimension of the kernel / d"
    shows = Parity("Softmax before and after the shift")

    def given(self, rng: Generator) -> Given:
        Theta, x, shift = (normal(rng, rows, self.d) for rows in (self.k, self.n, 1))
        return Given(Theta, x, (self.size * shift / shift.norm()).expand(self.k, self.d))

    def predict(self, given: Given) -> Tensor:
        before = softmax(given.x @ given.Theta.T).flatten()
        return torch.cat([before, before, torch.ones(1, dtype=torch.float64)])

    def measure(self, given: Given) -> Kept:
        Theta, x, shift = given
        after = [softmax(x @ T.T).flatten() for T in (Theta + shift, canonical_rows(Theta))]
        J = softmax_jacobian(softmax(x @ Theta.T))  # (n, k, k)
        H = torch.einsum("nab,ni,nj->aibj", J, x, x) / len(x)  # of the mean cross-entropy
        values = torch.linalg.eigvalsh(H.reshape(Theta.numel(), -1))
        kernel = (values < 1e-10 * values.max()).sum() / self.d
        return Kept(torch.cat([*after, kernel[None].double()]), values=values)

    @picture("Hessian of the cross-entropy", x="number", y="λ", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        values = trial.kept.values.clamp(min=1e-18)
        yield Points(range(1, len(values) + 1), values, label="eigenvalues")
        yield Level(self.d + 0.5, label="d = dimension of the kernel", axis="x")
