r"""
Gradient descent at the edge of stability
=========================================

On a quadratic, gradient descent with learning rate :math:`\eta` diverges as soon as the largest
eigenvalue of the Hessian, the *sharpness*, exceeds :math:`2/\eta`. A network is not a quadratic,
and something stranger happens: training first increases the sharpness to :math:`2/\eta`, and then
keeps it there. The loss no longer falls at every step, but it still falls over longer times (Cohen,
Kaur, Li, Kolter and Talwalkar (2021), "Gradient descent on neural networks typically occurs at the
edge of stability").

``EdgeOfStability`` is a callback of :func:`corollary.train.fit`. It computes the largest eigenvalue
by Lanczos, with an interval, for any module. Here the same network is trained with three learning
rates on 500 digits, with the squared loss and full batches.
"""

import matplotlib.pyplot as plt
import torch
from torch import nn

from corollary.data.real import digits
from corollary.theory.landscape.curvature import EdgeOfStability
from corollary.train import History, fit

RATES = (0.15, 0.25, 0.4)
SAMPLES = 500


def network() -> nn.Sequential:
    """Two hidden layers of tanh units, the same at each call."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Flatten(), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 10)
    )


def squared(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Half the squared distance to the one-hot label, averaged over samples."""
    wanted = nn.functional.one_hot(target, 10).to(output.dtype)
    return (output - wanted).square().sum(dim=1).mean() / 2


def draw(runs: dict[float, History]) -> None:
    """Loss and sharpness over the steps."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
    for rate, history in runs.items():
        (line,) = left.plot(history["loss"], label=f"η = {rate:g}", linewidth=1)
        at, sharpness = history.points("lambda_max")
        right.plot(at, sharpness, color=line.get_color(), linewidth=1.2, label=f"η = {rate:g}")
        right.axhline(2 / rate, color=line.get_color(), linestyle="--", linewidth=0.9)
    left.set(xlabel="step", ylabel="loss", yscale="log")
    right.set(xlabel="step", ylabel="sharpness; dashed: 2/η", ylim=(0, 2.6 / min(runs)))
    left.legend()
    right.legend()


def main(steps: int = 800) -> dict[float, History]:
    """Train with each learning rate, and measure the sharpness every 25 steps."""
    x, y = (part[:SAMPLES] for part in digits("train"))
    runs = {}
    for rate in RATES:
        net = network()
        edge = EdgeOfStability(squared, (x, y), every=25)
        sgd = torch.optim.SGD(net.parameters(), lr=rate)
        runs[rate] = fit(net, (x, y), squared, sgd, steps=steps, callbacks=[edge])
    draw(runs)
    return runs


# %%
# For every learning rate, the last measured values of the sharpness are close to :math:`2/\eta`:

if __name__ == "__main__":
    for rate, history in main().items():
        last = history["stability"][-5:]
        print(
            f"learning rate {rate:.2f}: sharpness {sum(last) / len(last):.2f} times 2/η, "
            f"loss {history['loss'][-1]:.4f}"
        )
