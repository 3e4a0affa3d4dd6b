"""Targets that the preparation has changed."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.scores import calm_where_false, pixels_found
from real_bugs.tasks import Data, mlp

KIND = "targets"


def patchwork(n: int, colour: Tensor, smooth: bool) -> Data:
    """Pictures of coloured squares and their masks, kept small and brought to their size."""
    small = torch.randint(len(colour), (n, 1, 6, 6)).float()
    mode = "bilinear" if smooth else "nearest"
    mask = F.interpolate(small, scale_factor=3, mode=mode).round().long()[:, 0]
    true = F.interpolate(small, scale_factor=3, mode="nearest").long()[:, 0]
    picture = colour[true].permute(0, 3, 1, 2)
    return picture + 0.1 * torch.randn_like(picture), mask


def mask_resized_smoothly(broken: bool) -> Arguments:
    colour = torch.cartesian_prod(*[torch.tensor([0.0, 1.0])] * 3)[torch.randperm(8)[:6]]
    model = nn.Sequential(
        nn.Conv2d(3, 24, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(24, 24, 1),
        nn.ReLU(),
        nn.Conv2d(24, 6, 1),
    )
    return dict(
        model=model,
        data=patchwork(200, colour, smooth=broken),
        held_out=patchwork(50, colour, smooth=False),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=16,
        steps=300,
    )


def labels_smoothed_too_much(broken: bool) -> Arguments:
    x, direction = torch.randn(1300, 8), torch.randn(8, 3)
    y = (x @ direction > 0).float()
    smoothed = 0.9 * y + (1.0 if broken else 0.1) / 3
    model = mlp(8, 3)
    return dict(
        model=model,
        data=(x[:1000], smoothed[:1000]),
        held_out=(x[1000:], y[1000:]),
        loss=nn.BCEWithLogitsLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=400,
    )


BUGS = (
    Bug(
        "mask resized smoothly",
        "ykamikawa/tf-keras-PSPNet#2 (Mask resizing interpolation problem)",
        KIND,
        "Class numbers are interpolated where two classes meet, which gives classes between them.",
        mask_resized_smoothly,
        (
            "label|target|mask|class",
            "interpolat|resiz|nearest|bilinear|blend|border|boundar|edge|mislabel|wrong|noise",
        ),
        pixels_found,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "labels smoothed too much",
        "TimDettmers/ConvE#55 (About Label Smoothing)",
        KIND,
        "Smoothing adds 1/3 to each label in place of 0.1/3: true ones are 1.23, false ones 0.33.",
        labels_smoothed_too_much,
        (
            "target|label",
            "above 1|greater than 1|outside|range|exceed|larger than 1|more than 1|smooth|[0, 1]",
        ),
        calm_where_false,
        bad=0.7,
        good=0.85,
    ),
)
