r"""Modern Hopfield network.

Continuous states :math:`q \in \mathbb R^d`, patterns as rows of :math:`K`:

.. math:: q \leftarrow K^\top \operatorname{softmax}(\beta K q),

which is one read of attention with keys and values :math:`K`; :math:`\beta = 1/\sqrt d` is the
scale of the transformer.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Ramsauer, Schäfl, Lehner et al. (2020),
    "Hopfield networks is all you need".
:covers: modern-hopfield-attention
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from corollary.errors import InputError, InputTypeError
from corollary.theory.connectionism.hopfield.modern import attention_energy, attention_update


class Retrieval(NamedTuple):
    """Where a query went."""

    state: Float[Tensor, "*batch d"]
    energies: Float[Tensor, "steps_and_start *batch"]
    converged: bool


class ModernHopfield(nn.Module):
    """Continuous memory of the rows of ``patterns`` at inverse temperature ``beta``.

    Args:
        patterns: One pattern a row.
        beta: Inverse temperature; :math:`1/sqrt(d)` when left out.

    Example:
        >>> memory = ModernHopfield(torch.tensor([[3.0, 0.0], [0.0, 3.0]]), beta=2.0)
        >>> [round(v, 4) for v in memory.update(torch.tensor([2.0, 0.5])).tolist()]
        [2.9996, 0.0004]
    """

    patterns: Float[Tensor, "N d"]

    def __init__(self, patterns: Float[Tensor, "N d"], beta: float | int | None = None) -> None:
        super().__init__()
        if not isinstance(patterns, Tensor) or not patterns.is_floating_point():
            kind = patterns.dtype if isinstance(patterns, Tensor) else type(patterns).__name__
            raise InputTypeError(f"patterns need to be a float tensor, got {kind}")
        if patterns.ndim != 2 or 0 in patterns.shape:
            raise InputError(
                "patterns need to be a matrix with at least one pattern per row, but their shape "
                f"is {tuple(patterns.shape)}"
            )
        if not bool(torch.isfinite(patterns).all()):
            raise InputError("patterns need finite entries, but one is NaN or infinite")
        self.beta = patterns.shape[1] ** -0.5 if beta is None else float(beta)
        if not (self.beta > 0 and math.isfinite(self.beta)):
            raise InputError(f"beta must be positive and finite, got {self.beta:g}")
        self.register_buffer("patterns", patterns.detach().clone())

    def energy(self, q: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch"]:
        """The energy of every query; never negative."""
        return attention_energy(self.patterns, self.beta, self._query(q))

    def update(self, q: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        """One step of every query."""
        return attention_update(self.patterns, self.beta, self._query(q))

    def forward(self, q: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        """The same as :meth:`update`."""
        return self.update(q)

    def retrieve(
        self, q: Float[Tensor, "*batch d"], *, max_steps: int = 100, tolerance: float = 1e-10
    ) -> Retrieval:
        """Update until no query moves by more than ``tolerance``, or ``max_steps`` times."""
        energies, converged = [self.energy(q)], False
        for _ in range(max_steps):
            q, before = self.update(q), q
            energies.append(self.energy(q))
            converged = bool((q - before).norm(dim=-1).amax() <= tolerance)
            if converged:
                break
        return Retrieval(q, torch.stack(energies), converged)

    def as_attention(self) -> "AttentionRead":
        """The same memory as a module on torch's fused attention."""
        return AttentionRead(self.patterns, self.beta)

    def extra_repr(self) -> str:
        """Sizes, for ``print``."""
        return f"N={len(self.patterns)}, d={self.patterns.shape[1]}, beta={self.beta:g}"

    def _query(self, q: Tensor) -> Tensor:
        if q.ndim == 0 or q.shape[-1] != self.patterns.shape[1]:
            raise InputError(
                f"a query needs {self.patterns.shape[1]} entries, got shape {tuple(q.shape)}"
            )
        return q.to(self.patterns)


class AttentionRead(nn.Module):
    """Attention with fixed keys and values, by ``scaled_dot_product_attention``."""

    K: Float[Tensor, "N d"]

    def __init__(self, patterns: Float[Tensor, "N d"], beta: float | int) -> None:
        super().__init__()
        self.beta = beta
        self.register_buffer("K", patterns)

    def forward(self, q: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        """Read once for every query."""
        queries = q.reshape(1, -1, q.shape[-1])
        read = scaled_dot_product_attention(queries, self.K[None], self.K[None], scale=self.beta)
        return read.reshape(q.shape)
