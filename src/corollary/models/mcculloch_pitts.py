r"""The McCulloch-Pitts neuron and the circuits it makes.

.. math:: f(x)=\mathbb{1}\{\sigma\cdot x\ge\theta\},\qquad x\in\{0,1\}^n,\ \sigma\in\{-1,+1\}^n

Synapses excite (+1) or inhibit (-1); there is no learning rule. One unit computes AND, OR, NOT,
NAND and majorities; two levels compute every Boolean function.

:source: Perez Jensen (2025), Deep Learning, Section 1.1; McCulloch and Pitts (1943), "A logical
    calculus of the ideas immanent in nervous activity".
:covers: mcculloch-pitts-neuron
"""

from collections.abc import Sequence

import torch
from jaxtyping import Int, Shaped
from torch import Tensor, nn

from corollary.errors import InputError


class McCullochPitts(nn.Module):
    """One unit: signs of the synapses and a threshold.

    Example:
        >>> unit = McCullochPitts([1, -1], threshold=1)  # fires for "first and not second"
        >>> unit(boolean_cube(2))
        tensor([0, 0, 1, 0])
    """

    signs: Int[Tensor, " n"]

    def __init__(self, signs: Sequence[int] | Tensor, threshold: float | int) -> None:
        super().__init__()
        signs = torch.as_tensor(signs)
        if signs.ndim != 1 or len(signs) == 0 or not bool((signs.abs() == 1).all()):
            raise InputError(
                f"expected synapses to be a list of -1 and +1, got {signs.tolist()}; to "
                "ignore an input, remove its wire instead of using 0"
            )
        if threshold != threshold:
            raise InputError("the threshold must be a number, got NaN")
        self.register_buffer("signs", signs.to(torch.int64))
        self.threshold = float(threshold)

    @property
    def n(self) -> int:
        """Number of inputs."""
        return len(self.signs)

    def forward(self, x: Shaped[Tensor, "*k n"]) -> Int[Tensor, "*k"]:
        """1 where the unit fires, else 0, as whole numbers."""
        x = _boolean(x, self.n)
        return ((x * self.signs).sum(dim=-1) >= self.threshold).to(torch.int64)

    def extra_repr(self) -> str:
        """Signs and threshold."""
        return f"signs={self.signs.tolist()}, threshold={self.threshold:g}"


class TwoLevel(nn.Module):
    """Units side by side, and one unit that reads them.

    Example:
        >>> xor = TwoLevel([or_unit(2), nand_unit(2)], and_unit(2))
        >>> xor(boolean_cube(2))
        tensor([0, 1, 1, 0])
    """

    def __init__(
        self,
        units: Sequence[McCullochPitts],
        output: McCullochPitts,
        *,
        wires: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Connect.

        Args:
            units: First level.
            output: Second level; its inputs are the first level's outputs, in order.
            wires: For each unit the numbers of the inputs it reads; all of them by default.
        """
        super().__init__()
        if len(units) != output.n:
            raise InputError(
                f"expected {output.n} units for the output unit to read, got {len(units)}"
            )
        self.units, self.output = nn.ModuleList(units), output
        self.wires = None if wires is None else [list(w) for w in wires]
        if self.wires is not None and [len(w) for w in self.wires] != [u.n for u in units]:
            raise InputError(
                f"the units expect {[u.n for u in units]} inputs, but have "
                f"{[len(w) for w in self.wires]} wires"
            )

    def forward(self, x: Shaped[Tensor, "*k n"]) -> Int[Tensor, "*k"]:
        """The output unit's answer."""
        wires = self.wires or [list(range(x.shape[-1]))] * len(self.units)
        hidden = [u(x[..., w]) for u, w in zip(self.units, wires, strict=True)]
        answer: Tensor = self.output(torch.stack(hidden, dim=-1))
        return answer


def and_unit(n: int) -> McCullochPitts:
    """Fires when all ``n`` inputs are on."""
    return at_least_unit(n, n)


def or_unit(n: int) -> McCullochPitts:
    """Fires when some input is on."""
    return at_least_unit(1, n)


def not_unit() -> McCullochPitts:
    """Fires when its one input is off."""
    return McCullochPitts([-1], 0)


def nand_unit(n: int) -> McCullochPitts:
    """Fires unless all ``n`` inputs are on."""
    return McCullochPitts([-1] * _count(n), 1 - n)


def at_least_unit(k: int, n: int) -> McCullochPitts:
    """Fires when ``k`` of ``n`` inputs are on."""
    if not 0 <= k <= _count(n):
        raise InputError(f"k of n needs 0 <= k <= n, got k={k} and n={n}")
    return McCullochPitts([1] * n, k)


def majority_unit(n: int) -> McCullochPitts:
    """Fires when more than half of the ``n`` inputs are on."""
    return at_least_unit(n // 2 + 1, n)


def truth_table_circuit(table: Sequence[int] | Tensor) -> TwoLevel:
    """Two levels that compute any Boolean function: an OR over one unit for each row that is 1.

    ``table`` has ``2**n`` entries in the order of :func:`boolean_cube`; the first level has as
    many units as there are ones in it.

    Example:
        >>> truth_table_circuit([0, 1, 1, 0])(boolean_cube(2))
        tensor([0, 1, 1, 0])
    """
    table = torch.as_tensor(table)
    n = max(len(table), 1).bit_length() - 1
    if table.ndim != 1 or n < 1 or len(table) != 2**n:
        raise InputError(f"expected a truth table with 2, 4, 8, ... entries, got {table.numel()}")
    rows = boolean_cube(n)[_boolean(table, len(table)) == 1]
    units = [McCullochPitts(2 * row - 1, float(row.sum())) for row in rows]
    units = units or [McCullochPitts([1] * n, n + 1)]  # never fires
    return TwoLevel(units, or_unit(len(units)))


def boolean_cube(n: int) -> Int[Tensor, "rows n"]:
    """All ``2**n`` inputs as rows, counted upwards in binary.

    Example:
        >>> boolean_cube(2).tolist()
        [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    numbers = torch.arange(2 ** _count(n))
    return numbers[:, None] >> torch.arange(n - 1, -1, -1) & 1


def _count(n: int) -> int:
    if n < 1:
        raise InputError(f"a unit needs at least one input, got n={n}")
    return n


def _boolean(x: Tensor, n: int) -> Tensor:
    if x.ndim == 0 or x.shape[-1] != n:
        raise InputError(f"expected {n} inputs per point, got shape {tuple(x.shape)}")
    bad = (x != 0) & (x != 1)
    if bool(bad.any()):
        raise InputError(f"expected inputs 0 or 1, got {x[bad].flatten()[0].item():g}")
    return x.to(torch.int64)
