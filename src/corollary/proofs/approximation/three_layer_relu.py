r"""A table is near g, and bumps of ReLU units are near the table.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 16.
"""

import torch

from corollary.claims.approximation.three_layer_relu import Given, ThreeLayerRelu
from corollary.core import Proof, eq, le, let
from corollary.models.approximators.relu_boxes import box_error_bound, relu_three_layer
from corollary.theory.approximation.distance import quadrature_between


def proof(claim: ThreeLayerRelu, given: Given) -> Proof:
    g, eps, delta = given
    net, n, d = relu_three_layer(g, eps, delta, claim.d), round(1 / delta), claim.d
    knots = {k / n + s * net.gamma for k in range(n + 1) for s in (-1, 0, 1)}
    x, w = quadrature_between([sorted({min(max(k, 0.0), 1.0) for k in knots})] * d, nodes=2)
    low, high = net.knots[:, :, 1].detach(), net.knots[:, :, 2].detach()
    alpha, bumps = net.alpha.detach(), net.hidden(x).detach()
    inside = ((x[:, None] >= low) & (x[:, None] < high)).all(2).double()
    f, h = bumps @ alpha, inside @ alpha
    yield let(r"\|f-g\|_1", (f - g(x)).abs() @ w)
    split = (f - h).abs() @ w + (h - g(x)).abs() @ w
    yield le(r"\|f-h\|_1 + \|h-g\|_1", split, "triangle inequality")
    table = (h - g(x)).abs() @ w
    apart = alpha.abs() @ ((bumps - inside).abs() * w[:, None]).sum(0)
    tex = r"\sum_i|\alpha_i|\,\|g_i-1_{R_i}\|_1 + \|h-g\|_1"
    yield le(tex, apart + table, "the same in each box")
    ramps = [box_error_bound(a, b, net.gamma) for a, b in zip(low, high, strict=True)]
    volumes = alpha.abs() @ x.new_tensor(ramps)
    tex = r"\sum_i|\alpha_i|\bigl[\prod(s+2\gamma)-\prod s\bigr] + \|h-g\|_1"
    yield le(tex, volumes + table, "a bump differs from the box on its ramps alone", loose=4.0)
    yield le(r"\varepsilon + \|h-g\|_1", eps + table, "γ is small enough")
    yield le(r"\varepsilon + \varepsilon", 2 * eps, "g moves by at most ε in a cube", loose=2.0)
    yield "The bumps are made of trapezoids, one for each coordinate:"
    t = torch.linspace(-1, 2, 61, dtype=x.dtype)
    r = torch.relu
    trapezoid = r(t + 0.5) * 2 - r(t) * 2 - r(t - 1) * 2 + r(t - 1.5) * 2
    exact = torch.minimum((t + 0.5) * 2, (1.5 - t) * 2).clamp(0, 1)
    yield let(r"\sigma(\tfrac{t-(a-\gamma)}\gamma) - \sigma(\tfrac{t-a}\gamma) - \dots", trapezoid)
    yield eq(r"\min\{1,\tfrac{t-a+\gamma}\gamma,\tfrac{b+\gamma-t}\gamma\}_+", exact, "ReLU units")


def as_printed(given: Given) -> Proof:
    """The proof calls the units thresholds; with them the trapezoid vanishes on the box."""
    z = torch.tensor([0.3], dtype=torch.float64)
    step = [(z >= knot).double() for knot in (0.1, 0.2, 0.4, 0.5)]
    yield "On the box from 0.2 to 0.4, at 0.3:"
    yield let(r"\sigma - \sigma - \sigma + \sigma", step[0] - step[1] - step[2] + step[3])
    yield eq("1", torch.ones(1, dtype=z.dtype), "threshold units, as printed", wrong=True)
