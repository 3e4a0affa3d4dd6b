r"""Positions added at the ends of images and sequences.

With zeros, a new position is 0 in every network, so :math:`K'(s, s') = \Theta'(s, s') = 0` where s
or s' is new. Circular, reflected and replicated ends copy an old position r(s):
:math:`K'(s, s') = K(r(s), r(s'))`, and :math:`\Theta'` likewise. Each axis has two numbers, which
may differ.
"""

from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor, fx, nn

from corollary.errors import InputError
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.state import State
from corollary.theory.kernels.infinite.windows import PADDINGS, Amounts, both_ends, pad

MODULES: tuple[type[nn.Module], ...] = (
    nn.ConstantPad1d,  # zero padding is one of them
    nn.ConstantPad2d,
    nn.CircularPad1d,
    nn.CircularPad2d,
    nn.ReflectionPad1d,
    nn.ReflectionPad2d,
    nn.ReplicationPad1d,
    nn.ReplicationPad2d,
)
FUNCTION_MODES = {"constant": "zeros"} | {mode: mode for mode in PADDINGS if mode != "zeros"}


@dataclass(frozen=True)
class Pad(Layer):
    """Positions before and after: for each axis a number or a pair; negative ones cut off.

    Example:
        >>> import torch
        >>> from corollary.theory.kernels.infinite import Flatten, network
        >>> x = torch.tensor([[[3.0, 3.0, 3.0]]])  # becomes 0, 3, 3, 3, 0, 0
        >>> network(Pad(((1, 2),)), Flatten()).kernel(x).nngp.item()  # the mean of their squares
        4.5
    """

    amounts: Amounts = (1, 1)
    mode: str = "zeros"

    def __post_init__(self) -> None:
        if self.mode not in PADDINGS:
            raise InputError(f"expected a mode among {', '.join(PADDINGS)}, got '{self.mode}'")
        if self.mode != "zeros" and any(min(ends) < 0 for ends in both_ends(self.amounts)):
            raise InputError(f"only zero padding may be negative, got {self.amounts} {self.mode}")

    def __call__(self, state: State) -> State:
        """Every copy of each axis is extended alike."""
        if state.axes != len(self.amounts):
            raise InputError(
                f"expected amounts for {state.axes} axes of positions, got {len(self.amounts)}"
            )
        amounts = both_ends(self.amounts)
        for ends, n in zip(amounts, state.nngp.shape[state.lead :], strict=False):
            self._check(*ends, n)

        def padded(t: Tensor, lead: int, copies: int) -> Tensor:
            for copy in range(copies):
                for axis, ends in enumerate(amounts):
                    t = pad(t, lead + copy * state.axes + axis, ends, self.mode)
            return t

        return state.positional(padded)

    def _check(self, low: int, high: int, n: int) -> None:
        most = {"circular": n, "reflect": n - 1}.get(self.mode, max(low, high))
        if max(low, high) > most or n + low + high < 1:
            raise InputError(
                f"expected {self.mode} padding that is possible for {n} positions, got "
                f"({low}, {high})"
            )


def read_padding(module: nn.Module) -> Pad | Literal["unknown"]:
    """A padding module of torch; padding by other constants than 0 has no known limit."""
    kind = type(module).__name__.removesuffix("1d").removesuffix("2d")
    modes = {"CircularPad": "circular", "ReflectionPad": "reflect", "ReplicationPad": "replicate"}
    if isinstance(module, nn.ConstantPad1d | nn.ConstantPad2d) and module.value != 0:
        return "unknown"
    return Pad(_by_axis(module.padding), modes.get(kind, "zeros"))


def read_pad_call(node: fx.Node) -> Pad | Literal["unknown"]:
    """A call of ``F.pad`` with plain arguments; axes of samples and channels stay as they are."""
    names = ("pad", "mode", "value")
    given: dict[str, Any] = dict(zip(names, node.args[1:], strict=False)) | dict(node.kwargs)
    mode = FUNCTION_MODES.get(given.get("mode", "constant"))
    if mode is None or (given.get("value") or 0) != 0 or len(node.all_input_nodes) > 1:
        return "unknown"
    return Pad(_by_axis(given["pad"]), mode)


def _by_axis(amounts: Any) -> tuple[tuple[int, int], ...]:
    """Torch has the last axis first."""
    pairs = list(zip(amounts[::2], amounts[1::2], strict=True))
    return tuple((int(low), int(high)) for low, high in reversed(pairs))
