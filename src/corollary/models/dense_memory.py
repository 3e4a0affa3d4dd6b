r"""Dense associative memory.

.. math:: E(X) = -\sum_t F(\langle x_t, X \rangle), \qquad X_i \leftarrow \operatorname{sgn}(D_i)

with :math:`F(z) = z^p` or :math:`F = \exp`; :math:`D_i` is the energy at :math:`X_i = -1` minus
that at :math:`X_i = +1`. The patterns themselves are kept, not a matrix of couplings.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Krotov and Hopfield (2016), "Dense
    associative memory for pattern recognition".
:covers: dense-associative-memory
"""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.connectionism.hopfield.dense import checked_power, dense_energy, dense_field
from corollary.theory.connectionism.hopfield.dynamics import (
    AsynchronousRun,
    SynchronousRun,
    synchronous_run,
    visiting_orders,
)
from corollary.theory.connectionism.hopfield.states import checked_patterns, checked_signs, sign


class DenseAssociativeMemory(nn.Module):
    """Memory of the rows of ``patterns`` with a polynomial or exponential energy.

    Example:
        >>> x = torch.tensor([[1.0, 1.0, -1.0, -1.0, 1.0]])
        >>> memory = DenseAssociativeMemory(x, power=3)
        >>> memory.async_run(torch.tensor([[-1.0, 1.0, -1.0, -1.0, 1.0]])).states.tolist()
        [[1.0, 1.0, -1.0, -1.0, 1.0]]
    """

    patterns: Float[Tensor, "K n"]

    def __init__(
        self,
        patterns: Float[Tensor, "K n"],
        *,
        energy: Literal["poly", "exp"] = "poly",
        power: int = 3,
    ) -> None:
        super().__init__()
        if energy not in ("poly", "exp"):
            raise InputError(f"expected energy to be 'poly' or 'exp', got {energy!r}")
        self.power = checked_power(power) if energy == "poly" else None
        self.register_buffer("patterns", checked_patterns(patterns).detach().clone())

    @property
    def n(self) -> int:
        """How many neurons."""
        return self.patterns.shape[1]

    def energy(self, X: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch"]:
        """The energy of every state."""
        return dense_energy(self.patterns, self._state(X), self.power)

    def field(self, X: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
        """What +1 would save over -1 at each neuron (for ``exp`` up to a positive factor)."""
        return dense_field(self.patterns, self._state(X), self.power)

    def forward(self, X: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
        """All neurons updated at once."""
        return sign(self.field(X))

    def step(self, X: Float[Tensor, "*batch n"], i: int) -> Float[Tensor, "*batch n"]:
        """Neuron ``i`` updated, the others as they are; ``X`` itself is not changed."""
        if not 0 <= i < self.n:
            raise InputError(f"neuron i must lie in 0..{self.n - 1}, got {i}")
        X = self._state(X).clone()
        self._visit(X, X @ self.patterns.mT, i)
        return X

    def async_run(
        self,
        X: Float[Tensor, "*batch n"],
        order: Int[Tensor, "..."] | None = None,
        max_sweeps: int = 100,
    ) -> AsynchronousRun:
        """Neuron by neuron until nothing flips; the overlaps are kept, O(K) a visit and state."""
        X = self._state(X).clone()
        M = X @ self.patterns.mT  # (..., K)
        energies, flips = [self.energy(X)], []
        for visits in visiting_orders(order, self.n, max_sweeps).tolist():
            if bool(self.is_fixed(X).all()):
                break
            flips.append(torch.stack([self._visit(X, M, i) for i in visits]).sum(0))
            energies.append(self.energy(X))
        made = torch.stack(flips) if flips else energies[0].new_zeros(0, *X.shape[:-1])
        return AsynchronousRun(X, torch.stack(energies), made.to(torch.int64), self.is_fixed(X))

    def sync_run(self, X: Float[Tensor, "batch n"], max_steps: int = 100) -> SynchronousRun:
        """All neurons at once until every state is fixed or swings between two."""
        return synchronous_run(self.field, self._state(X), max_steps)

    def is_fixed(self, X: Float[Tensor, "*batch n"]) -> Tensor:
        """Whether no neuron would change."""
        after: Tensor = self(X)
        return (after == self._state(X)).all(-1)

    def _visit(self, X: Tensor, M: Tensor, i: int) -> Tensor:
        """Update neuron ``i`` of states ``X`` with overlaps ``M`` in place; which ones flipped."""
        old = X[..., i].clone()
        rest = M - old[..., None] * self.patterns[:, i]
        up, down = (rest + a * self.patterns[:, i] for a in (1, -1))
        if self.power is None:
            top = torch.maximum(up, down).amax(-1, keepdim=True)  # no overflow, the same sign
            saved = (torch.exp(up - top) - torch.exp(down - top)).sum(-1)
        else:
            saved = (up**self.power - down**self.power).sum(-1)
        X[..., i] = sign(saved)
        M.copy_(rest + X[..., i, None] * self.patterns[:, i])
        return X[..., i] != old

    def extra_repr(self) -> str:
        """Size and energy, for ``print``."""
        law = "exp" if self.power is None else f"z^{self.power}"
        return f"K={len(self.patterns)}, n={self.n}, F={law}"

    def _state(self, X: Tensor) -> Tensor:
        return checked_signs(X, self.n).to(self.patterns)
