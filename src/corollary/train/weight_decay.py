r"""Weight decay as a user of :func:`corollary.train.fit` asks for it.

Three ways that are the same for plain gradient descent and different for everything else:

* ``call=L2Penalty(mu)`` adds :math:`\frac\mu2\|\theta\|^2` to the loss, for any optimizer;
* ``torch.optim.SGD(..., weight_decay=mu)`` and ``Adam(..., weight_decay=mu)`` add
  :math:`\mu\theta` to the gradient: the same trajectory (*coupled*);
* ``torch.optim.AdamW(..., weight_decay=mu)`` multiplies the weights by :math:`1-\eta\mu` beside the
  step (*decoupled*). Adam divides gradients by their running size, and with it a coupled decay;
  a decoupled one is not divided, so the two differ.

:source: Perez Jensen (2025), Deep Learning, Section 8.2; Loshchilov and Hutter (2019), "Decoupled
    weight decay regularization".
:covers: weight-decay
:test: tests/train/test_weight_decay.py
:erratum: [wrong] The notes print the update with -mu theta inside the bracket, which lets weights
    grow, and without eta in its second line; and the constraint as ||theta|| <= mu. See
    :mod:`corollary.theory.tricks.weight_decay`, and the claims weight_decay and l2_landscape.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.tricks.weight_decay import check_decay
from corollary.train.objective import Loss, compare, is_sum


@dataclass(frozen=True)
class L2Penalty:
    r"""How a batch is valued: the loss plus :math:`\frac\mu2\|\theta\|^2` over trained parameters.

    Example:
        >>> import torch
        >>> from corollary.train.trainer import fit
        >>> line = nn.Linear(1, 1, bias=False).double()
        >>> x = torch.ones(4, 1, dtype=torch.float64)
        >>> sgd = lambda p: torch.optim.SGD(p, lr=0.1)
        >>> half = lambda out, y: ((out - y) ** 2).mean() / 2
        >>> _ = fit(line, (x, 3 * x), half, sgd, steps=400, call=L2Penalty(0.5))
        >>> round(line.weight.item(), 6)  # 3 / (1 + 0.5)
        2.0
    """

    mu: float
    call: Callable[..., Any] = compare  # how the loss itself is computed

    def __post_init__(self) -> None:
        check_decay(self.mu)

    def __call__(self, model: nn.Module, loss: Loss, *batch: Tensor) -> Any:
        """The penalised value, a mean or a pair (sum, count) as the loss gives it."""
        if is_sum(loss):
            raise InputError(
                "the penalty is added to a mean over rows, so the loss needs reduction='mean'"
            )
        value = self.call(model, loss, *batch)
        squares = [p.square().sum() for p in model.parameters() if p.requires_grad]
        penalty = self.mu / 2 * sum(squares)
        if isinstance(value, tuple):
            return value[0] + penalty * value[1], value[1]
        return value + penalty


def decay_groups(model: nn.Module, mu: float) -> list[dict[str, Any]]:
    """Parameter groups for a torch optimizer: matrices and kernels decay, all else does not.

    Biases and the scales of normalisation layers are left alone, as is customary: shrinking them
    does not make a network smoother.

    Example:
        >>> groups = decay_groups(nn.Linear(3, 2), 0.01)
        >>> [(len(group["params"]), group["weight_decay"]) for group in groups]
        [(1, 0.01), (1, 0.0)]
    """
    check_decay(mu)
    trained = [p for p in model.parameters() if p.requires_grad]
    groups = (
        {"params": [p for p in trained if p.dim() >= 2], "weight_decay": mu},
        {"params": [p for p in trained if p.dim() < 2], "weight_decay": 0.0},
    )
    return [group for group in groups if group["params"]]
