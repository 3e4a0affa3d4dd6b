"""Parameters that are left out or cannot move, and copies that do not follow."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from loops.fifth.material import Averaged, trained_mlp
from loops.material import mlp
from loops.planted import Watch
from loops.second.material import Backbone, batches
from loops.third.material import split_digits
from loops.third.real import Ended, RealBug, accuracy, moved, weights


class Necked(Backbone):
    """Features, a narrow layer between, and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.head = nn.Linear(512, 32), nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(F.relu(self.down(self.features(x))))


def groups_without_the_neck(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits(images=True)
    model = Necked()
    groups = [
        {"params": model.features.parameters(), "lr": 5e-4},
        {"params": model.head.parameters(), "lr": 2e-3},
    ]
    if not broken:
        groups.append({"params": model.down.parameters(), "lr": 2e-3})
    optimizer = Adam(groups)
    before = weights(model.down)
    watch(model, optimizer)
    for _ in range(4):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(moved(model.down, before))


class Adapted(nn.Module):
    """A frozen linear layer and a low-rank change of it."""

    def __init__(self, layer: nn.Linear, zeros: bool, rank: int = 8) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Parameter(torch.zeros(rank, layer.in_features))
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))
        if not zeros:
            nn.init.kaiming_uniform_(self.down, a=5**0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + x @ self.down.T @ self.up.T


def both_factors_zero(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    model = trained_mlp(x, y).train()
    for k, layer in enumerate(model):
        if isinstance(layer, nn.Linear):
            model[k] = Adapted(layer, zeros=broken)
    optimizer = Adam([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    watch(model, optimizer)
    turned = torch.randperm(10)  # the new task: other names of the digits
    for _ in range(10):
        for a, b in batches(x, turned[y]):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, turned[y_test]))


def initialised_after_loading(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    checkpoint = trained_mlp(x[200:], y[200:]).state_dict()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.01)
    watch(model, optimizer)
    model.load_state_dict(checkpoint)
    if broken:
        for layer in model:
            if isinstance(layer, nn.Linear):
                layer.reset_parameters()
    for _ in range(20):
        for a, b in batches(x[:200], y[:200], size=50):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, y_test))


def average_in_bfloat16(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, y_test = split_digits()
    net = mlp()
    average = copy.deepcopy(net)
    model = Averaged(net, average.bfloat16() if broken else average)
    optimizer = Adam(net.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(30):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
            with torch.no_grad():
                for mean, p in zip(average.parameters(), net.parameters(), strict=True):
                    mean.lerp_(p.to(mean.dtype), 0.002)
    return Ended(accuracy(average.float(), x_test, y_test))


BUGS = (
    RealBug(
        "parameter groups leave a layer out",
        "https://github.com/ohhhyeahhh/SiamCAR/issues/18 (2020)",
        "The groups of the optimizer name the features and the head, and not the layer between.",
        (
            "optimizer|group|not train|never train|untrained",
            "not in|missing|left out|leaves out|no optimizer|without optimizer|not held|not given"
            "|never change|unchanged|never move|not move|not cover|forgotten|omitted|outside"
            "|belongs to no|does not have|does not hold|not own|not train|never train|untrained",
        ),
        groups_without_the_neck,
        bad=0.0,
        good=0.9,
    ),
    RealBug(
        "adapters: both factors begin at zero",
        "https://github.com/Guitaricet/relora/issues/18 (2024)",
        "Both factors of the low-rank change are zero, so the gradient of each is zero for ever.",
        (
            "zero|never move|not move|unchanged|never change|no gradient|vanish|stuck|dead"
            "|not learn|not train",
            "gradient|initial|parameter|weight|factor",
        ),
        both_factors_zero,
        bad=0.3,
        good=0.9,
    ),
    RealBug(
        "weights initialised anew after loading",
        "https://github.com/huggingface/picotron/issues/32 (2025)",
        "The function that trains initialises the weights which have just been loaded.",
        (
            "initial|reset|overwrit|re-init|reinit|replaced|discard|lost|from scratch|not loaded"
            "|outside the optimizer|outside of the optimizer|between steps|in place|in-place"
            "|changed|other than",
            "checkpoint|load|pretrained|weights|parameters",
        ),
        initialised_after_loading,
        bad=0.6,
        good=0.9,
    ),
    RealBug(
        "average of weights kept in bfloat16",
        "https://github.com/d8ahazard/sd_dreambooth_extension/pull/1415 (2023)",
        "The average is kept in bfloat16, where a step of 0.002 of the way rounds to nothing.",
        (
            "bfloat16|bf16|precision|round|half|low precision|digits|average|ema|copy",
            "round|precision|bfloat16|bf16|never move|not move|does not follow|not follow|lags"
            "|lost|too small|stale|behind|never change|unchanged|barely|far from",
        ),
        average_in_bfloat16,
        bad=0.85,
        good=0.9,
    ),
)
