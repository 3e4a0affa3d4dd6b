r"""Connectionist systems as a declaration of seven parts.

Parallel distributed processing describes a network by

1. units, each with a state of activation :math:`a_i`,
2. an output function :math:`o_i=f(a_i)`,
3. a pattern of connectivity :math:`W, b` (:math:`W_{ij}` leads from unit :math:`j` to :math:`i`),
4. a propagation rule for the net input, as a rule :math:`\mathrm{net}=Wo+b`,
5. activation functions :math:`a_i\leftarrow F(\mathrm{net}_i)`,
6. a learning rule that changes the connectivity by experience,
7. an environment: what is shown, and what is wanted.

Units are updated in groups: those of one group at once, the groups in turn. A layered network has
a group a layer, a Hopfield network a group a neuron (or one group, to update all at once).

:source: Perez Jensen (2025), Deep Learning, Section 1.3; Rumelhart, Hinton and McClelland (1986),
    "A general framework for parallel distributed processing".
:covers: parallel-distributed-processing
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from corollary.errors import InputError

Entrywise = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Units:
    """``n`` units, and the groups in which they are updated; the others only receive input."""

    n: int
    groups: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        named = [i for group in self.groups for i in group]
        if not named or min(named) < 0 or max(named) >= self.n or len(set(named)) < len(named):
            raise InputError(
                f"groups must name each of the units 0 to {self.n - 1} at most once, got "
                f"{list(map(list, self.groups))}"
            )


@dataclass(frozen=True)
class Connectivity:
    """Weights and biases, and which connections exist at all."""

    W: Float[Tensor, "n n"]
    b: Float[Tensor, " n"]
    mask: Bool[Tensor, "n n"]

    def changed(self, dW: Tensor, db: Tensor) -> "Connectivity":
        """The same pattern with changes added where there are connections."""
        return replace(self, W=self.W + torch.where(self.mask, dW, 0.0), b=self.b + db)


@dataclass(frozen=True)
class Environment:
    """Patterns for the units ``entry``; for ``answer`` the targets and the loss, if there are."""

    patterns: Float[Tensor, "k p"]
    entry: tuple[int, ...]
    answer: tuple[int, ...] = ()
    targets: Float[Tensor, "k q"] | None = None
    loss: Callable[[Tensor, Tensor], Tensor] | None = None

    def target(self, i: int) -> Float[Tensor, " q"]:
        """What is wanted of the units ``answer`` for pattern ``i``."""
        if self.targets is None:
            raise InputError(
                "expected an environment with targets, got none; pass targets, or use a "
                "learning rule without targets"
            )
        return self.targets[i]

    def loss_of(self, answer: Float[Tensor, " q"], i: int) -> Float[Tensor, ""]:
        """How far the answer to pattern ``i`` is from what is wanted."""
        if self.loss is None:
            raise InputError("expected an environment with a loss, got none; pass loss")
        return self.loss(answer, self.target(i))


Propagation = Callable[[Tensor, Tensor, Tensor], Tensor]  # outputs, rows of W, entries of b
LearningRule = Callable[["PDPSystem", int], Connectivity]  # from experience of one pattern


def weighted_sum(
    o: Float[Tensor, "*k n"], W: Float[Tensor, "m n"], b: Float[Tensor, " m"]
) -> Float[Tensor, "*k m"]:
    """The usual propagation rule.

    Example:
        >>> weighted_sum(torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 4.0]]), torch.ones(1))
        tensor([12.])
    """
    return o @ W.T + b


@dataclass(frozen=True, kw_only=True)
class PDPSystem:
    """The seven parts. A system never changes: learning gives a new one.

    Example:
        >>> unit = PDPSystem(
        ...     units=Units(2, ((1,),)),
        ...     output=lambda a: a,
        ...     connectivity=Connectivity(
        ...         torch.tensor([[0.0, 0.0], [2.0, 0.0]]), torch.zeros(2), torch.ones(2, 2) > 0
        ...     ),
        ...     propagation=weighted_sum,
        ...     activation=torch.relu,
        ...     learning=lambda system, i: system.connectivity,
        ...     environment=Environment(torch.tensor([[3.0]]), entry=(0,)),
        ... )
        >>> unit.present(0)
        tensor([3., 6.])
    """

    units: Units
    output: Entrywise
    connectivity: Connectivity
    propagation: Propagation
    activation: Entrywise | Sequence[Entrywise]  # one, or one per group
    learning: LearningRule
    environment: Environment

    def __post_init__(self) -> None:
        n, (rows, columns) = self.units.n, self.connectivity.W.shape
        if (rows, columns, len(self.connectivity.b)) != (n, n, n):
            raise InputError(
                f"{n} units need weights ({n}, {n}) and {n} biases, got weights ({rows}, "
                f"{columns}) and {len(self.connectivity.b)} biases"
            )
        if not callable(self.activation) and len(self.activation) != len(self.units.groups):
            raise InputError(
                f"there are {len(self.units.groups)} groups of units, but "
                f"{len(self.activation)} activation functions"
            )
        entry, width = self.environment.entry, self.environment.patterns.shape[1]
        if len(entry) != width:
            raise InputError(
                f"patterns have {width} entries, but there are {len(entry)} input units"
            )

    def start(self, i: int) -> Float[Tensor, " n"]:
        """States with pattern ``i`` at the entry and 0 elsewhere."""
        patterns = self.environment.patterns
        state = patterns.new_zeros(self.units.n)
        state[list(self.environment.entry)] = patterns[i]
        return state

    def step(self, state: Float[Tensor, "*k n"]) -> Float[Tensor, "*k n"]:
        """Each group updated once, in turn."""
        W, b = self.connectivity.W, self.connectivity.b
        for g, group in enumerate(self.units.groups):
            rows = torch.tensor(group, device=state.device)
            net = self.propagation(self.output(state), W[rows], b[rows])
            phi = self.activation if callable(self.activation) else self.activation[g]
            state = state.index_copy(-1, rows, phi(net))
        return state

    def present(self, i: int) -> Float[Tensor, " n"]:
        """States after pattern ``i`` was shown and every group was updated once."""
        return self.step(self.start(i))

    def learn(self, i: int) -> "PDPSystem":
        """The system after the experience of pattern ``i``."""
        return replace(self, connectivity=self.learning(self, i))
