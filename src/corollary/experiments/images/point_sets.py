r"""Digits as sets of points: PointNet and Deep Sets on MNIST.

Each image becomes 128 points, drawn with replacement from its pixels brighter than one half. A
point has the two coordinates of its pixel, centred and scaled to the unit ball, and a third
coordinate that is zero. The order of the points has no meaning, and the networks do not depend on
it. The page shows the share of test digits whose answer changes when the points are shuffled.

:source: Qi, Su, Mo and Guibas (2017), "PointNet: deep learning on point sets for 3D classification
    and segmentation", supplementary material, table of MNIST; Zaheer et al. (2017), "Deep sets".
:cost: minutes
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.real import mnist
from corollary.experiments.images._images import classify, predictions
from corollary.models.deep_sets import DeepSets
from corollary.models.pointnet import PointNetCls

TABLE = "Qi et al. (2017), supplementary material, MNIST"
FEWER = "the paper uses 256 points and all 60,000 digits"


class DigitsAsPoints(Experiment):
    net: Literal["PointNet", "Deep Sets"] = "PointNet"  # which network
    digits: int = 20_000  # that train
    tests: int = 10_000  # that test
    points: int = 128  # per digit
    epochs: int = 10  # passes over the data

    metric = "test error in %"
    better = "lower"
    rows = (
        Row("PointNet, MNIST as points", Published(0.78, TABLE, differs=FEWER)),
        Row("Deep Sets, MNIST as points", net="Deep Sets"),
    )
    seeds = 3
    quick = {"digits": 500, "tests": 200, "points": 32, "epochs": 1}

    def run(self, seed: int) -> Outcome:
        rng = torch.Generator().manual_seed(seed)
        (x, y), (x_test, y_test) = mnist("train"), mnist("test")
        some = torch.randperm(len(x), generator=rng)[: self.digits]
        train = clouds(x[some], self.points, rng), y[some]
        test = clouds(x_test[: self.tests], self.points, rng), y_test[: self.tests]
        net = self._net(rng)
        found = classify(
            net,
            train,
            test,
            lambda parameters: torch.optim.Adam(parameters, lr=1e-3),
            epochs=self.epochs,
            batch_size=64,
            seed=seed,
            pictures=False,
        )
        shuffled = test[0][:, torch.randperm(self.points, generator=rng)]
        changed = predictions(net, shuffled) != predictions(net, test[0])
        share = {
            "answers that change when the points are shuffled, in %": 100
            * float(changed.float().mean())
        }
        return Outcome(found.value, found.figures, numbers=found.numbers | share)

    def _net(self, rng: Generator) -> nn.Module:
        if self.net == "PointNet":
            return PointNetCls(10, align=False, head=(256,), rng=rng, dtype=torch.float32)
        widths = [3, 128, 256], [256, 128, 10]
        return DeepSets.of_widths(*widths, "mean", rng=rng, dtype=torch.float32)


def clouds(
    images: Float[Tensor, "n h w"], points: int, rng: Generator
) -> Float[Tensor, "n points 3"]:
    """Bright pixels of each image as points of the unit ball in the plane z = 0."""
    weight = (images > 0.5).flatten(1).float() + 1e-12  # an empty image still has points
    place = torch.multinomial(weight, points, replacement=True, generator=rng)
    width = images.shape[2]
    flat = torch.stack([place % width, -(place // width)], dim=2).float()
    flat = flat - flat.mean(1, keepdim=True)
    flat = flat / flat.norm(dim=2).amax(1).clamp_min(1e-6)[:, None, None]
    return torch.cat([flat, torch.zeros_like(flat[..., :1])], dim=2)
