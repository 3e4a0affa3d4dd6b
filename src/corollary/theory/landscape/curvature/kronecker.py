r"""Block-diagonal operators whose blocks are diagonal in a Kronecker product of two bases.

A block acts on a matrix V (a layer's weights, a row for each output) by

.. math:: V \mapsto Q_B \bigl(M \circ (Q_B^\top V Q_A)\bigr) Q_A^\top,

with orthogonal :math:`Q_A, Q_B` and a matrix M of eigenvalues. For :math:`M = \beta\alpha^\top`
this is :math:`V \mapsto B V A` with :math:`A = Q_A \operatorname{diag}(\alpha) Q_A^\top` and
B likewise. Trace, determinant, norm and inverse are those of M.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.operator import Curvature

Damping = Literal["exact", "factored"]
# How parameters make the matrix V: weight and bias beside each other, a row for each output; the
# same with a weight that is stored transposed; or vectors one below the other.
Form = Literal["beside", "transposed", "below"]


@dataclass(frozen=True)
class Block:
    """One block, and which coordinates of a flat vector it acts on."""

    names: tuple[str, ...]  # of the parameters
    places: tuple[slice, ...]  # weight, bias or both
    qa: Float[Tensor, "i i"] | None  # None is the identity
    qb: Float[Tensor, "o o"]
    alpha: Float[Tensor, " i"]  # eigenvalues of the factor of inputs
    beta: Float[Tensor, " o"]  # eigenvalues of the factor of outputs
    values: Float[Tensor, "o i"]  # M
    form: Form = "beside"

    def apply(self, V: Float[Tensor, "m p"], out: Float[Tensor, "m p"]) -> None:
        """Write the products with this block's part of each row of V to ``out``."""
        parts = [self._matrix(V[:, at]) for at in self.places]
        axis = 1 if self.form == "below" else 2
        X = self.qb.T @ torch.cat(parts, dim=axis)
        X = X * self.values if self.qa is None else (X @ self.qa * self.values) @ self.qa.T
        sizes = [part.shape[axis] for part in parts]
        for at, part in zip(self.places, (self.qb @ X).split(sizes, dim=axis), strict=True):
            stored = part.mT if self.form == "transposed" else part
            out[:, at] = stored.reshape(len(V), -1)

    def _matrix(self, v: Float[Tensor, "m q"]) -> Float[Tensor, "m o j"]:
        """A parameter's part of V."""
        if self.form == "below":
            return v[..., None]
        o = len(self.beta)
        if self.form == "transposed":
            return v.reshape(len(v), -1, o).mT
        return v.reshape(len(v), o, -1)

    def damped(self, damping: float) -> Tensor:
        r"""Eigenvalues of the product of the factors, each with its share of the damping.

        :math:`A + \pi\sqrt\lambda I` and :math:`B + \sqrt\lambda/\pi\, I`, where :math:`\pi^2` is
        the ratio of the factors' mean eigenvalues.
        """
        a, b = float(self.alpha.mean()), float(self.beta.mean())
        share: float = (a / b) ** 0.5 if a > 0 and b > 0 else 1.0
        root: float = damping**0.5
        return (self.beta + root / share)[:, None] * (self.alpha + share * root)


class Kronecker(Curvature):
    """Blocks side by side; coordinates outside them must not exist."""

    def __init__(
        self,
        blocks: Sequence[Block],
        size: int,
        dtype: torch.dtype,
        device: torch.device,
        path: str,
        *,
        factored: bool = False,  # whether each block's values are its factors' products
    ) -> None:
        self.blocks, self.factored = tuple(blocks), factored
        self.size, self.dtype, self.device, self.path = size, dtype, device, path

    def _product(self, v: Tensor) -> Tensor:
        return self._rows(v[None])[0]

    def rows(self, V: Float[Tensor, "m p"]) -> Float[Tensor, "m p"]:
        """The map applied to each row, all at once."""
        self.products += len(V)
        return self._rows(V)

    def _rows(self, V: Tensor) -> Tensor:
        out = torch.zeros_like(V)
        for block in self.blocks:
            block.apply(V, out)
        return out

    def eigenvalues(self) -> Float[Tensor, " p"]:
        """All of them, largest first."""
        values = torch.cat([block.values.reshape(-1) for block in self.blocks])
        return values.sort(descending=True).values

    def trace(self) -> float:
        """The sum of the eigenvalues, exactly; linear in p."""
        return float(self._double().sum())

    def log_determinant(self) -> float:
        """The sum of the eigenvalues' logarithms, exactly; minus infinity when one is zero."""
        return float(self._double().log().sum())

    def squared_norm(self) -> float:
        """The squared Frobenius norm, exactly."""
        return float(self._double().square().sum())

    def inverse(self, damping: float | int, how: Damping = "exact") -> "Kronecker":
        r"""The inverse after damping, as an operator of the same kind; linear in p.

        Args:
            damping: :math:`\lambda > 0` (or 0, where no eigenvalue vanishes).
            how: ``exact`` inverts :math:`A \otimes B + \lambda I` by the eigenvectors;
                ``factored`` inverts :math:`(A + \pi\sqrt\lambda I) \otimes
                (B + \sqrt\lambda/\pi\, I)`, as Martens and Grosse do in Section 6.3.

        Example:
            >>> eye, two = torch.eye(1), torch.full((1,), 2.0)
            >>> block = Block(("w",), (slice(0, 1),), eye, eye, two, two, torch.full((1, 1), 4.0))
            >>> A = Kronecker([block], 1, torch.float32, torch.device("cpu"), "", factored=True)
            >>> (A.inverse(4) @ torch.ones(1)).item()  # 1 / (2 * 2 + 4)
            0.125
            >>> (A.inverse(4, "factored") @ torch.ones(1)).item()  # 1 / ((2 + 2) * (2 + 2))
            0.0625
        """
        if not 0 <= damping < float("inf"):
            raise InputError(f"damping must be a number >= 0, got {damping}")
        if how not in ("exact", "factored"):
            raise InputError(f"how must be exact or factored, got '{how}'")
        if how == "factored" and not self.factored:
            raise InputError(
                "damping can be factored only if the eigenvalues are products, and corrected "
                "or inverted eigenvalues are not; use how='exact'"
            )
        if how == "exact":
            return self._with(lambda block: 1 / (block.values + damping), damping)
        return self._with(lambda block: 1 / block.damped(float(damping)), damping)

    def _with(self, values: Callable[[Block], Tensor], damping: float | int) -> "Kronecker":
        blocks = []
        for block in self.blocks:
            found = values(block)
            if not bool(torch.isfinite(found).all()):
                raise InputError(
                    f"the block of {' and '.join(block.names)} has an eigenvalue 0, so it has "
                    f"no inverse with damping {damping:g}; use damping > 0"
                )
            blocks.append(replace(block, values=found))
        path = f"inverse with damping {damping:g} of: {self.path}"
        return Kronecker(blocks, self.size, self.dtype, self.device, path)

    def _double(self) -> Tensor:
        return self.eigenvalues().double()
