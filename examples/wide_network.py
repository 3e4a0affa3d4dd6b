r"""
A wide network follows its kernel
=================================

In the limit of infinite width, a network trained by gradient descent is a linear model: its tangent
kernel :math:`\Theta` does not change, and the outputs at time t follow

.. math:: f_t(x) = f_0(x) + \Theta(x, X)\,\Theta^{-1}\bigl(I - e^{-\Theta t}\bigr)(y - f_0(X)).

Networks of three widths are trained here by full-batch gradient descent on six points. The dashed
line is the prediction that was made *before* training, from the tangent kernel of the network. The
wider the network, the closer the two lines are. The last picture shows the limit itself: the mean
and the spread of all infinitely wide networks after training, together with trained networks of
width 256.
"""

import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn

from corollary.models.ntk_mlp import NTKMLP
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.kernels.infinite import Dense, Relu, network
from corollary.theory.kernels.learning import kernel_flow, wide_ensemble

WIDTHS = (16, 128, 1024)
SIGMA_W, SIGMA_B = 2**0.5, 0.3
TIME = 100.0  # steps times learning rate
RATE = 0.2


def problem() -> tuple[Tensor, Tensor, Tensor]:
    """Six points of a wave, and a grid; the line is mapped to the circle."""
    t = torch.tensor([-2.6, -1.7, -0.7, 0.4, 1.5, 2.4]).double()
    return t, torch.sin(2 * t), torch.linspace(-torch.pi, torch.pi, 121).double()


def circle(t: Tensor) -> Tensor:
    """The angle t as a point."""
    return torch.stack([t.cos(), t.sin()], dim=1)


def trained(net: nn.Module, x: Tensor, y: Tensor) -> None:
    """Gradient descent on half the squared error."""
    sgd = torch.optim.SGD(net.parameters(), lr=RATE)
    for _ in range(round(TIME / RATE)):
        sgd.zero_grad()
        (net(x)[:, 0] - y).square().sum().div(2).backward()
        sgd.step()


def made(width: int, seed: int) -> NTKMLP:
    """A network with two hidden layers in the NTK parametrisation."""
    rng = torch.Generator().manual_seed(seed)
    return NTKMLP([2, width, width, 1], sigma_w=SIGMA_W, sigma_b=SIGMA_B, rng=rng)


@torch.no_grad()
def outputs(net: nn.Module, t: Tensor) -> Tensor:
    """The network along the line."""
    return net(circle(t))[:, 0]


def compared(width: int) -> tuple[Tensor, Tensor]:
    """A trained network on the grid, and the prediction from its initial kernel."""
    t, y, grid = problem()
    net = made(width, seed=3)
    x, at = circle(t), circle(grid)
    k = empirical_ntk(net, torch.cat([at, x]))
    g = len(grid)
    before = outputs(net, torch.cat([grid, t]))
    predicted = kernel_flow(k[:g, g:], k[g:, g:], y, TIME, f0=before[g:], f0_cross=before[:g])
    trained(net, x, y)
    return outputs(net, grid), predicted


def draw_limit(ax: plt.Axes, seeds: int) -> None:
    """The distribution of trained networks at infinite width, and some finite networks."""
    t, y, grid = problem()
    limit = network(
        Dense(SIGMA_W, SIGMA_B), Relu(), Dense(SIGMA_W, SIGMA_B), Relu(), Dense(SIGMA_W, SIGMA_B)
    )
    law = wide_ensemble(limit, circle(t), y, circle(grid), t=TIME)
    spread = 2 * law.covariance.diagonal().clamp(min=0).sqrt()
    ax.fill_between(grid, law.mean - spread, law.mean + spread, alpha=0.2, label="95 % of all")
    ax.plot(grid, law.mean, "--", color="tab:blue", label="infinite width, mean")
    for seed in range(seeds):
        net = made(256, seed)
        trained(net, circle(t), y)
        label = "width 256" if seed == 0 else None
        ax.plot(grid, outputs(net, grid), color="tab:orange", linewidth=0.8, label=label)
    ax.plot(t, y, "ko", markersize=4)
    ax.set(xlabel="$x$", title="infinite width")
    ax.legend(fontsize=8, loc="upper left")


def main(seeds: int = 5) -> dict[int, float]:
    """Draw all four pictures, and return the largest distance to the prediction for each width."""
    t, y, grid = problem()
    fig, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained", sharey=True)
    gaps = {}
    for ax, width in zip(axes, WIDTHS, strict=False):
        found, predicted = compared(width)
        gaps[width] = float((found - predicted).abs().max())
        ax.plot(grid, predicted, "--", color="tab:blue", label="predicted from the start")
        ax.plot(grid, found, color="tab:orange", label="trained")
        ax.plot(t, y, "ko", markersize=4)
        ax.set(xlabel="$x$", title=f"width {width}")
    axes[0].set(ylabel="$f(x)$", ylim=(-1.7, 2.2))
    axes[0].legend(fontsize=8, loc="upper left")
    draw_limit(axes[-1], seeds)
    return gaps


# %%
# The largest distance between network and prediction shrinks as the width grows:

if __name__ == "__main__":
    for width, gap in main().items():
        print(f"width {width:4}: at most {gap:.3f} apart")
