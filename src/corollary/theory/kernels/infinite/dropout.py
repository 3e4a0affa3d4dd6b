r"""Dropout in training: every unit is kept with probability p and divided by p.

Masks of different inputs are independent, so their covariance stays. An input meets its own mask,
and :math:`E[m^2]/p^2 = 1/p`, so

.. math:: K'(x, x) = K(x, x)/p, \quad \Theta'(x, x) = \Theta(x, x)/p, \qquad
          K'(x, y) = K(x, y), \quad \Theta'(x, y) = \Theta(x, y) \quad (x \ne y),

at equal positions; masks of different positions are independent as well. The kernel is that of one
draw of masks. Two sets of inputs, ``kernel(x, y)``, have masks of their own, even at equal rows.

:source: Schoenholz, Gilmer, Ganguli and Sohl-Dickstein (2017), "Deep information propagation",
    Section 4 (dropout as a growth of the diagonal); Srivastava et al. (2014), "Dropout: a simple
    way to prevent neural networks from overfitting".
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.state import State


@dataclass(frozen=True)
class MaskedUnits(Layer):
    """Units dropped at random, as in training; see :func:`Dropout`."""

    drops = True
    rate: float = 0.5  # the share of units that is dropped

    def __post_init__(self) -> None:
        if not 0 <= self.rate < 1:
            raise InputError(
                f"rate is the share of units that is dropped and must lie in [0, 1), got "
                f"{self.rate}"
            )

    def __call__(self, state: State) -> State:
        """The rule of the module."""
        factor = 1 / (1 - self.rate)

        def own(q: Tensor | None) -> Tensor | None:
            return None if q is None else _grown(q, factor, state.axes * state.self_full)

        def pairs(t: Tensor) -> Tensor:
            if state.same is None:
                return t
            places = state.axes * state.full
            if state.paired:
                return _grown(t, factor, places)
            t = t.clone()
            entries = torch.diagonal(t, state.same, 0, 1).movedim(-1, 0)
            entries.copy_(_grown(entries, factor, places))
            return t

        q1 = own(state.q1)
        q2 = q1 if state.q2 is state.q1 else own(state.q2)
        ntk = None if state.ntk is None else pairs(state.ntk)
        return replace(state, nngp=pairs(state.nngp), ntk=ntk, q1=q1, q2=q2)


def _grown(t: Tensor, factor: float, axes: int) -> Tensor:
    """All of ``(n, *positions)``, or of ``(n, *positions, *positions)`` the equal ones."""
    if axes == 0:
        return factor * t
    count = t.shape[1 : 1 + axes].numel()
    weight = torch.ones(count, count, dtype=t.dtype, device=t.device)
    weight.fill_diagonal_(factor)
    return t * weight.reshape(t.shape[1:])


def Dropout(rate: float = 0.5) -> MaskedUnits:  # noqa: N802 - reads as a layer
    """Dropout in training, by the share of units that is dropped, as in PyTorch.

    Example:
        >>> from corollary.theory.kernels.infinite import Dense, network
        >>> net = network(Dense(), Dropout(0.75), Dense())
        >>> net.kernel(torch.ones(2, 1).double()).nngp.tolist()  # 1 / (1 - 0.75) on the diagonal
        [[4.0, 1.0], [1.0, 4.0]]
    """
    return MaskedUnits(rate)
