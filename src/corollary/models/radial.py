r"""Two hidden layers for a radial function: first the squared norm, then the profile.

The first layer interpolates :math:`x_i^2` on :math:`[-B, B]` by K rectifiers a coordinate, with an
error of at most :math:`h^2/8`, :math:`h = 2B/K`, after centring; their sum is
:math:`\|x\|^2` up to :math:`nh^2/8`. The second has a pair of rectifiers for each flip of the
profile: a ramp of width :math:`\delta` in the squared norm. No unit of the first layer sees more
than one coordinate, and there are :math:`nK + 2N` units: polynomial in n.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2; Eldan and Shamir (2016), "The
    power of depth for feedforward neural networks".
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.data.radial_shells import RadialShells
from corollary.errors import InputError


class RadialNetwork(nn.Module):
    """``n -> nK -> 2c -> 1`` with rectifiers, for a target with c flips of sign.

    Example:
        >>> shells = RadialShells(torch.tensor([1.0, -1.0]).double(), 1.0)
        >>> net = RadialNetwork(shells, n=2, K=64, delta=0.01)
        >>> x = torch.tensor([[0.1, 0.2], [0.5, 0.6]], dtype=torch.float64)
        >>> [round(v, 6) for v in net(x).tolist()], net.widths
        ([1.0, -1.0], (128, 2))

    :covers: eldan-shamir
    """

    def __init__(self, target: RadialShells, n: int, K: int, delta: float) -> None:
        super().__init__()
        if n < 1 or K < 2 or not delta > 0:
            raise InputError(f"n >= 1, K >= 2 and delta > 0 are needed, got {n=}, {K=}, {delta=}")
        B = float(target.R)
        self.h, self.delta, self.n = 2 * B / K, delta, n
        c = target.changes
        self.first = nn.Linear(n, n * K, dtype=torch.float64)
        self.second = nn.Linear(n * K, 2 * c, dtype=torch.float64)
        self.read = nn.Linear(2 * c, 1, dtype=torch.float64)
        with torch.no_grad():
            self._write(target, n, K, B)

    def _write(self, target: RadialShells, n: int, K: int, B: float) -> None:
        t = -B + self.h * torch.arange(K, dtype=torch.float64)  # bends, from -B on
        slopes = 2 * t + self.h  # of the chords of the parabola
        steps = torch.cat([slopes[:1], slopes.diff()])
        self.first.weight.copy_(torch.eye(n).double().repeat_interleave(K, dim=0))
        self.first.bias.copy_(-t.repeat(n))
        flips = target.flips.double() ** 2
        ramp = torch.stack([flips - self.delta / 2, flips + self.delta / 2], dim=1).flatten()
        self.second.weight.copy_(steps.repeat(n).expand(len(ramp), -1))
        # The chords lie above the parabola by h^2/8 on average of the extremes, n times.
        self.second.bias.copy_(n * (B * B - self.h**2 / 8) - ramp)
        signs = target.signs.double()
        jump = signs.diff()[signs.diff() != 0] / self.delta
        self.read.weight.copy_(torch.stack([jump, -jump], dim=1).flatten()[None])
        self.read.bias.fill_(float(signs[0]))

    def forward(self, x: Float[Tensor, "k n"]) -> Float[Tensor, " k"]:
        """The profile of the approximate norm."""
        out: Tensor = self.read(torch.relu(self.second(torch.relu(self.first(x)))))
        return out[:, 0]

    @property
    def widths(self) -> tuple[int, int]:
        """Units of the two hidden layers."""
        return self.first.out_features, self.second.out_features

    @property
    def blur(self) -> float:
        r"""The half width :math:`w = \delta/2 + nh^2/8` in squared norm.

        Further than this from every flip the network is the target, for points of the cube.
        """
        return self.delta / 2 + self.n * self.h**2 / 8


def radial_error_bound(net: RadialNetwork, target: RadialShells) -> float:
    r"""The bound :math:`4\,P(\exists i: |\|x\|^2 - b_i^2| \le w)` for a norm uniform in [0, R].

    The network stays between -1 and 1 (for alternating signs), so nowhere is it off by more than 2.

    Example:
        >>> shells = RadialShells(torch.tensor([1.0, -1.0]).double(), 1.0)
        >>> net = RadialNetwork(shells, n=1, K=100, delta=0.02)
        >>> round(radial_error_bound(net, shells), 3)  # about 4 * 2w/(2b), b = 1/2, w = 0.01005
        0.08
    """
    b, w, R = target.flips.double() ** 2, net.blur, float(target.R)
    low, high = (b - w).clamp(min=0).sqrt(), (b + w).sqrt().clamp(max=R)
    return 4 * float((high - low).sum()) / R
