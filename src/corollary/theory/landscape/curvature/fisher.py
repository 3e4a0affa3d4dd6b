r"""The Fisher information of a network, true and empirical, by its products.

If :math:`\ell(f, y) = -\log p(y \mid f) + \text{const}`,

.. math:: F = \frac1n \sum_i \mathbb{E}_{y \sim p(\cdot \mid f(x_i))}
          \nabla\ell(f(x_i), y)\, \nabla\ell(f(x_i), y)^\top, \qquad
          \hat F = \frac1n \sum_i \nabla\ell(f(x_i), y_i)\, \nabla\ell(f(x_i), y_i)^\top.

For softmax cross-entropy, logistic and squared loss the output holds the natural parameters (up
to scale), so :math:`F` is the Gauss-Newton matrix exactly, without drawing labels. The empirical
matrix takes the data's own labels; it is not an estimate of :math:`F` away from a perfect fit.

:source: Martens (2020), "New insights and perspectives on the natural gradient method"; Kunstner,
    Balles and Hennig (2019), "Limitations of the empirical Fisher approximation".
"""

from collections.abc import Sequence
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.landscape.curvature.batches import Batch
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.gauss_newton import (
    GaussNewton,
    jacobian,
    tensor_output,
)
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.streamed import Streamed, Term

LIKELIHOODS = (nn.CrossEntropyLoss, nn.BCEWithLogitsLoss, nn.MSELoss)
FUNCTIONS = (F.cross_entropy, F.binary_cross_entropy_with_logits, F.mse_loss)


class TrueFisher(GaussNewton):
    """The Fisher matrix of a loss whose outputs are natural parameters."""

    kind = "true Fisher as the Gauss-Newton matrix, by double reverse"


class EmpiricalFisher(Streamed):
    """The second moment of the examples' gradients."""

    kind = "empirical Fisher by double reverse"

    def _term(self, batch: Batch) -> Term:
        landscape = self.landscape
        z = tensor_output(landscape, batch)
        value = landscape.of_output(z.detach(), batch)
        if not z.requires_grad:
            return Term(lambda v: [None] * len(v), (), value)
        losses = example_losses(landscape, z, batch)
        forward, back, roots = jacobian(landscape, losses)

        def product(v: list[Tensor]) -> Sequence[Tensor | None]:
            return back(forward(v))

        return Term(product, (losses, *roots), value)


@of_model
def fisher(
    landscape: Landscape, kind: Literal["true", "empirical"] = "true"
) -> TrueFisher | EmpiricalFisher:
    r"""The Fisher matrix of a landscape as a linear operator.

    Args:
        landscape: Its module returns one tensor; for ``true`` the loss is cross-entropy, logistic
            with logits, or squared error; for ``empirical`` any loss that treats the examples of
            a batch one by one.
        kind: Labels drawn from the model (``true``, in expectation) or the data's own.

    Example:
        >>> model = nn.Linear(1, 1, bias=False)
        >>> _ = nn.init.constant_(model.weight, 2.0)
        >>> data = torch.tensor([[1.0], [3.0]]), torch.zeros(2, 1)
        >>> landscape = Landscape(model, nn.MSELoss(), data)
        >>> fisher(landscape).dense().item()  # (2/n) sum x^2
        10.0
        >>> fisher(landscape, "empirical").dense().item()  # (1/n) sum (2 w x^2)^2
        656.0
    """
    if kind == "empirical":
        return EmpiricalFisher(landscape)
    if kind != "true":
        raise InputError(f"kind must be true or empirical, got '{kind}'")
    known = isinstance(landscape.criterion, LIKELIHOODS) or landscape.criterion in FUNCTIONS
    if not known:
        raise InputError(
            "the true Fisher matrix needs a loss that is a known likelihood (cross-entropy, "
            "logistic with logits, squared error), but the loss is "
            f"{getattr(landscape.criterion, '__name__', type(landscape.criterion).__name__)}; "
            "use kind='empirical' or gauss_newton"
        )
    return TrueFisher(landscape)


def example_losses(landscape: Landscape, z: Tensor, batch: Batch) -> Tensor:
    """The loss of each example by itself, one call of the loss per example where vmap cannot."""

    def alone(output: Tensor, *target: Tensor) -> Tensor:
        return landscape.criterion(output[None], *(t[None] for t in target)).reshape(())

    try:
        return torch.func.vmap(alone)(z, *batch.target)
    except (RuntimeError, ValueError, NotImplementedError):
        return torch.stack([alone(z[i], *(t[i] for t in batch.target)) for i in range(len(z))])
