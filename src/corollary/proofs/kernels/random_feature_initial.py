r"""A linear map of a Gaussian vector is Gaussian.

:source: Lucchi (2025), Foundations of Deep Learning, proof idea of Theorem 55.
"""

from corollary.claims.kernels.random_feature_initial import Given
from corollary.core import Proof, eq, let

NEAR = 0.1  # seven deviations of a covariance over 10,000 draws


def proof(given: Given) -> Proof:
    phi, theta, factor = given
    f = factor * theta @ phi.T
    C = theta.T @ theta / len(theta)
    yield "With f = θᵀφ/√p, over the draws of θ:"
    yield let(r"\mathbb E[f(x)f(x')]", f.T @ f / len(f))
    tex = r"\tfrac1p\varphi^\top\mathbb E[\theta\theta^\top]\varphi'"
    yield eq(tex, phi @ C @ phi.T * factor**2, "linearity")
    yield eq(r"\tfrac1p\varphi^\top\varphi'", phi @ phi.T * factor**2, "𝔼θθᵀ = I", within=NEAR)
    yield eq("K(x,x')", phi @ phi.T / phi.shape[1], "the definition of the kernel")
    yield "Higher moments are those of a Gaussian, for a sum of Gaussians is one."
    yield let(r"\mathbb Ef(x)^4", (f**4).mean(0))
    yield eq(r"3K(x,x)^2", 3 * given.K.diagonal().square(), "the fourth moment", within=0.2)


def as_printed(given: Given) -> Proof:
    """Theorem 55 leaves out the factor 1/√p of the model."""
    f = given.theta @ given.phi.T
    yield let(r"\mathbb E[f(x)f(x')]", f.T @ f / len(f))
    yield eq("K(x,x')", given.K, "f = θᵀφ, as printed", within=NEAR, wrong=True)
