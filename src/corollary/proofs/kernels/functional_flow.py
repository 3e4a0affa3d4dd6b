r"""The outputs feel the parameters through the Jacobian, twice.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 58, whose proof is an idea there.
"""

import torch
from torch import Tensor

from corollary.claims.kernels.functional_flow import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.kernels.empirical.products import outputs_at, trainable


def proof(given: Given) -> Proof:
    model, x, y, velocity = given
    parts = {name: p.detach() for name, p in trainable(model).items()}
    moving = dict(zip(parts, velocity, strict=True))
    pushed = torch.func.jvp(lambda p: outputs_at(model, p, x), (parts,), (moving,))
    f, slope = pushed[0], pushed[1]
    K, rest = empirical_ntk(model, x), y - f
    yield let(r"\tfrac{d}{dt}f(X)", slope)

    def outputs(p: dict[str, Tensor]) -> Tensor:
        return outputs_at(model, p, x).flatten()

    J = torch.cat([j.flatten(1) for j in torch.func.jacrev(outputs)(parts).values()], 1)
    speed = torch.cat([v.flatten() for v in velocity])
    yield eq(r"J\dot\theta", (J @ speed)[:, None], "the chain rule")
    yield eq(r"JJ^\top(y-f)", J @ (J.T @ rest), "parameters move along the gradient")
    yield eq(r"K_t(y-f)", K @ rest, "the definition of the tangent kernel")
    yield "So the loss falls:"
    yield let(r"\tfrac{d}{dt}\tfrac12\|y-f\|^2", -(rest * slope).sum())
    yield eq(r"-(y-f)^\top K_t(y-f)", -(rest * (K @ rest)).sum(), "the chain rule")
    yield eq(r"-\|J^\top(y-f)\|^2", -(J.T @ rest).square().sum(), "K is a Gram matrix")
    yield le("0", 0.0, "a square is not negative")
