r"""
Infinitely wide networks read digits
====================================

Training an infinitely wide network is kernel regression, and the kernel follows from the
architecture. It is the tangent kernel if all layers are trained, and the NNGP kernel if only the
last layer is trained. Nothing is random. On the 8 by 8 digits such regressions are compared with a
Gaussian kernel whose width was chosen by cross-validation, and with a network of finite width after
400 steps of Adam. The test digits are the last ones of the file, written by other people than the
training digits.

The picture shows the kernel matrix of digits sorted by class. Its blocks show that digits of one
class have similar rows, although the kernel has not seen any label.
"""

import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from corollary.data.real import digits
from corollary.theory.kernels.infinite import Conv, Dense, Flatten, Network, Relu, network
from corollary.theory.kernels.learning import ntk_regress
from corollary.train import fit

SIZES = (50, 150, 450, 1437)


def dense() -> Network:
    """Three hidden layers."""
    return network(*[Dense(2**0.5, 0.1), Relu()] * 3, Dense())


def convolutional() -> Network:
    """Three convolutions of 3 by 3 pixels."""
    return network(*[Conv(2**0.5, 0.1), Relu()] * 3, Flatten(), Dense())


def accuracy(output: Tensor, y: Tensor) -> float:
    """Share of digits whose largest output is the right one."""
    return float((output.argmax(1) == y).double().mean())


def gaussian(x: Tensor, y: Tensor, at: Tensor) -> Tensor:
    """Kernel ridge regression by scikit-learn, its width chosen by four-fold cross-validation."""
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV

    grid = {"gamma": [0.03, 0.1, 0.3], "alpha": [1e-3]}
    search = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=4)
    return torch.from_numpy(search.fit(x.flatten(1), one_hot(y, 10)).predict(at.flatten(1)))


def finite(x: Tensor, y: Tensor, at: Tensor) -> Tensor:
    """A network with three hidden layers of 128 units, trained by Adam."""
    torch.manual_seed(0)
    sizes = (64, 128, 128, 128, 10)
    layers = [
        part
        for a, b in zip(sizes, sizes[1:], strict=False)
        for part in (nn.Linear(a, b), nn.ReLU())
    ]
    net = nn.Sequential(nn.Flatten(), *layers[:-1])
    adam = torch.optim.Adam(net.parameters(), lr=3e-3)
    fit(net, (x, y), nn.functional.cross_entropy, adam, steps=400, batch_size=min(len(x), 128))
    return net(at).detach()


def wide(net: Network, which: str, x: Tensor, y: Tensor, at: Tensor) -> Tensor:
    """Regression with a kernel of ``net``."""
    targets = one_hot(y, 10).to(x.dtype) - 0.1
    return ntk_regress(net, x, targets, at, ridge=1e-3, which=which).prediction


def main() -> dict[str, list[float]]:
    """Test accuracy over the number of training digits, and the kernel matrix."""
    (x, y), (at, truth) = digits("train"), digits("test")
    x, at = x.double(), at.double()
    methods = {
        "tangent kernel, dense": lambda x, y, at: wide(
            dense(), "ntk", x.flatten(1), y, at.flatten(1)
        ),
        "NNGP kernel, dense": lambda x, y, at: wide(
            dense(), "nngp", x.flatten(1), y, at.flatten(1)
        ),
        "tangent kernel, convolutions": lambda x, y, at: wide(
            convolutional(), "ntk", x[:, None], y, at[:, None]
        ),
        "Gaussian kernel, tuned": gaussian,
        "network of width 128": lambda x, y, at: finite(x.float(), y, at.float()),
    }
    found = {
        name: [accuracy(method(x[:n], y[:n], at), truth) for n in SIZES]
        for name, method in methods.items()
    }
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for name, shares in found.items():
        left.plot(SIZES, shares, "o-", markersize=4, label=name)
    left.set(xscale="log", xlabel="training digits $n$", ylabel="test accuracy")
    left.set_xticks(SIZES, [str(n) for n in SIZES])
    left.minorticks_off()
    left.legend(fontsize=9)
    order = y[:300].argsort()
    k = dense().kernel(x[:300].flatten(1)[order]).ntk
    scale = k.diagonal().sqrt()
    picture = right.imshow((k / scale[:, None] / scale).numpy(), cmap="magma")
    fig.colorbar(picture, ax=right, label="cosine in the tangent kernel")
    right.set(title="300 digits, sorted by class", xticks=[], yticks=[])
    return found


# %%
# Accuracy on the 360 test digits with all training digits:

if __name__ == "__main__":
    for name, shares in main().items():
        print(f"{name:29} {shares[-1]:.1%}, with {SIZES[0]} digits {shares[0]:.1%}")
