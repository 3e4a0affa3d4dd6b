r"""Handwritten digits, from a linear classifier to a residual network.

Pixels are standardised, images are neither shifted nor distorted, and all 60,000 images are used
for training. The optimizer is Adam with learning rate 1e-3, a cosine schedule and batches of 128;
the loss is cross-entropy. The published figures are for networks of the same shape, without
distorted images.

:source: LeCun, Bottou, Bengio and Haffner (1998), "Gradient-based learning applied to document
    recognition", Figure 9 and the table of the MNIST web page; Simard, Steinkraus and Platt (2003),
    "Best practices for convolutional neural networks applied to visual document analysis", Table 1.
:cost: minutes
"""

from typing import Any, Literal

import torch
from torch import nn

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.real import fashion_mnist, mnist
from corollary.experiments.images._images import classify, standardised
from corollary.models.lenet5 import LeNet5
from corollary.models.mlp import MLP
from corollary.models.resnet9 import ResNet9
from corollary.models.small_cnn import SmallCNN

LECUN = "LeCun, Bottou, Bengio and Haffner (1998), Figure 9"
SIMARD = "Simard, Steinkraus and Platt (2003), Table 1"
ZALANDO = "Xiao, Rasul and Vollgraf (2017), Fashion-MNIST, README (submitted results)"
Net = Literal["linear", "MLP", "LeNet-5", "SmallCNN", "ResNet9"]


class SmallImages(Experiment):
    data: Literal["MNIST", "Fashion-MNIST"] = "MNIST"  # which images
    net: Net = "MLP"  # which classifier
    epochs: int = 20  # passes over the data
    images: int = 60_000  # of them that train
    tests: int = 10_000  # of them that test

    metric = "test error in %"
    better = "lower"
    rows = (
        Row(
            "Linear, MNIST",
            Published(12.0, LECUN, differs="squared error there"),
            net="linear",
            epochs=10,
        ),
        Row("MLP with 800 units, MNIST", Published(1.6, SIMARD)),
        Row(
            "LeNet-5, MNIST",
            Published(0.95, LECUN, differs="the paper uses tanh and radial outputs"),
            net="LeNet-5",
        ),
        Row("SmallCNN, MNIST", net="SmallCNN", epochs=10),
        Row("ResNet9, MNIST", net="ResNet9", epochs=2, images=20_000),
        Row("Linear, Fashion-MNIST", data="Fashion-MNIST", net="linear", epochs=10),
        Row(
            "MLP with 800 units, Fashion-MNIST",
            Published(10.0, ZALANDO, differs="the README uses layers of 256, 128 and 64 units"),
            data="Fashion-MNIST",
        ),
        Row(
            "LeNet-5, Fashion-MNIST",
            Published(12.4, ZALANDO, differs="the README uses two convolutions of another size"),
            data="Fashion-MNIST",
            net="LeNet-5",
        ),
        Row("SmallCNN, Fashion-MNIST", data="Fashion-MNIST", net="SmallCNN", epochs=10),
        Row("ResNet9, Fashion-MNIST", data="Fashion-MNIST", net="ResNet9", epochs=2, images=20_000),
    )
    seeds = 3
    quick = {"epochs": 1, "images": 500, "tests": 200}

    def run(self, seed: int) -> Outcome:
        load = mnist if self.data == "MNIST" else fashion_mnist
        (x, y), test = load("train"), load("test")
        shuffled = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
        some = shuffled[: self.images]
        train, test = standardised(
            (x[some, None], y[some]), (test[0][: self.tests, None], test[1][: self.tests])
        )
        return classify(
            _net(self.net, seed),
            train,
            test,
            lambda parameters: torch.optim.Adam(parameters, lr=1e-3),
            epochs=self.epochs,
            batch_size=128,
            seed=seed,
        )


def _net(name: Net, seed: int) -> nn.Module:
    how: dict[str, Any] = {"rng": torch.Generator().manual_seed(seed), "dtype": torch.float32}
    if name == "linear":
        return nn.Sequential(nn.Flatten(), MLP([784, 10], **how))
    if name == "MLP":
        return nn.Sequential(nn.Flatten(), MLP([784, 800, 10], **how))
    if name == "LeNet-5":
        return LeNet5(**how)
    if name == "SmallCNN":
        return SmallCNN(1, 10, (16, 32, 64), **how)
    return ResNet9(1, 10, **how)
