r"""The chain rule twice gives a linear equation, and a matrix exponential solves it.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 54.
"""

import torch
from torch import Tensor
from torch.func import grad, jacfwd

from corollary.claims.kernels.kernel_flow import Given, KernelGradientFlow
from corollary.core import Proof, eq, let


def proof(claim: KernelGradientFlow, given: Given) -> Proof:
    phi, at, y, start, g = given
    K, k = phi @ phi.T, phi @ at
    times = torch.tensor(claim.times, dtype=y.dtype)

    def loss(theta: Tensor) -> Tensor:
        return (y - phi @ g(theta)).square().sum() / 2

    yield "How the parameters move, and the output with them:"
    speed = -grad(loss)(start)
    v0 = phi @ g(start) - y
    yield let(r"\dot\theta", speed)
    yield eq(r"-\Phi^\top(f(X)-y)", -phi.T @ v0, "the chain rule; f is linear in θ")
    yield let(r"\tfrac{d}{dt}f(x)", grad(lambda theta: at @ g(theta))(start) @ speed)
    yield eq(r"-\varphi(x)^\top\Phi^\top(f(X)-y)", -at @ phi.T @ v0, "the chain rule")
    yield eq(r"-K(x,X)(f(X)-y)", -k @ v0, "the definition of the kernel")

    def error(t: Tensor) -> Tensor:
        decay: Tensor = torch.linalg.matrix_exp(-K * t)
        return decay @ v0

    yield "At the training inputs v = f(X) − y obeys v' = −Kv; its solution decays:"
    yield let(r"\tfrac{d}{dt}e^{-Kt}v_0", torch.stack([jacfwd(error)(t) for t in times]))
    errors = torch.stack([error(t) for t in times])
    yield eq(r"-Ke^{-Kt}v_0", -errors @ K, "the derivative of the exponential")
    yield "At another input the slope is integrated."
    values, V = torch.linalg.eigh(K)
    area = V * (1 - torch.exp(-values * times[:, None])[:, None, :]) / values @ V.T
    yield let(r"-\int_0^tK(x,X)e^{-Ks}v_0\,ds", -(area @ v0) @ k)
    solved = torch.linalg.solve(K, (v0 - errors).T)
    yield eq(r"K(x,X)K^{-1}(I-e^{-Kt})(y-f_0(X))", -k @ solved, "K is invertible")


def as_printed(claim: KernelGradientFlow, given: Given) -> Proof:
    """The formula of Section 7.1.2 has no f₀: it needs a start at zero."""
    phi, at, y, start, g = given
    K, k = phi @ phi.T, phi @ at
    yield "At time 0:"
    yield let("f_0(x)", at @ g(start))
    decayed = y - torch.linalg.matrix_exp(0 * K) @ y
    printed = k @ torch.linalg.solve(K, decayed)
    yield eq(r"K(x,X)K^{-1}(I-e^{-K\cdot0})y", printed, "as printed", wrong=True)
