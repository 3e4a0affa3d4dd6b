r"""Backpropagation on two inputs, two hidden units and one output, every quantity by its name.

.. math:: net_{h_1}=w_{11}x_1+w_{21}x_2,\quad net_{h_2}=w_{12}x_1+w_{22}x_2,\quad
   h=\sigma(net_h),\quad net_o=w_{31}h_1+w_{32}h_2,\quad \hat y=\sigma(net_o),

with :math:`L=\tfrac12(y-\hat y)^2`. Backwards, each derivative is one product away from the last:

.. math:: \frac{\partial L}{\partial w_{31}}=(\hat y-y)\,\sigma'(net_o)\,h_1,\qquad
   \frac{\partial L}{\partial h_1}=(\hat y-y)\,\sigma'(net_o)\,w_{31},\qquad
   \frac{\partial L}{\partial w_{11}}=\frac{\partial L}{\partial h_1}\sigma'(net_{h_1})\,x_1 .

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.6; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Backpropagation.
:covers: backprop-2-2-1
"""

import math
from dataclasses import dataclass, fields, replace

from corollary.errors import InputError


@dataclass(frozen=True)
class Backprop221:
    """The six weights; ``trace`` shows a forward and a backward pass in plain numbers.

    Example:
        >>> net = Backprop221(w31=1.0)
        >>> steps = net.trace(x1=1.0, x2=0.0, y=0.0)
        >>> steps["h1"], round(steps["y_hat"], 4)
        (0.5, 0.6225)
    """

    w11: float = 0.0  # x1 to h1
    w21: float = 0.0  # x2 to h1
    w12: float = 0.0  # x1 to h2
    w22: float = 0.0  # x2 to h2
    w31: float = 0.0  # h1 to the output
    w32: float = 0.0  # h2 to the output

    def __post_init__(self) -> None:
        for field in fields(self):
            if not math.isfinite(getattr(self, field.name)):
                raise InputError(f"{field.name} must be finite, got {getattr(self, field.name)}")

    def trace(self, x1: float, x2: float, y: float) -> dict[str, float]:
        """All quantities in the order in which they are computed, by name."""
        t: dict[str, float] = {}
        t["net_h1"] = self.w11 * x1 + self.w21 * x2
        t["net_h2"] = self.w12 * x1 + self.w22 * x2
        t["h1"], t["h2"] = _sigma(t["net_h1"]), _sigma(t["net_h2"])
        t["net_o"] = self.w31 * t["h1"] + self.w32 * t["h2"]
        t["y_hat"] = _sigma(t["net_o"])
        t["L"] = 0.5 * (y - t["y_hat"]) ** 2
        # The backward pass: from the loss to the output, the hidden units, the first weights.
        t["dL/dy_hat"] = t["y_hat"] - y
        t["dL/dnet_o"] = t["dL/dy_hat"] * t["y_hat"] * (1 - t["y_hat"])
        t["dL/dw31"], t["dL/dw32"] = t["dL/dnet_o"] * t["h1"], t["dL/dnet_o"] * t["h2"]
        t["dL/dh1"], t["dL/dh2"] = t["dL/dnet_o"] * self.w31, t["dL/dnet_o"] * self.w32
        t["dL/dnet_h1"] = t["dL/dh1"] * t["h1"] * (1 - t["h1"])
        t["dL/dnet_h2"] = t["dL/dh2"] * t["h2"] * (1 - t["h2"])
        t["dL/dw11"], t["dL/dw21"] = t["dL/dnet_h1"] * x1, t["dL/dnet_h1"] * x2
        t["dL/dw12"], t["dL/dw22"] = t["dL/dnet_h2"] * x1, t["dL/dnet_h2"] * x2
        return t

    def gradients(self, x1: float, x2: float, y: float) -> dict[str, float]:
        """The six derivatives by the name of their weight."""
        steps = self.trace(x1, x2, y)
        return {field.name: steps[f"dL/d{field.name}"] for field in fields(self)}

    def gd_step(self, x1: float, x2: float, y: float, eta: float) -> "Backprop221":
        """The network after ``w <- w - eta dL/dw`` for each weight."""
        if not eta > 0:
            raise InputError(f"the learning rate must be positive, got eta={eta:g}")
        slopes = self.gradients(x1, x2, y)
        return replace(self, **{w: getattr(self, w) - eta * slopes[w] for w in slopes})


def _sigma(z: float) -> float:
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
