r"""Cross-entropy with smoothed labels.

.. math:: -\sum_i(\Pi e_y)_i\ln\operatorname{softmax}(o)_i

:source: Perez Jensen (2025), Deep Learning, Section 8.8; Szegedy, Vanhoucke, Ioffe, Shlens and
    Wojna (2016), "Rethinking the inception architecture for computer vision", Section 7.
"""

from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.tricks.label_smoothing import check_stochastic, smoothed, uniform_smoothing
from corollary.train.losses.logarithmic import cross_entropy
from corollary.train.losses.targets import Reduction, distribution


class LabelSmoothing(nn.Module):
    """A loss of logits and labels, for :func:`corollary.train.fit`.

    Args:
        eps: Share that is spread evenly over all classes; torch's ``label_smoothing``.
        Pi: A confusion matrix instead: column y is the distribution that label y becomes.
        reduction: Over rows.

    Example:
        >>> import torch
        >>> loss = LabelSmoothing(0.1)
        >>> o, y = torch.tensor([[2.0, -1.0, 0.5]]), torch.tensor([0])
        >>> torch.allclose(loss(o, y), nn.functional.cross_entropy(o, y, label_smoothing=0.1))
        True

    :covers: label-smoothing
    """

    Pi: Tensor | None

    def __init__(
        self, eps: float | None = None, *, Pi: Tensor | None = None, reduction: Reduction = "mean"
    ) -> None:
        super().__init__()
        if (eps is None) == (Pi is None):
            raise InputError("label smoothing needs either eps or a matrix Pi, not both or neither")
        if eps is not None and not 0 <= eps <= 1:
            raise InputError(f"eps must lie in [0, 1], got {eps}")
        if Pi is not None:
            if Pi.ndim != 2 or Pi.shape[0] != Pi.shape[1]:
                raise InputError(f"Pi must be a square matrix, got shape {tuple(Pi.shape)}")
            check_stochastic(Pi)
        self.eps, self.reduction = eps, reduction
        self.register_buffer("Pi", Pi, persistent=False)

    def forward(self, o: Tensor, y: Tensor) -> Tensor:
        """The loss of logits ``o`` (n, k) for class numbers or distributions ``y``."""
        p = distribution(o, y)
        Pi = self.Pi
        if Pi is None:
            Pi = uniform_smoothing(o.shape[1], self.eps or 0.0, dtype=o.dtype)
        if len(Pi) != o.shape[1]:
            raise InputError(f"Pi is for {len(Pi)} classes, but the outputs have {o.shape[1]}")
        return cross_entropy(o, smoothed(p, Pi.to(o)), reduction=self.reduction)
