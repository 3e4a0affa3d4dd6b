r"""The effect of residual connections: networks with and without them on photographs.

The data is a JPEG subset of CIFAR-10 with 5,000 photographs for training and 2,000 for testing. The
two deep networks see them at 16 x 16 pixels. They have 56 layers of 3 x 3 convolutions in three
stages of 16, 32 and 64 channels, and only one of them has a residual connection around every two
layers. Errors on a part of the data cannot be compared with published ones; what matters is the gap
between the two networks. ResNet9 and a small vision transformer see the photographs at full size.

:source: He, Zhang, Ren and Sun (2016), "Deep residual learning for image recognition", Section
    4.2; Dosovitskiy et al. (2021), "An image is worth 16x16 words: transformers for image
    recognition at scale".
:cost: minutes
"""

from typing import Any, Literal

import torch
from torch import Generator, nn
from torch.nn import functional as F

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.cifar10 import cifar10_jpeg
from corollary.experiments.images._images import classify, standardised
from corollary.models.mlp import LinearLayer
from corollary.models.resnet import BasicBlock, conv_bn
from corollary.models.resnet9 import ResNet9
from corollary.models.transformers.vit import ViT

TABLE_6 = "He, Zhang, Ren and Sun (2016), Table 6"
PART = "the paper uses all 50,000 photographs at full size, shifted and mirrored, for 64,000 steps"
Net = Literal["residual", "plain", "ResNet9", "ViT"]


class Photographs(Experiment):
    net: Net = "residual"  # which network
    blocks: int = 9  # of two layers in each of the three stages
    photographs: int = 5000  # that train
    tests: int = 2000  # that test
    epochs: int = 8  # passes over the data

    metric = "test error in %"
    better = "lower"
    rows = (
        Row("ResNet-56, part of CIFAR-10", Published(6.97, TABLE_6, differs=PART)),
        Row("Plain net of 56 layers, part of CIFAR-10", net="plain"),
        Row("ResNet9, part of CIFAR-10", net="ResNet9", epochs=2),
        Row("ViT, part of CIFAR-10", net="ViT", epochs=15),
    )
    seeds = 3
    quick = {"blocks": 1, "photographs": 200, "tests": 100, "epochs": 1}

    def run(self, seed: int) -> Outcome:
        rng = torch.Generator().manual_seed(seed)
        (x, y), (x_test, y_test) = cifar10_jpeg("train"), cifar10_jpeg("test")
        some = torch.randperm(len(x), generator=rng)[: self.photographs]
        others = torch.randperm(len(x_test), generator=torch.Generator().manual_seed(0))
        others = others[: self.tests]  # the same photographs for every seed
        x, x_test = x[some], x_test[others]
        if self.net in ("residual", "plain"):
            x, x_test = F.avg_pool2d(x, 2), F.avg_pool2d(x_test, 2)
        return classify(
            self._net(rng),
            *standardised((x, y[some]), (x_test, y_test[others])),
            lambda parameters: torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.05),
            epochs=self.epochs,
            batch_size=64,
            seed=seed,
        )

    def _net(self, rng: Generator) -> nn.Module:
        how: dict[str, Any] = {"rng": rng, "dtype": torch.float32}
        if self.net == "ResNet9":
            return ResNet9(3, 10, **how)
        if self.net == "ViT":
            return ViT(32, 4, 96, 4, 10, channels=3, heads=4, **how)
        return deep_net(self.blocks, rng, residual=self.net == "residual")


def deep_net(blocks: int, rng: Generator, *, residual: bool) -> nn.Sequential:
    """A network of 6 ``blocks`` + 2 layers in three stages; the size is halved between stages."""
    how: dict[str, Any] = {"rng": rng, "dtype": torch.float32}
    layers: list[nn.Module] = [*conv_bn(3, 16, **how), nn.ReLU()]
    read = 16
    for width in (16, 32, 64):
        for _ in range(blocks):
            stride = 2 if width != read else 1
            if residual:
                layers.append(BasicBlock(read, width, stride=stride, **how))
            else:
                layers += [*conv_bn(read, width, stride=stride, **how), nn.ReLU()]
                layers += [*conv_bn(width, width, **how), nn.ReLU()]
            read = width
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), LinearLayer(64, 10, bias=True, **how)
    )
