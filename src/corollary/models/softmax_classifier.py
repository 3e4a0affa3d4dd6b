r"""The softmax classifier, and how many of its parameters are needed.

.. math:: P(i\mid x)=\frac{e^{x\cdot\theta_i}}{\sum_je^{x\cdot\theta_j}}

Adding one vector to all :math:`\theta_i` changes nothing, so :math:`\theta_k=0` may be asked
for; with two classes what is left is one sigmoid unit, :math:`\sigma(x\cdot(\theta_1-\theta_2))`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.4; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Softmax.
:covers: softmax, softmax-shift-invariance, softmax-sigmoid-reduction
:erratum: [possible OCR artefact] The middle line of the reduction in Lucchi (2025) reads
    e^{x(theta1-theta2)}/(e^{x(theta1-theta2)}+e^{x(theta2-theta1)}), which is sigma(2 x.theta); the
    slides have theta1-theta1 in the first two places, which is right. At x.theta1 = 0.7,
    x.theta2 = -0.3 the truth is 0.731 and the line as read 0.881.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.units import RidgeUnit
from corollary.theory.networks.softmax import canonical_rows, softmax
from corollary.theory.seeding import as_generator


class SoftmaxClassifier(nn.Module):
    """Logits ``x . theta_i`` for ``k`` classes; ``pin_last`` fixes the last row at zero.

    ``forward`` gives logits, as losses want them; ``probabilities`` their softmax.

    Example:
        >>> model = SoftmaxClassifier(3, 4, rng=torch.Generator().manual_seed(0))
        >>> p = model.probabilities(torch.randn(5, 3).double())
        >>> torch.allclose(p.sum(1), torch.ones(5).double())
        True
    """

    def __init__(
        self,
        d: int,
        k: int,
        *,
        pin_last: bool = False,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if d < 1 or k < 2:
            raise InputError(f"a classifier needs d >= 1 and k >= 2 classes, got d={d}, k={k}")
        self.in_features, self.out_features, self.pin_last = d, k, pin_last
        rows = k - 1 if pin_last else k
        normal = torch.randn(rows, d, generator=rng, device=rng.device, dtype=dtype)
        self.free = nn.Parameter(normal / d**0.5)  # the rows that are learned

    @classmethod
    def of(cls, Theta: Float[Tensor, "k d"], *, pin_last: bool = False) -> "SoftmaxClassifier":
        """The classifier with these weights; with ``pin_last`` in canonical form."""
        k, d = Theta.shape
        model = SoftmaxClassifier(d, k, pin_last=pin_last, rng=Generator())
        rows = canonical_rows(Theta)[:-1] if pin_last else Theta
        model.free = nn.Parameter(rows.detach().clone())
        return model

    @property
    def Theta(self) -> Float[Tensor, "k d"]:
        """All rows, the pinned one included."""
        if not self.pin_last:
            return self.free
        return torch.cat([self.free, self.free.new_zeros(1, self.in_features)])

    def forward(self, x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n k"]:
        """Logits."""
        if x.ndim == 0 or x.shape[-1] != self.in_features:
            raise InputError(
                f"expected points with {self.in_features} features, got shape {tuple(x.shape)}"
            )
        return x @ self.Theta.T

    def probabilities(self, x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n k"]:
        """Softmax of the logits."""
        return softmax(self(x))

    def canonical(self) -> "SoftmaxClassifier":
        """The same function with its last row at zero and pinned there."""
        return SoftmaxClassifier.of(self.Theta, pin_last=True)

    def to_sigmoid(self) -> RidgeUnit:
        """The sigmoid unit with the probability of class 0 of two."""
        if self.out_features != 2:
            raise InputError(
                f"only a classifier with 2 classes is a sigmoid unit, got {self.out_features} "
                "classes"
            )
        return RidgeUnit.of(torch.sigmoid, (self.Theta[0] - self.Theta[1]).detach())
