r"""A Krylov space that grows by one product at a time, keeps its basis orthogonal, and may restart.

The basis :math:`q_1, \dots, q_m` has been multiplied, :math:`A q_j = \sum_i T_{ij} q_i`, the sum
running also over *frontier* vectors :math:`q_{m+1}, \dots` that have not been multiplied yet. With
one frontier vector this is Lanczos' recurrence with full reorthogonalisation; a second one, drawn
at random, is a second look into what the first chain cannot see (a further eigenvector of a
multiple eigenvalue is orthogonal to the whole chain). For an eigenpair :math:`(\theta, s)` of
:math:`T_{mm}` the residual is known without a product:

.. math:: \|A Q s - \theta Q s\| = \|T_{F m}\, s\|, \qquad F = \text{frontier}.

:source: Paige (1971), "The computation of eigenvalues and eigenvectors of very large sparse
    matrices"; Ruhe (1979), "Implementation aspects of band Lanczos algorithms"; Wu and Simon
    (2000), "Thick-restart Lanczos method for large symmetric eigenvalue problems".
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import NotFiniteError
from corollary.theory.landscape.curvature.operator import Curvature


class Ritz(NamedTuple):
    """Eigenpairs of the map restricted to the space, in falling order."""

    values: np.ndarray
    residuals: np.ndarray
    coefficients: np.ndarray  # columns, in the basis


class Krylov:
    """See the module. ``capacity`` is the number of basis vectors that fit."""

    def __init__(self, A: Curvature, capacity: int, *, rng: Generator) -> None:
        self.A, self.rng = A, rng
        self.capacity = min(capacity, A.size)
        self.most = min(self.capacity + 8, A.size)  # with room for frontier vectors
        self.Q = torch.empty(min(self.most, 32), A.size, dtype=A.dtype, device=A.device)
        self.T = np.zeros((self.most, self.most))
        self.m = 0  # multiplied vectors; they come first
        self.held = 0  # multiplied and frontier
        self.scale = 0.0  # a lower bound of the norm of A, for what counts as zero
        self.eps = torch.finfo(A.dtype).eps

    def look(self) -> bool:
        """Add a random direction to the frontier; False if there is none left."""
        for _ in range(3):
            w = self.A.random(rng=self.rng)
            w /= w.norm()
            for _ in range(2):
                w, _, length = self._orthogonal(w)
            if length > 1e3 * self.eps and self.held < self.most:
                self._append(w / length)
                return True
        return False

    def step(self) -> bool:
        """Multiply the newest frontier vector; False if the space cannot grow."""
        if self.m == self.held and not self.look():
            return False
        self._swap(self.m, self.held - 1)
        w = self.A.product(self.Q[self.m])
        before = float(w.norm())
        if not np.isfinite(before):
            raise NotFiniteError("a product with the operator is not finite")
        w, known = self._recurrence(w)
        left = float(w.norm())
        w, c, length = self._orthogonal(w)
        c += known
        while length < 0.1 * left and length > self.nothing:  # cancelled, so inexact: once more
            left = length
            w, again, length = self._orthogonal(w)
            c += again
        self.T[: self.held, self.m] = self.T[self.m, : self.held] = c
        self.m += 1
        self.scale = max(self.scale, before)
        if length > self.nothing and self.held < self.most:
            self._append(w / length)
            self.T[self.held - 1, self.m - 1] = self.T[self.m - 1, self.held - 1] = length
        return True

    @property
    def nothing(self) -> float:
        """A length that is only rounding."""
        return 100 * self.eps * self.scale

    @property
    def full(self) -> bool:
        """Whether the next step needs a restart."""
        return not self.whole and (self.m >= self.capacity or self.held >= self.most)

    @property
    def whole(self) -> bool:
        """Whether a basis of everything fits, so that there is no need to restart."""
        return self.most == self.A.size

    def ritz(self) -> Ritz:
        """Eigenpairs in the space and their residuals."""
        values, s = np.linalg.eigh(self.T[: self.m, : self.m])
        values, s = values[::-1], s[:, ::-1]
        return Ritz(values, np.linalg.norm(self.T[self.m : self.held, : self.m] @ s, axis=0), s)

    def vectors(self, coefficients: np.ndarray) -> Float[Tensor, "p k"]:
        """Vectors with these coefficients (columns) in the basis."""
        s = torch.from_numpy(np.ascontiguousarray(coefficients)).to(self.Q)
        return self.Q[: self.m].T @ s

    def restart(self, keep: np.ndarray) -> None:
        """Shrink the multiplied part to the Ritz vectors with the indices ``keep``."""
        ritz = self.ritz()
        s, k, f = ritz.coefficients[:, keep], len(keep), self.held - self.m
        coupling = self.T[self.m : self.held, : self.m] @ s  # f x k
        frontier = self.Q[self.m : self.held].clone()
        self.Q[:k] = self.vectors(s).T
        self.Q[k : k + f] = frontier
        self.T[:] = 0.0
        self.T[:k, :k] = np.diag(ritz.values[keep])
        self.T[k : k + f, :k], self.T[:k, k : k + f] = coupling, coupling.T
        self.m, self.held = k, k + f

    def _append(self, q: Tensor) -> None:
        """A new frontier vector, coupled to nothing so far; the table grows when it is full."""
        if self.held == len(self.Q):
            more = min(len(self.Q), self.most - len(self.Q))
            self.Q = torch.cat([self.Q, self.Q.new_empty(more, self.A.size)])
        self.Q[self.held] = q
        self.T[self.held, : self.held + 1] = self.T[: self.held + 1, self.held] = 0.0
        self.held += 1

    def _recurrence(self, w: Tensor) -> tuple[Tensor, np.ndarray]:
        """Take off what symmetry says w contains, so that one pass makes the rest orthogonal.

        A single pass over all of w would let the loss of orthogonality grow from step to step.
        """
        known = self.T[: self.held, self.m].copy()
        known[self.m] = float(self.Q[self.m] @ w)
        (where,) = np.nonzero(np.abs(known) > self.nothing)
        if len(where) > 2:  # the first step after a restart
            c = torch.from_numpy(known).to(w)
            return torch.addmv(w, self.Q[: self.held].T, c, alpha=-1), known
        known[np.abs(known) <= self.nothing] = 0.0
        for i in where:
            w = torch.add(w, self.Q[i], alpha=-known[i])
        return w, known

    def _orthogonal(self, w: Tensor) -> tuple[Tensor, np.ndarray, float]:
        """The part of w outside the space, the coefficients inside it, and its length."""
        basis = self.Q[: self.held]
        c = basis @ w
        w = torch.addmv(w, basis.T, c, alpha=-1)
        return w, c.cpu().double().numpy(), float(w.norm())

    def _swap(self, i: int, j: int) -> None:
        if i != j:
            self.Q[[i, j]] = self.Q[[j, i]]
            self.T[[i, j]] = self.T[[j, i]]
            self.T[:, [i, j]] = self.T[:, [j, i]]
