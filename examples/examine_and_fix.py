r"""
A network that does not train, and the same one fixed
=====================================================

This network has fourteen linear layers with ReLU and PyTorch's default initialisation. Its loss on
the 8 by 8 digits stays at chance level, ln 10. ``corollary.examine`` finds the cause *before* the
first step, from one batch.

For a fan-in of :math:`d`, PyTorch draws weights of variance :math:`1/(3d)`, but a ReLU network
needs :math:`2/d`. So each layer reduces the mean square of the gradient to about a sixth. Over
fourteen layers the gradient vanishes, and the outputs for all samples become equal. The fixed
network has the same layers with He initialisation, as the examination advises.
"""

import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn

import corollary
from corollary.data.real import digits
from corollary.examine.examination import Examination
from corollary.train import fit

DEPTH, WIDTH, RATE = 14, 64, 0.01


def network(*, fixed: bool) -> nn.Sequential:
    """The deep network, with PyTorch's default initialisation or with He's."""
    torch.manual_seed(0)
    sizes = [64, *[WIDTH] * (DEPTH - 1), 10]
    linear = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:], strict=False)]
    if fixed:
        for layer in linear:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
    layers = [part for layer in linear for part in (layer, nn.ReLU())]
    return nn.Sequential(nn.Flatten(), *layers[:-1])


def draw(examined: dict[str, Examination], losses: dict[str, list[float]]) -> None:
    """The gradient that reaches each layer, and the loss during training."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
    for name, done in examined.items():
        (passage,) = [f for f in done.findings if f.exam.endswith("signal_passage") and f.figures]
        curve = next(mark for mark in passage.figures[0].marks if "gradient" in mark.label)
        left.plot(curve.x, curve.y, "o-", markersize=4, label=name)
        right.plot(losses[name], label=name)
    left.set(yscale="log", xlabel="layer", ylabel="mean square of the gradient")
    right.set(xlabel="step", ylabel="loss", ylim=(0, 3.2))
    right.axhline(torch.tensor(10.0).log(), color="gray", linewidth=0.8, label="chance, ln 10")
    left.legend()
    right.legend(loc="upper right")


def main(epochs: int = 12) -> dict[str, tuple[Examination, float]]:
    """Examine and train both networks; return the examinations and the test accuracies."""
    data: tuple[Tensor, Tensor] = digits("train")
    x, y = digits("test")
    examined, losses, accuracy = {}, {}, {}
    for name in ("as written", "fixed"):
        net = network(fixed=name == "fixed")
        examined[name] = corollary.examine(net, data, lr=RATE, only="trainability")
        sgd = torch.optim.SGD(net.parameters(), lr=RATE)
        history = fit(net, data, nn.functional.cross_entropy, sgd, epochs=epochs, batch_size=32)
        losses[name] = history["loss"]
        accuracy[name] = float((net(x).argmax(1) == y).double().mean())
    draw(examined, losses)
    return {name: (examined[name], accuracy[name]) for name in examined}


# %%
# The findings for each network, most severe first, and its accuracy after training:

if __name__ == "__main__":
    for name, (done, accuracy) in main().items():
        print(f"{name}: {done.answers()[0].verdict}; {accuracy:.1%} of the test digits right")
        for finding in done.advice():
            print(f"  {finding.severity}: {finding.title}, {finding.number}")
            print(f"    {finding.advice}")
