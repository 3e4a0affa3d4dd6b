r"""Hopfield network.

:math:`n` neurons :math:`X_i \in \{-1, +1\}` with symmetric couplings, no self-coupling and
thresholds :math:`b`,

.. math:: H(X) = -\tfrac12 X^\top W X + b^\top X, \qquad X_i \leftarrow \operatorname{sgn}(h_i),
    \quad h = WX - b .

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hopfield (1982), "Neural networks and
    physical systems with emergent collective computational abilities".
:covers: hopfield-energy, hopfield-update-dynamics, hopfield-hebbian-storage
"""

from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.compiled import Backend
from corollary.theory.connectionism.hopfield.dynamics import (
    AsynchronousRun,
    SynchronousRun,
    asynchronous_run,
    synchronous_run,
)
from corollary.theory.connectionism.hopfield.energy import energy, field
from corollary.theory.connectionism.hopfield.states import (
    check_symmetric,
    checked_couplings,
    checked_signs,
    sign,
)
from corollary.theory.connectionism.hopfield.storage import hebbian_counts


class Hopfield(nn.Module):
    r"""A network with couplings ``W`` (symmetric, zero diagonal) and thresholds ``b``.

    Couplings are kept in a unit of the caller's, :math:`W = J / c` and :math:`b = \theta / c`
    with ``c = scale``. The dynamics only look at signs of fields and run on :math:`J`, which for
    stored patterns holds whole numbers: their sums are exact, so ties are exact as well.

    Example:
        >>> import torch
        >>> net = Hopfield.store(torch.tensor([[1.0, 1.0, -1.0, -1.0]]))
        >>> run = net.async_run(torch.tensor([[1.0, -1.0, -1.0, -1.0]]))
        >>> run.states.tolist(), bool(run.converged)
        ([[1.0, 1.0, -1.0, -1.0]], True)
    """

    J: Float[Tensor, "n n"]
    theta: Float[Tensor, " n"]
    scale: Float[Tensor, ""]

    def __init__(
        self,
        W: Float[Tensor, "n n"],
        b: Float[Tensor, " n"] | None = None,
        *,
        scale: float | int = 1.0,
    ) -> None:
        super().__init__()
        W, b = checked_couplings(W, b)
        check_symmetric(W)
        if not scale > 0:
            raise InputError(f"scale must be positive, got {scale:g}")
        self.register_buffer("J", W.detach().clone())
        self.register_buffer("theta", b.detach().clone())
        self.register_buffer("scale", W.new_tensor(scale))

    @classmethod
    def store(cls, patterns: Float[Tensor, "s n"]) -> "Hopfield":
        r"""The network with Hebbian couplings :math:`\frac1n \sum_t x_t x_t^\top`, no diagonal."""
        J = hebbian_counts(patterns)
        return cls(J, scale=float(len(J)))

    @property
    def n(self) -> int:
        """How many neurons."""
        return len(self.J)

    @property
    def W(self) -> Float[Tensor, "n n"]:
        """The couplings."""
        return self.J / self.scale

    @property
    def b(self) -> Float[Tensor, " n"]:
        """The thresholds."""
        return self.theta / self.scale

    def energy(self, X: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch"]:
        r"""The energy :math:`H(X)` of every state."""
        return energy(self.J, self.theta, self._state(X)) / self.scale

    def field(self, X: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
        r"""The field :math:`h = WX - b` of every state."""
        return field(self.J, self.theta, self._state(X)) / self.scale

    def forward(self, X: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
        """All neurons updated at once."""
        return sign(field(self.J, self.theta, self._state(X)))

    def step(self, X: Float[Tensor, "*batch n"], i: int) -> Float[Tensor, "*batch n"]:
        """Neuron ``i`` updated, the others as they are; ``X`` itself is not changed."""
        X = self._state(X).clone()
        if not 0 <= i < self.n:
            raise InputError(f"neuron i must lie in 0..{self.n - 1}, got {i}")
        X[..., i] = sign(X @ self.J[i] - self.theta[i])
        return X

    def async_run(
        self,
        X: Float[Tensor, "*batch n"],
        order: Int[Tensor, "..."] | None = None,
        max_sweeps: int = 100,
        *,
        backend: Backend = "auto",
    ) -> AsynchronousRun:
        """Neuron by neuron until nothing flips: states, energies by sweep, flips, converged.

        Args:
            X: One state or a batch of them.
            order: Indices of the visits, ``(n,)`` or ``(sweeps, n)``; 0 to n-1 when left out.
            max_sweeps: Where to stop.
            backend: ``auto``, ``numba`` or ``torch``; the end states are the same.
        """
        X = self._state(X)
        states = X.reshape(-1, self.n)
        run = asynchronous_run(
            self.J, self.theta, states, order, max_sweeps, symmetric=True, backend=backend
        )
        energies = (run.energies / self.scale).reshape(-1, *X.shape[:-1])
        return AsynchronousRun(
            run.states.reshape(X.shape),
            energies,
            run.flips.reshape(-1, *X.shape[:-1]),
            run.converged.reshape(X.shape[:-1]),
        )

    def sync_run(self, X: Float[Tensor, "batch n"], max_steps: int = 100) -> SynchronousRun:
        """All neurons at once until every state is fixed or swings between two."""
        return synchronous_run(lambda S: field(self.J, self.theta, S), self._state(X), max_steps)

    def is_fixed(self, X: Float[Tensor, "*batch n"]) -> Tensor:
        """Whether no neuron would change."""
        after: Tensor = self(X)
        return (after == self._state(X)).all(-1)

    def extra_repr(self) -> str:
        """Size, for ``print``."""
        return f"n={self.n}"

    def _state(self, X: Tensor) -> Tensor:
        return checked_signs(X, self.n).to(self.J)
