r"""All linear regions of a network
===============================

A ReLU network is piecewise linear: each pattern of active units has its own affine map. On a plane
the pieces are convex polygons, and
:func:`~corollary.theory.expressivity.regions.plane.linear_regions` finds all polygons exactly, by
cutting polygons layer by layer. It uses no grid, so it finds even the smallest regions.

Here a network of three hidden layers with 16 units learns two interleaved spirals. Its regions are
drawn before and after training, coloured by the predicted class. The black line is the decision
boundary, which also consists of straight pieces. Training moves the borders of the regions to where
the function has to bend.
"""  # noqa: E501

import matplotlib.pyplot as plt
import torch
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from torch import Tensor, nn

from corollary.theory.expressivity.bounds import serra_upper
from corollary.theory.expressivity.regions.mosaic import Mosaic
from corollary.theory.expressivity.regions.plane import linear_regions
from corollary.train import fit

WIDTHS = (16, 16, 16)
REACH = 1.2  # regions are counted in the square [-1.2, 1.2]^2
SHADES = (("#c6dbef", "#9ecae1", "#6baed6"), ("#fdd0a2", "#fdae6b", "#fd8d3c"))


def spirals(n: int = 200) -> tuple[Tensor, Tensor]:
    """Two arms of n points each, one and a half turns."""
    rng = torch.Generator().manual_seed(0)
    t = torch.linspace(0.15, 1, n).repeat(2)
    y = torch.arange(2).repeat_interleave(n)
    angle = 3 * torch.pi * t + torch.pi * y
    x = torch.stack([t * angle.cos(), t * angle.sin()], dim=1)
    return x + 0.02 * torch.randn(2 * n, 2, generator=rng), y


def network() -> nn.Sequential:
    """Two inputs, three hidden layers, two classes."""
    torch.manual_seed(1)
    sizes = (2, *WIDTHS, 2)
    layers = [
        part
        for a, b in zip(sizes, sizes[1:], strict=False)
        for part in (nn.Linear(a, b), nn.ReLU())
    ]
    return nn.Sequential(*layers[:-1])


def draw(ax: Axes, mosaic: Mosaic, x: Tensor, y: Tensor) -> None:
    """The polygons, the boundary between classes, and the points."""
    shade = torch.arange(mosaic.count) * 7 % 3  # neighbouring regions have different shades
    colours = [SHADES[c][s] for c, s in zip(mosaic.classes(), shade, strict=True)]
    cells = PolyCollection(
        mosaic.polygons(), facecolors=colours, edgecolors="white", linewidths=0.3
    )
    ax.add_collection(cells)
    ax.add_collection(LineCollection(mosaic.boundary().tolist(), colors="black", linewidths=1.3))
    ax.scatter(*x.T, c=[("#08519c", "#a63603")[c] for c in y], s=5, linewidths=0)
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", xlabel="$x_1$")


def main(steps: int = 1500) -> dict[str, int]:
    """Count and draw the regions before and after training."""
    x, y = spirals()
    net = network()
    fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.2), layout="constrained", sharey=True)
    counts = {}
    for ax, when in zip(axes, ("before training", "after training"), strict=True):
        if when == "after training":
            adam = torch.optim.Adam(net.parameters(), lr=0.01)
            fit(net, (x, y), nn.functional.cross_entropy, adam, steps=steps)
        mosaic = linear_regions(net, REACH, decision=True)
        draw(ax, mosaic, x, y)
        counts[when] = linear_regions(net, REACH).count
        right = float((net(x).argmax(1) == y).double().mean())
        ax.set_title(f"{when}: {counts[when]} regions, {right:.0%} right")
    axes[0].set_ylabel("$x_2$")
    return counts


# %% The best upper bound (Serra, Tjandraatmadja and Ramalingam (2018)) is far larger. Some networks
# have # that many regions, but networks with random or trained weights do not.

if __name__ == "__main__":
    for when, count in main().items():
        print(f"{when}: {count} regions")
    print(f"upper bound: {serra_upper(2, WIDTHS):,}")
