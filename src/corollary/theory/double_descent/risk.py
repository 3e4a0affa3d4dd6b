r"""Excess risk of a linear predictor when the labels are planted.

For :math:`y=w_*^\top\varphi+\epsilon` with noise of mean 0 and variance :math:`\sigma^2` that is
independent of the features, the squared risk of :math:`w` is

.. math:: R(w)=\sigma^2+(w-w_*)^\top\Sigma(w-w_*),\qquad\Sigma=\mathbb E\,\varphi\varphi^\top

(not centred), so the best risk is :math:`\sigma^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2, Theorem 80; Bach (2024),
    Learning Theory from First Principles, Proposition 3.3.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite, check_symmetric


def excess_risk(
    w: Float[Tensor, "*r p"], w_star: Float[Tensor, " p"], Sigma: Float[Tensor, "p p"]
) -> Float[Tensor, "*r"]:
    r"""The excess :math:`\|w-w_*\|_\Sigma^2` of each predictor over the best risk.

    Args:
        w: One predictor or several.
        w_star: The planted one.
        Sigma: Second moments of the features.

    Example:
        >>> w = torch.tensor([[1.0, 1.0], [0.0, 0.0]])
        >>> excess_risk(w, torch.zeros(2), torch.tensor([[2.0, 1.0], [1.0, 3.0]])).tolist()
        [7.0, 0.0]

    :covers: excess-risk-quadratic
    """
    check_symmetric("Sigma", Sigma)
    off = w - w_star
    return ((off @ Sigma) * off).sum(dim=-1)


def misspecification(
    phi: Float[Tensor, "n p"], y: Float[Tensor, " n"], w_star: Float[Tensor, " p"]
) -> float:
    r"""The chance that planted labels would look as strange as these; near 0 they are not planted.

    What is left of the labels, :math:`y-\Phi w_*`, is regressed on the features and their products
    of two; under the planted model with normal noise its F statistic has Fisher's law, of which
    this is the upper tail. Time :math:`O(np^4)`.

    Example:
        >>> phi = torch.randn(200, 1, generator=torch.Generator().manual_seed(0)).double()
        >>> misspecification(phi, phi[:, 0] ** 2, torch.zeros(1).double()) < 1e-6
        True
    """
    from scipy.special import fdtrc

    check_finite("phi", phi)
    n, p = phi.shape
    first, second = torch.triu_indices(p, p)
    design = torch.cat([phi.new_ones(n, 1), phi, phi[:, first] * phi[:, second]], dim=1)
    k = int(torch.linalg.matrix_rank(design))
    if n <= k:
        raise InputError(f"expected more than {k} rows (independent products of features), got {n}")
    rest = y - phi @ w_star
    after = rest - design @ torch.linalg.lstsq(design, rest[:, None], driver="gelsd").solution[:, 0]
    explained = float(rest.square().sum() - after.square().sum()) / k
    left = float(after.square().sum()) / (n - k)
    if left <= 1e-24 * max(explained, 1e-300):
        return 0.0 if explained > 0 else 1.0
    return float(fdtrc(k, n - k, max(explained / left, 0.0)))
