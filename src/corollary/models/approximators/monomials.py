r"""Monomials and polynomials from finite differences of one activation.

.. math:: x^k\approx\frac1{h^k\sigma^{(k)}(b)}\sum_{j=0}^k(-1)^{k-j}\binom kj\,\sigma(jhx+b)

with k + 1 units and an error of order h on compact sets; with the nodes :math:`(j-k/2)h` the error
is of order :math:`h^2`. It needs :math:`\sigma^{(k)}(b)\ne0`. For small h digits are lost: the
weights grow like :math:`h^{-k}`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 19, steps 3 and 4;
    Leshno, Lin, Pinkus and Schocken (1993), Multilayer feedforward networks with a nonpolynomial
    activation function can approximate any function.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.models.approximators.shallow import Scalar, Superposition, joined
from corollary.theory.approximation.nonvanishing import jets
from corollary.theory.prerequisites.wellformed import check_finite


def monomial_network(
    sigma: Scalar, k: int, b: float, h: float, *, central: bool = False
) -> Superposition:
    r"""A network of k + 1 units that is close to :math:`x^k`.

    Args:
        sigma: Activation with k derivatives.
        k: Exponent.
        b: Bias of all units; :math:`\sigma^{(k)}(b)` must not vanish.
        h: Step of the difference.
        central: Whether the difference is taken about 0.

    Raises:
        InputError: if the k-th derivative vanishes at b.

    Example:
        >>> net = monomial_network(torch.exp, 2, 0.0, 1e-3, central=True)
        >>> net.units, round(net(torch.tensor([[1.5]], dtype=torch.float64)).item(), 4)
        (3, 2.25)

    :covers: monomial-finite-difference-network
    """
    if k < 0 or not h > 0:
        raise InputError(f"a monomial needs k >= 0 and a step h > 0, got k={k}, h={h:g}")
    orders = jets(sigma, torch.tensor([b], dtype=torch.float64), k)[:, 0]
    derivative, size = float(orders[k]), float(orders.abs().max())
    if abs(derivative) <= 1e-12 * max(size, 1e-300):
        raise InputError(
            f"the derivative of order {k} vanishes at b={b:g}; find_nonvanishing_point finds "
            "a bias where no derivative vanishes"
        )
    j = torch.arange(k + 1, dtype=torch.float64)
    w = h * (j - k / 2 if central else j)
    signs = [(-1.0) ** (k - i) * math.comb(k, i) for i in range(k + 1)]
    a = j.new_tensor(signs) / (h**k * derivative)
    return Superposition(sigma, w[:, None], torch.full_like(w, b), a)


def polynomial_network(
    coefficients: Float[Tensor, " n"], sigma: Scalar, b: float, h: float, *, central: bool = True
) -> Superposition:
    r"""A network close to :math:`\sum_kc_kx^k`, the sum of networks close to its monomials.

    Its error is at most :math:`\sum_k|c_k|\epsilon_k`, where :math:`\epsilon_k` is that of
    :math:`x^k`.

    Example:
        >>> c = torch.tensor([1.0, 0.0, 2.0], dtype=torch.float64)
        >>> net = polynomial_network(c, torch.exp, 0.0, 1e-3)
        >>> net.units, round(net(torch.tensor([[1.0]], dtype=torch.float64)).item(), 4)
        (4, 3.0)
    """
    check_finite("coefficients", coefficients)
    used = [k for k, c in enumerate(coefficients.tolist()) if c != 0]
    if not used:
        raise InputError("the zero polynomial needs no network; pass a coefficient that is not 0")
    parts = [monomial_network(sigma, k, b, h, central=central) for k in used]
    return joined(parts, [float(coefficients[k]) for k in used])
