r"""How far a kernel moved, what it points at, how many directions it has.

With :math:`\langle K, L\rangle = \mathrm{tr}(KL)` and the Frobenius norm,

.. math:: A(K, L) = \frac{\langle K, L\rangle}{\|K\|\|L\|}, \qquad
          D(K_0, K_t) = \frac{\|K_t - K_0\|}{\|K_0\|}, \qquad
          r(K) = \frac{(\mathrm{tr}K)^2}{\mathrm{tr}K^2} .

A network that learns lazily keeps its kernel: D and 1 - A stay near 0. One that learns features
turns it towards the targets: :math:`A(K, YY^\top)` grows.

:source: Cristianini et al. (2001), "On kernel-target alignment"; Cortes, Mohri and Rostamizadeh
    (2012), "Algorithms for learning kernels based on centered alignment"; Fort et al. (2020),
    "Deep learning versus kernel learning"; Roy and Vetterli (2007), "The effective rank".
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.wording import percent


def kernel_drift(k0: Float[Tensor, "n m"], kt: Float[Tensor, "n m"]) -> float:
    """The relative change of a kernel in the Frobenius norm.

    Example:
        >>> kernel_drift(torch.eye(2), 1.5 * torch.eye(2))
        0.5
    """
    size = float(k0.norm())
    if size == 0:
        raise InputError("the drift is relative to the first kernel, but the first kernel is zero")
    return float((kt - k0).norm()) / size


def alignment(k: Float[Tensor, "n n"], l: Float[Tensor, "n n"], *, centered: bool = False) -> float:
    """The cosine of two kernels as vectors; centered, it forgets constant functions.

    Example:
        >>> round(alignment(torch.eye(4), torch.ones(4, 4)), 6)
        0.5
    """
    if centered:
        k, l = _centered(k), _centered(l)
    sizes = float(k.norm()) * float(l.norm())
    if sizes == 0:
        raise InputError("the alignment with a zero kernel is not defined")
    return float((k * l).sum()) / sizes


def target_alignment(
    k: Float[Tensor, "n n"], y: Float[Tensor, "n *c"], *, centered: bool = False
) -> float:
    r"""The alignment of a kernel with :math:`YY^\top`.

    Example:
        >>> y = torch.tensor([1.0, -1.0])
        >>> round(target_alignment(torch.outer(y, y), y), 6)
        1.0
    """
    if len(y) != len(k):
        raise InputError(f"expected one target per input, got {len(y)} targets for {len(k)} inputs")
    columns = y.reshape(len(y), -1).to(k.dtype)
    return alignment(k, columns @ columns.T, centered=centered)


def effective_rank(
    k: Float[Tensor, "n n"], kind: Literal["participation", "entropy"] = "participation"
) -> float:
    r"""The number of directions that count: :math:`(\mathrm{tr}K)^2/\mathrm{tr}K^2`, or e^entropy.

    Example:
        >>> effective_rank(torch.eye(3)), round(effective_rank(torch.eye(3), "entropy"), 6)
        (3.0, 3.0)
    """
    if kind == "participation":
        square = float((k * k.T).sum())
        if square == 0:
            raise InputError("a kernel that is zero has no effective rank")
        return float(k.trace()) ** 2 / square
    values = torch.linalg.eigvalsh(k).clamp(min=0)
    if float(values.sum()) == 0:
        raise InputError("a kernel that is zero has no effective rank")
    p = values / values.sum()
    return float(torch.special.entr(p).sum().exp())


@dataclass(frozen=True)
class Regime:
    """The kernel before and after training, on the same inputs."""

    drift: float  # |K_t - K_0| / |K_0|; 0 for a linearised network
    turn: float  # 1 - A(K_0, K_t); forgets a change of scale
    alignment_before: float  # with the targets
    alignment_after: float
    rank_before: float  # participation ratio
    rank_after: float

    def __repr__(self) -> str:
        return (
            f"{self.name}: the kernel turned by {percent(self.turn)}; alignment with the targets "
            f"{self.alignment_before:.3g} before, {self.alignment_after:.3g} after; effective rank "
            f"{self.rank_before:.3g} before, {self.rank_after:.3g} after"
        )

    @property
    def name(self) -> Literal["lazy", "mixed", "feature learning"]:
        """A word for it: the kernel turned by less than 1 %, by more than 10 %, or between."""
        if self.turn < 0.01:
            return "lazy"
        return "feature learning" if self.turn > 0.1 else "mixed"


def regime(k0: Float[Tensor, "n n"], kt: Float[Tensor, "n n"], y: Float[Tensor, "n *c"]) -> Regime:
    """Lazy or feature learning, from the tangent kernels before and after training.

    Example:
        >>> y = torch.tensor([1.0, -1.0])
        >>> regime(torch.eye(2), torch.eye(2) + 9 * torch.outer(y, y), y).name
        'feature learning'
    """
    return Regime(
        kernel_drift(k0, kt),
        1 - alignment(k0, kt),
        target_alignment(k0, y),
        target_alignment(kt, y),
        effective_rank(k0),
        effective_rank(kt),
    )


def _centered(k: Tensor) -> Tensor:
    k = k - k.mean(0, keepdim=True)
    return k - k.mean(1, keepdim=True)
