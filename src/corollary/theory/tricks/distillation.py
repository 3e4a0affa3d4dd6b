r"""Distillation: a student that matches the softened outputs of a teacher.

With teacher's logits F, student's logits G and a temperature T,

.. math:: \ell=-\sum_y\operatorname{softmax}(F/T)_y\ln\operatorname{softmax}(G/T)_y,\qquad
   \frac{\partial\ell}{\partial G}=\frac1T\bigl(\operatorname{softmax}(G/T)-
   \operatorname{softmax}(F/T)\bigr)\approx\frac{G-F}{NT^2}

for high T and centred logits of N classes. The loss is least, the entropy of the teacher, iff
:math:`G=F+c`. Beside hard labels it is weighted by :math:`T^2`, so that the size of its gradient
does not depend on T.

:source: Perez Jensen (2025), Deep Learning, Section 8.9; Hinton, Vinyals and Dean (2015),
    "Distilling the knowledge in a neural network", Section 2.
:erratum: [typo] Both formulas of the notes lack the minus sign of a cross-entropy: as printed they
    are to be maximised, and the printed gradient goes with that. The first, said to be without
    temperature, already contains T, and the gradient is a difference of tempered probabilities, not
    of logits.
"""

from jaxtyping import Float
from torch import Tensor

from corollary.theory.networks.softmax import log_softmax, softmax
from corollary.theory.prerequisites.wellformed import check_positive


def distillation(
    G: Float[Tensor, "*n k"], F: Float[Tensor, "*n k"], T: float = 1.0
) -> Float[Tensor, "*n"]:
    """The tempered cross-entropy of each row.

    Example:
        >>> import torch
        >>> distillation(torch.zeros(1, 4), torch.ones(1, 4), T=3.0).exp().round().tolist()
        [4.0]
    """
    check_positive("T", T)
    return -(softmax(F / T) * log_softmax(G / T)).sum(dim=-1)


def distillation_gradient(
    G: Float[Tensor, "*n k"], F: Float[Tensor, "*n k"], T: float = 1.0
) -> Float[Tensor, "*n k"]:
    """Its derivative in the student's logits.

    Example:
        >>> import torch
        >>> distillation_gradient(torch.zeros(1, 2), torch.tensor([[100.0, -100.0]])).tolist()
        [[-0.5, 0.5]]
    """
    check_positive("T", T)
    return (softmax(G / T) - softmax(F / T)) / T


def high_temperature_gradient(
    G: Float[Tensor, "*n k"], F: Float[Tensor, "*n k"], T: float
) -> Float[Tensor, "*n k"]:
    r"""Its leading term :math:`(G-F)/(NT^2)`, with the mean of each row of logits taken off.

    Example:
        >>> import torch
        >>> high_temperature_gradient(torch.tensor([[4.0, 0.0]]), torch.zeros(1, 2), 1.0).tolist()
        [[1.0, -1.0]]
    """
    check_positive("T", T)
    off = G - F
    return (off - off.mean(dim=-1, keepdim=True)) / (G.shape[-1] * T**2)
