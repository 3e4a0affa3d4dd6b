r"""minGRU: gates that see the input only.

.. math:: z_t=s_t\odot z_{t-1}+(1-s_t)\odot Vx_t,\qquad s_t=\sigma(Gx_t)

The recurrence is linear in z, so all states are one prefix scan over
:math:`(a_t,b_t)=(s_t,(1-s_t)\odot Vx_t)`. Every state is a convex combination of 0 and the
:math:`Vx_j` seen so far.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Feng, Tung, Ahmed, Bengio and
    Hajimirsadeghi (2024), "Were RNNs all we needed?".
:erratum: [typo] The notes introduce this formula as "LRU (Linear Recurrent Model)" with the
    citation of Feng et al.; these propose minGRU and minLSTM, and the LRU is the Linear Recurrent
    Unit of Orvieto et al. (2023), which the notes treat next.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.models.recurrent.cell import Cell, check_sequences, offsets, weights
from corollary.models.recurrent.gating import blend, gate
from corollary.theory.sequences.log_scan import gated_log_scan
from corollary.theory.sequences.scan import linear_scan

ScanMethod = Literal["sequential", "hillis_steele", "blelloch", "log"]


class MinGRU(Cell):
    """One step when called as a cell, all steps at once by :meth:`states`.

    Example:
        >>> from corollary.models.recurrent.cell import unroll
        >>> cell = MinGRU(2, 3, rng=torch.Generator().manual_seed(0))
        >>> x = torch.randn(4, 50, 2, dtype=torch.float64)
        >>> torch.allclose(cell.states(x, method="blelloch"), unroll(cell, x)[0])
        True

    :covers: mingru
    """

    def __init__(
        self,
        n: int,
        m: int,
        *,
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__(n, m)
        self.G, self.V = (weights(m, n, rng=rng, dtype=dtype) for _ in range(2))
        self.b_G, self.b_V = (offsets(m, bias, self.G) for _ in range(2))

    def forward(self, state: Float[Tensor, "B m"], x: Float[Tensor, "B n"]) -> Float[Tensor, "B m"]:
        """The next state."""
        v = nn.functional.linear(x, self.V, self.b_V)
        return blend(gate(x, self.G, self.b_G), state, v)

    def states(
        self, x: Float[Tensor, "B T n"], *, method: ScanMethod = "sequential"
    ) -> Float[Tensor, "B T m"]:
        """All states from zero on, by a scan.

        Args:
            x: A batch of sequences.
            method: As in :func:`~corollary.theory.sequences.scan.linear_scan`, or ``log`` for a
                cumulative sum of logarithms, which is stable but less exact.
        """
        check_sequences(x, self.n, None)
        v = nn.functional.linear(x, self.V, self.b_V)
        if method == "log":
            return gated_log_scan(nn.functional.linear(x, self.G, self.b_G), v)
        s = gate(x, self.G, self.b_G)
        return linear_scan(s, (1 - s) * v, method=method)
