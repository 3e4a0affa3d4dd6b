r"""The recursions of the NNGP and of the neural tangent kernel of a multilayer perceptron.

With fan-in scaling and :math:`(z, z') \sim N(0, \Sigma^{l-1})` on the pair of inputs,

.. math:: \Sigma^1 = \sigma_w^2\langle x, x'\rangle/d + \sigma_b^2, \qquad
          \Sigma^l = \sigma_w^2E[\phi(z)\phi(z')] + \sigma_b^2, \\
          \Theta^1 = \Sigma^1, \qquad
          \Theta^l = \Theta^{l-1}\,\sigma_w^2E[\phi'(z)\phi'(z')] + \Sigma^l .

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3, Theorems 57 and 58; Lee et al.
    (2018), "Deep neural networks as Gaussian processes"; Jacot, Gabriel and Hongler (2018),
    "Neural tangent kernel: convergence and generalization in neural networks", Theorem 1.
"""

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.infinite import Activation, Dense, Kernels, Network, Relu, network


def perceptron(
    depth: int,
    phi: Activation | None = None,
    sigma_w: float = 2**0.5,
    sigma_b: float = 0.0,
) -> Network:
    """``depth`` dense layers with an activation between them, at infinite width."""
    if depth < 1:
        raise InputError(f"a network needs at least one layer, got depth={depth}")
    dense = Dense(sigma_w, sigma_b)
    return network(dense, *((phi or Relu()), dense) * (depth - 1))


def nngp_kernel(
    x: Float[Tensor, "n d"],
    depth: int,
    phi: Activation | None = None,
    sigma_w: float = 2**0.5,
    sigma_b: float = 0.0,
) -> Float[Tensor, "n n"]:
    r"""The covariance :math:`\Sigma^L` of the outputs at initialisation.

    Example:
        >>> import torch
        >>> round(nngp_kernel(torch.tensor([[1.0, 1.0]]), 3).item(), 5)  # He scaling keeps 2 |x|²/d
        2.0

    :covers: nngp-recursion
    :erratum: [typo] Theorem 57 prints the first kernel without the factor 1/d of its fan-in
        scaling: for x = (1, 1) and sigma_w^2 = 2 the variance of the first layer is 2, not 4.
    """
    return perceptron(depth, phi, sigma_w, sigma_b).nngp(x)


def ntk_kernel(
    x: Float[Tensor, "n d"],
    depth: int,
    phi: Activation | None = None,
    sigma_w: float = 2**0.5,
    sigma_b: float = 0.0,
) -> Kernels:
    r"""Both :math:`\Sigma^L` and :math:`\Theta^L`.

    Example:
        >>> import torch
        >>> round(ntk_kernel(torch.tensor([[1.0, 1.0]]), 3).ntk.item(), 5)  # L times 2
        6.0

    :covers: ntk-recursion
    :erratum: [notation] The definition leaves out the base case and the layers' superscripts, and
        Table 7.1 and Theorem 58 write Theta^{L+1} for a network whose output was f^L.
    """
    return perceptron(depth, phi, sigma_w, sigma_b).kernel(x)
