"""Networks whose parts are shared, spoiled or cut off by mistake."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.scores import both_tasks
from real_bugs.fourth.tasks import handwriting, split
from real_bugs.scores import explained
from real_bugs.second.scores import overlap

KIND = "wiring"


class Tasks(nn.Module):
    """Two questions about a digit with three answers each."""

    def __init__(self, shared: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU())
        first = nn.Linear(64, 3)
        self.heads = nn.ModuleList([first, first if shared else nn.Linear(64, 3)])

    def forward(self, x: Tensor) -> Tensor:
        h = self.body(x)
        return torch.stack([head(h) for head in self.heads], 1)


class TaskLoss(nn.Module):
    """Cross-entropy over all questions."""

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(out.flatten(0, 1), y.flatten())


def one_head_for_two_tasks(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = handwriting()
    model = Tasks(shared=broken)
    return dict(
        model=model,
        data=(x, torch.stack([y % 3, y // 4], 1)),
        held_out=(x_held, torch.stack([y_held % 3, y_held // 4], 1)),
        loss=TaskLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=400,
    )


class Residual(nn.Module):
    """Adds to its input a function of what is positive in it."""

    def __init__(self, width: int, inplace: bool) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            nn.ReLU(inplace=inplace), nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        out = self.inner(x)
        return out + x


def shortcut_rectified_in_place(broken: bool) -> Arguments:
    x = torch.randn(1300, 8)
    y = torch.tanh(x @ nn.init.orthogonal_(torch.empty(8, 8)))
    data, held_out = split(x, y, 300)
    blocks = [Residual(8, inplace=broken) for _ in range(3)]
    model = nn.Sequential(nn.Linear(8, 8, bias=False), *blocks, nn.Linear(8, 8))
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=700,
    )


class UNet(nn.Module):
    """Marks pixels; what is lost by pooling comes back through the shortcut."""

    def __init__(self, pooled_shortcut: bool) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU())
        self.deep = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.up = nn.Sequential(nn.Conv2d(24, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 1, 1))
        self.pooled_shortcut = pooled_shortcut

    def forward(self, x: Tensor) -> Tensor:
        fine = self.down(x)
        coarse = F.max_pool2d(fine, 2)
        shortcut = F.interpolate(coarse, scale_factor=2) if self.pooled_shortcut else fine
        deep = F.interpolate(self.deep(coarse), scale_factor=2)
        return self.up(torch.cat([shortcut, deep], 1))


def shortcut_after_pooling(broken: bool) -> Arguments:
    mask = (torch.rand(300, 1, 16, 16) < 0.12).float()  # fine grains
    picture = mask + 0.15 * torch.randn_like(mask)
    data, held_out = split(picture, mask, 60)
    model = UNet(pooled_shortcut=broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.BCEWithLogitsLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=16,
        steps=200,
    )


class Quantised(nn.Module):
    """A picture, told with one of 32 codes: its pixels, the code before and after rounding."""

    def __init__(self, codes_detached: bool, width: int = 8) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, width))
        self.decode = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 64))
        self.codes = nn.Embedding(32, width)
        self.codes_detached = codes_detached

    def forward(self, x: Tensor) -> Tensor:
        z = self.encode(x)
        nearest = self.codes(torch.cdist(z, self.codes.weight).argmin(1))
        through = z + (nearest - z).detach()
        rounded = through if self.codes_detached else nearest
        return torch.cat([self.decode(through), z, rounded], 1)


class CodeLoss(nn.Module):
    """Squared error of the pixels; codes go to the pictures and pictures to their codes."""

    def forward(self, out: Tensor, x: Tensor) -> Tensor:
        pixels, z, rounded = out.split([64, 8, 8], 1)
        codes = F.mse_loss(rounded, z.detach())
        return F.mse_loss(pixels, x) * 10 + codes + 0.25 * F.mse_loss(z, rounded.detach())


def pixels_explained(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of the variance of the pixels that is explained."""
    error = (model(x)[:, :64] - y).square().mean()
    return float(1 - error / (y - y.mean(0)).square().mean())


def codes_never_learned(broken: bool) -> Arguments:
    (x, _), (x_held, _) = handwriting()
    model = Quantised(codes_detached=broken)
    return dict(
        model=model,
        data=(x, x),
        held_out=(x_held, x_held),
        loss=CodeLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=800,
    )


BUGS = (
    Bug(
        "one head for two tasks",
        "namisan/mt-dnn#14 (Shared task-specific heads)",
        KIND,
        "Two tasks with as many classes get the same output layer and so the same answers.",
        one_head_for_two_tasks,
        ("head|output|layer|module|weight", "shared|share|tied|identical|same|equal|twice"),
        both_tasks,
        bad=0.8,
        good=0.88,
    ),
    Bug(
        "shortcut rectified in place",
        "rosinality/vq-vae-2-pytorch#60 (ResBlock with inplace relu?)",
        KIND,
        "The ReLU at the start of a block works in place and so also changes the shortcut.",
        shortcut_rectified_in_place,
        (
            "inplace|in-place|in place|shortcut|residual|skip",
            "relu|input|modif|overwrit|chang|shortcut",
        ),
        explained,
        bad=0.85,
        good=0.92,
    ),
    Bug(
        "shortcut after pooling",
        "meetps/pytorch-semseg#1 (Bug in U-Net)",
        KIND,
        "The shortcut of a U-Net is taken after the pooling, so that no fine detail passes.",
        shortcut_after_pooling,
        (
            "pool|resolution|skip|shortcut|detail|downsampl|interpolat",
            "lost|lose|pool|fine|before|resolution|coarse|detail|same",
        ),
        overlap,
        bad=0.8,
        good=0.9,
    ),
    Bug(
        "codes never learned",
        "EdoardoBotta/RQ-VAE-Recommender#24 (None gradients for codebook embeddings)",
        KIND,
        "The loss gets codes that are detached, so that the codebook stays as it was drawn.",
        codes_never_learned,
        (
            "code|embedding|parameter|weight",
            "no gradient|none|detach|never trained|not trained|unused|without gradient|gets no|"
            "not reach|receive|frozen",
        ),
        pixels_explained,
        bad=0.2,
        good=0.35,
    ),
)
