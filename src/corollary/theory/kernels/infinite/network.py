r"""An architecture as a description, and its kernels.

A :class:`Network` is a list of steps, each a layer (or a join) with the steps it reads. It is made
from layers with :func:`network`, or from an existing module with :func:`.from_module`, and gives

* ``kernel(x)``, ``kernel(x, y)``: NNGP and NTK; with one argument only one half is computed;
* ``diagonal(x)``: :math:`K(x_i, x_i)` alone, in linear time;
* ``tiles(x, y, rank=, world=)``: the same as a stream of blocks, shared out among processes;
* ``operator(x, y)``: products with the matrix, which is never formed.

All of it runs tile by tile in bounded memory. Plain rectifier networks and convolutional ones have
fast paths; everything else is computed in float64 and returned in the dtype of ``x``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend
from corollary.theory.kernels.infinite.branches import Branches, Part
from corollary.theory.kernels.infinite.flow import check_flow
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.state import State
from corollary.theory.kernels.infinite.steps import Plan, Step, first_state, plan, run
from corollary.theory.precision import has_float64
from corollary.theory.wording import sizes, span

if TYPE_CHECKING:
    from corollary.theory.kernels.infinite.operator import KernelOperator
    from corollary.theory.kernels.infinite.tiles import Tile


class Kernels(NamedTuple):
    """Both kernels of a network; ``ntk`` is None when it was not asked for."""

    nngp: Float[Tensor, "..."]
    ntk: Float[Tensor, "..."] | None

    def __repr__(self) -> str:
        ntk = "" if self.ntk is None else f", NTK {span(self.ntk)}"
        return f"kernels {sizes(self.nngp)}: NNGP {span(self.nngp)}{ntk}"

    def of(self, which: Literal["nngp", "ntk"]) -> Tensor:
        """One of the two, which must have been asked for."""
        found = self.nngp if which == "nngp" else self.ntk
        assert found is not None, "the tangent kernel was not asked for"
        return found

    def to(self, like: Tensor) -> "Kernels":
        """Both on the device of another tensor."""
        return Kernels(*(None if k is None else k.to(like.device) for k in self))  # type: ignore[arg-type]  # None is the second alone


@dataclass(frozen=True)
class Network:
    """An architecture at infinite width."""

    steps: tuple[Step, ...]
    channels: Literal["first", "last"] = "first"  # where inputs with positions have their channels

    def __post_init__(self) -> None:
        check_flow(self.steps)

    def __repr__(self) -> str:
        layers = ", ".join(type(step.layer).__name__ for step in self.steps)
        return f"network of infinite width: {layers}"

    @cached_property
    def plan(self) -> Plan:
        """Which layouts the layers need."""
        return plan(self.steps)

    def kernel(
        self,
        x: Tensor,
        y: Tensor | None = None,
        *,
        ntk: bool = True,
        backend: Backend = "auto",
        memory: int = 32 * 2**20,
        out: Kernels | None = None,
    ) -> Kernels:
        r"""NNGP and NTK of all pairs.

        Time :math:`O(nmd)` for the Gram matrix and :math:`O(nmL)` for the recursion; positions
        multiply that by S (flattened) or :math:`S^2` (pooled). Beyond the outputs, about
        ``memory`` bytes.

        Args:
            x: Inputs, ``(n, d)`` or ``(n, channels, *positions)``.
            y: Second inputs; without them the matrix is symmetric and half is computed.
            ntk: Whether the tangent kernel is wanted.
            backend: ``numba``, ``torch``, or ``auto``.
            memory: Bytes for working space.
            out: Where to write, e.g. tensors over a memory-mapped file.

        Example:
            >>> from corollary.theory.kernels.infinite import Dense, Relu, network
            >>> net = network(Dense(2**0.5), Relu(), Dense(2**0.5))
            >>> k = net.kernel(torch.eye(2, dtype=torch.float64))
            >>> round(k.nngp[0, 1].item() * torch.pi, 12), round(k.ntk[0, 0].item(), 12)
            (1.0, 2.0)
        """
        from corollary.theory.kernels.infinite.tiles import assemble

        self._check(x, y)
        if not has_float64(x.device):
            second = None if y is None else y.cpu()
            return self.kernel(x.cpu(), second, ntk=ntk, backend=backend, memory=memory).to(x)
        return assemble(self, x, y, ntk=ntk, backend=backend, memory=memory, out=out)

    def nngp(self, x: Tensor, y: Tensor | None = None) -> Tensor:
        """The covariance of the output at initialisation alone."""
        return self.kernel(x, y, ntk=False).nngp

    def ntk(self, x: Tensor, y: Tensor | None = None) -> Tensor:
        """The tangent kernel alone."""
        return self.kernel(x, y).of("ntk")

    def diagonal(self, x: Tensor, *, ntk: bool = True) -> Kernels:
        """The kernels of each input with itself, in time linear in n."""
        self._check(x, None)
        if not has_float64(x.device):
            return self.diagonal(x.cpu(), ntk=ntk).to(x)
        state = self.run(x, x, ntk=ntk, paired=True, same=0)
        return Kernels(state.nngp.to(x.dtype), None if state.ntk is None else state.ntk.to(x.dtype))

    def tiles(
        self,
        x: Tensor,
        y: Tensor | None = None,
        *,
        ntk: bool = True,
        rank: int = 0,
        world: int = 1,
        backend: Backend = "auto",
        memory: int = 32 * 2**20,
    ) -> Iterator["Tile"]:
        """The blocks of the matrix that belong to process ``rank`` of ``world``, one by one."""
        from corollary.theory.kernels.infinite.tiles import stream

        self._check(x, y)
        return stream(self, x, y, ntk=ntk, rank=rank, world=world, backend=backend, memory=memory)

    def operator(
        self,
        x: Tensor,
        y: Tensor | None = None,
        *,
        which: Literal["nngp", "ntk"] = "ntk",
        shared: bool = False,
    ) -> "KernelOperator":
        """The matrix as an operator: ``operator(x) @ v`` in bounded memory.

        With ``shared`` the processes of torch's default group each compute a part of the blocks.
        """
        from corollary.theory.kernels.infinite.operator import KernelOperator

        self._check(x, y)
        second = x if y is None else y
        return KernelOperator(self, x, second, which, symmetric=y is None, shared=shared)

    def run(
        self,
        x: Tensor,
        y: Tensor,
        *,
        ntk: bool = True,
        paired: bool = False,
        backend: Backend = "torch",
        same: int | None = None,
    ) -> State:
        """The final state of one block, in float64; by torch, differentiable in all sigma and x.

        ``same`` says that inputs i of x and i + same of y are one and the same input.
        """
        state = first_state(
            x,
            y,
            self.plan,
            ntk=ntk,
            paired=paired,
            channels=self.channels,
            backend=backend,
            same=same,
        )
        state = run(self.steps, state)
        if state.axes:
            raise InputError(
                f"the network ends with {state.axes} axes of positions; end it with Flatten or "
                "GlobalAvgPool, and a Dense layer"
            )
        return state

    def _check(self, x: Tensor, y: Tensor | None) -> None:
        for name, t in (("x", x),) if y is None else (("x", x), ("y", y)):
            if not t.is_floating_point():
                raise InputError(f"{name} needs floating point inputs, got {t.dtype}")
            if t.ndim < 2 or 0 in t.shape:
                raise InputError(
                    f"{name} needs at least one input in rows, got shape {tuple(t.shape)}"
                )
            if not all(bool(torch.isfinite(end)) for end in torch.aminmax(t.detach())):
                raise InputError(f"{name} has entries that are not finite; remove those rows")
        if y is not None and (x.shape[1:] != y.shape[1:] or x.dtype != y.dtype):
            raise InputError(
                "x and y need the same shape per input and the same dtype, got "
                f"{tuple(x.shape)} {x.dtype} and {tuple(y.shape)} {y.dtype}"
            )


def network(*parts: Part, channels: Literal["first", "last"] = "first") -> Network:
    """Layers one after the other; branches that are joined may stand among them.

    Example:
        >>> from corollary.theory.kernels.infinite import Dense, Relu, Residual
        >>> len(network(Dense(), Residual(Relu(), Dense()), Dense()).steps)
        5
    """
    steps: list[Step] = []
    _append(steps, parts, 0, "")
    return Network(tuple(steps), channels)


def _append(steps: list[Step], parts: tuple[Part, ...], at: int, path: str) -> int:
    """Add parts that read value ``at``; return the number of the value they give."""
    for place, part in enumerate(parts):
        name = f"{path}{place}"
        if isinstance(part, Branches):
            ends = tuple(_append(steps, branch, at, f"{name}.") for branch in part.branches)
            steps.append(Step(part.rule(), ends, name))
        elif isinstance(part, Layer):
            steps.append(Step(part, (at,), name))
        else:
            raise InputError(
                f"part {name} of the network is {part!r}, which is not a layer; create layers "
                "with Dense(), Relu(), Conv() and so on"
            )
        at = len(steps)
    return at
