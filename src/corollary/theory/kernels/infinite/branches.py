"""Branches of a network as parts of its description: sums, concatenations, products."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from corollary.errors import InputError
from corollary.theory.kernels.infinite.branch_layers import AddUp, Join, MultiplyUp, SideBySide
from corollary.theory.kernels.infinite.layers import Layer


@dataclass(frozen=True)
class Branches(ABC):
    """Branches that read the same input; an empty branch is the input itself."""

    branches: tuple[tuple["Part", ...], ...]

    def __post_init__(self) -> None:
        if not self.branches:
            raise InputError(f"{type(self).__name__} needs at least one branch, got none")

    @abstractmethod
    def rule(self) -> Join:
        """How the kernels of the branches are put together."""


@dataclass(frozen=True)
class Sum(Branches):
    """Branches that read the same input and are added up; an empty branch is the input itself."""

    def rule(self) -> Join:
        """Kernels are added."""
        return AddUp()


@dataclass(frozen=True)
class Concat(Branches):
    """Branches whose channels are put side by side, for a layer that reads all of them.

    A concatenation of two branches of equal width has the mean of their kernels. An activation
    belongs into the branches, not after them: there the channels differ in their law.

    Example:
        >>> import torch
        >>> from corollary.theory.kernels.infinite import Dense, network
        >>> net = network(Concat(((Dense(1.0),), (Dense(3.0),))), Dense())
        >>> net.kernel(torch.ones(1, 1).double()).nngp.item()  # (1 + 9) / 2
        5.0
    """

    widths: tuple[int, ...] | None = None  # channels of each branch; equal ones by default

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.widths is not None and len(self.widths) != len(self.branches):
            raise InputError(
                f"Concat needs one width per branch, but there are {len(self.widths)} widths and "
                f"{len(self.branches)} branches"
            )
        if min(self.widths or (1,)) < 1:
            raise InputError(f"widths must be at least 1, got {self.widths}")

    def rule(self) -> Join:
        """Kernels are averaged by the shares of channels."""
        widths = self.widths or (1,) * len(self.branches)
        return SideBySide(tuple(width / sum(widths) for width in widths))


@dataclass(frozen=True)
class MultipliedBranches(Branches):
    """Branches that are multiplied, channel by channel; see :func:`Product`."""

    def rule(self) -> Join:
        """Kernels are multiplied."""
        return MultiplyUp()


Part = Layer | Branches


def Product(branches: tuple[tuple[Part, ...], ...]) -> MultipliedBranches:  # noqa: N802 - reads as a layer
    """Branches that read the same input and are multiplied, channel by channel: gates.

    Each branch needs a layer with weights of its own, so that the factors are independent.

    Example:
        >>> import torch
        >>> from corollary.theory.kernels.infinite import Dense, network
        >>> net = network(Product(((Dense(2.0),), (Dense(3.0),))), Dense())
        >>> k = net.kernel(torch.ones(1, 1).double())
        >>> k.nngp.item(), k.ntk.item()  # 4 · 9, and 36 more for each of the three layers
        (36.0, 108.0)
    """
    return MultipliedBranches(branches)


def Residual(*branch: Part) -> Sum:  # noqa: N802 - reads as a layer
    """The input plus a branch of layers."""
    return Sum((tuple(branch), ()))
