r"""Images of another size: each new pixel is a weighted mean of old ones.

Along each axis resizing is a matrix R (output by input positions), so

.. math:: K'(s, s') = \sum_{u, u'} R_{su}\,R_{s'u'}\,K(u, u'), \qquad \Theta' \text{ likewise.}

The nearest pixel has one weight per row and keeps equal positions equal; other modes mix positions.
The matrices are those of ``torch.nn.functional.interpolate``, read off the unit vectors.

:source: Novak et al. (2020), "Neural tangents: fast and easy infinite neural networks in Python"
    (``ImageResize``).
"""

from dataclasses import dataclass
from typing import Any, Literal

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.infinite.layers import Layer, keep_variances
from corollary.theory.kernels.infinite.state import State

Mode = Literal["nearest", "nearest-exact", "linear", "cubic"]
MODES = ("nearest", "nearest-exact", "linear", "cubic")


@dataclass(frozen=True)
class Resize(Layer):
    """Positions interpolated to another size; give ``size`` or ``factor``, one number per axis.

    Example:
        >>> from corollary.theory.kernels.infinite import Conv, Dense, Flatten, network
        >>> net = network(Conv(kernel=(1,)), Resize((3,), mode="linear"), Flatten(), Dense())
        >>> x = torch.tensor([[[0.0, 4.0]]]).double()  # becomes 0, 2, 4
        >>> round(net.kernel(x).nngp.item(), 9)  # the mean of their squares
        6.666666667
    """

    size: tuple[int, ...] | None = None
    factor: tuple[float, ...] | None = None
    mode: Mode = "nearest"
    align_corners: bool = False  # whether first and last positions stay where they are
    antialias: bool = False  # whether shrinking averages over all it covers

    def __post_init__(self) -> None:
        if (self.size is None) == (self.factor is None):
            raise InputError("Resize takes size=, a number of positions per axis, or factor=")
        if self.mode not in MODES:
            raise InputError(f"mode must be one of {', '.join(MODES)}, got '{self.mode}'")
        if any(not value > 0 for value in self.size or self.factor or ()):
            raise InputError(f"sizes and factors must be positive, got {self.size or self.factor}")
        if self.mode.startswith("nearest") and (self.align_corners or self.antialias):
            raise InputError("align_corners and antialias are supported only for linear and cubic")

    @property
    def mixes(self) -> bool:  # type: ignore[override]  # depends on the mode
        """Whether new positions are means of several."""
        return not self.mode.startswith("nearest")

    @property
    def count(self) -> int:
        """Axes that are resized."""
        return len(self.size or self.factor or ())

    def __call__(self, state: State) -> State:
        """The matrix of each axis, on every copy of it."""
        if state.axes != self.count:
            raise InputError(f"Resize of {self.count} axes follows a layer with {state.axes} axes")
        lengths = state.nngp.shape[state.lead : state.lead + state.axes]
        matrices = [self.matrix(n, k).to(state.nngp) for k, n in enumerate(lengths)]

        def resized(t: Tensor, lead: int, copies: int) -> Tensor:
            for copy in range(copies):
                for axis, R in enumerate(matrices):
                    t = _along(t, lead + copy * state.axes + axis, R)
            return t

        return (keep_variances(state) if self.mixes else state).positional(resized)

    def matrix(self, n: int, axis: int = 0) -> Float[Tensor, "out n"]:
        """The weights of n old positions in each new one, along one axis.

        Example:
            >>> Resize((4,)).matrix(2).tolist()
            [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
        """
        unit = torch.eye(n, dtype=torch.float64)[:, None, None]  # n images of one row
        to: dict[str, Any] = {
            "size": None if self.size is None else (1, self.size[axis]),
            "scale_factor": None if self.factor is None else (1.0, float(self.factor[axis])),
        }
        if not self.mixes:
            return F.interpolate(unit, mode=self.mode, **to)[:, 0, 0].T
        options: dict[str, Any] = {"antialias": self.antialias, "align_corners": self.align_corners}
        mode = {"linear": "bilinear", "cubic": "bicubic"}[self.mode]
        return F.interpolate(unit, mode=mode, **to, **options)[:, 0, 0].T


def _along(t: Tensor, axis: int, R: Float[Tensor, "out n"]) -> Tensor:
    return (t.movedim(axis, -1) @ R.T).movedim(-1, axis)
