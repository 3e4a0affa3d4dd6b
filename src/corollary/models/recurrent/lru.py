r"""The linear recurrent unit.

.. math:: \zeta_t=\Lambda\zeta_{t-1}+Cx_t,\qquad y_t=g\bigl(\operatorname{Re}(M\zeta_t)+Dx_t\bigr),
   \qquad\lambda_j=\exp(-e^{\nu_j}+i\varphi_j) .

A diagonal complex recurrence, trained by a scan, and a map g of the output that has all the
nonlinearity. The parametrisation keeps every :math:`|\lambda_j|` below 1 whatever the optimizer
does. C starts with rows of size :math:`\sqrt{1-|\lambda|^2}`, so that for white inputs the states
have variance 1.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
"""

import torch
from jaxtyping import Complex, Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError, InputTypeError
from corollary.models.recurrent.cell import check_sequences
from corollary.theory.seeding import as_generator
from corollary.theory.sequences.linear_system import diagonalised
from corollary.theory.sequences.scan import Method, linear_scan
from corollary.theory.sequences.stable_eigenvalues import lru_init, nu_of, stable_eigenvalues


class LRU(nn.Module):
    """``(B, T, n) -> (B, T, q)``; O(T m (n + q)) work.

    Args:
        n: Numbers of an input.
        m: Complex numbers of a state.
        q: Numbers of an output; n if it is not given.
        r_min: Smallest modulus of an eigenvalue at the start, positive.
        r_max: Largest modulus at the start, below 1.
        output: The map g; none if it is not given.

    Example:
        >>> layer = LRU(2, 8, rng=torch.Generator().manual_seed(0))
        >>> layer(torch.randn(3, 100, 2).double()).shape, bool((layer.eigenvalues.abs() < 1).all())
        (torch.Size([3, 100, 2]), True)

    :covers: linear-recurrent-unit, lru-eigenvalue-parametrization
    :test: tests/models/recurrent/test_networks.py
    """

    def __init__(
        self,
        n: int,
        m: int,
        q: int | None = None,
        *,
        r_min: float | int = 0.5,
        r_max: float | int = 0.99,
        output: nn.Module | None = None,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        q = n if q is None else q
        if n < 1 or m < 1 or q < 1:
            raise InputError(f"n, m and q must be at least 1, got n={n}, m={m}, q={q}")
        if dtype not in (torch.float32, torch.float64):
            raise InputTypeError(
                "the states are complex, and torch has complex numbers for float32 and "
                f"float64, not for {dtype}"
            )
        self.n, self.m, self.q = n, m, q
        nu, phi = lru_init(m, r_min, r_max, rng=rng, dtype=dtype)
        self.nu, self.phi = nn.Parameter(nu), nn.Parameter(phi)

        def draw(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, device=rng.device, dtype=dtype)

        size = (1 - self.eigenvalues.detach().abs() ** 2).sqrt()[:, None]
        # Pairs of real numbers, last axis (Re, Im): optimizers and files take them as they are.
        self.C = nn.Parameter(size[..., None] * draw(m, n, 2) / (2 * n) ** 0.5)
        self.M = nn.Parameter(draw(q, m, 2) / m**0.5)
        self.D = nn.Parameter(draw(q, n) / n**0.5)
        self.output = nn.Identity() if output is None else output

    @classmethod
    def of(cls, A: Float[Tensor, "m m"], B: Float[Tensor, "m n"], R: Float[Tensor, "q m"]) -> "LRU":
        """The unit with the outputs y_t = R z_t of the dense system z_t = A z_{t-1} + B x_t.

        Raises:
            InputError: if A is defective, or a modulus is not strictly between 0 and 1.
        """
        eigenvalues, P, C = diagonalised(A, B)
        layer = cls(B.shape[1], len(A), len(R), rng=torch.Generator(), dtype=A.dtype)
        with torch.no_grad():
            layer.nu.copy_(nu_of(eigenvalues.abs()))
            layer.phi.copy_(eigenvalues.angle())
            layer.C.copy_(torch.view_as_real(C))
            layer.M.copy_(torch.view_as_real(R.to(P.dtype) @ P))
            layer.D.zero_()
        return layer

    @property
    def eigenvalues(self) -> Complex[Tensor, " m"]:
        """The diagonal of the transition, inside the unit disc."""
        return stable_eigenvalues(self.nu, self.phi)

    def states(
        self,
        x: Float[Tensor, "B T n"],
        *,
        start: Complex[Tensor, "B m"] | None = None,
        method: Method = "sequential",
    ) -> Complex[Tensor, "B T m"]:
        """All states from ``start`` on, which is zero if it is not given, by a scan."""
        check_sequences(x, self.n, None)
        C = torch.view_as_complex(self.C)
        drive = x.to(C.dtype) @ C.T
        return linear_scan(self.eigenvalues.expand_as(drive), drive, start, method=method)

    def forward(self, x: Float[Tensor, "B T n"]) -> Float[Tensor, "B T q"]:
        """The outputs at every place."""
        return self.run(x)[0]

    def run(
        self, x: Float[Tensor, "B T n"], start: Complex[Tensor, "B m"] | None = None
    ) -> tuple[Float[Tensor, "B T q"], Complex[Tensor, "B m"]]:
        """The outputs, and the last state, from which the sequence can be continued."""
        zeta = self.states(x, start=start)
        read = zeta.real @ self.M[..., 0].T - zeta.imag @ self.M[..., 1].T  # Re(M zeta)
        return self.output(read + x @ self.D.T), zeta[:, -1]
