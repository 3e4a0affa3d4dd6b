"""Outputs: activations and normalisations that cannot give what is asked."""

from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import digits, house_prices, mlp

KIND = "activation function"


class Lenet(nn.Module):
    """A small convolutional network whose logits may be rectified."""

    def __init__(self, rectified: bool) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 16, 3)
        self.fc1, self.fc2, self.rectified = nn.Linear(64, 32), nn.Linear(32, 10), rectified

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        x = self.fc2(F.relu(self.fc1(x)))
        return F.relu(x) if self.rectified else x


def rectified_logits(broken: bool) -> Arguments:
    model = Lenet(rectified=broken)
    return dict(
        model=model,
        data=digits(images=True),
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.05, momentum=0.9),
        batch_size=64,
        steps=300,
    )


def no_negative_pixels(broken: bool) -> Arguments:
    x, _ = digits()
    x = (x - x.mean()) / x.std()
    model = nn.Sequential(
        *mlp(64, 24, depth=1), nn.ReLU(), nn.Linear(24, 64), nn.ReLU() if broken else nn.Identity()
    )
    return dict(
        model=model,
        data=(x, x.clone()),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def layer_norm_of_one_feature(broken: bool) -> Arguments:
    x, price = house_prices()
    model = nn.Sequential(*mlp(6, 1), nn.LayerNorm(1) if broken else nn.Identity())
    return dict(
        model=model,
        data=(x, (price - price.mean()) / price.std()),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def norm_of_one_pixel(broken: bool) -> Arguments:
    width = 16
    model = nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, width, 8),  # 1 by 1 pixels are left
        nn.GroupNorm(width if broken else 1, width),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(width, 10),
    )
    return dict(
        model=model,
        data=digits(images=True),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=200,
    )


BUGS = (
    Bug(
        "rectified logits",
        "martinwicke/tf-dev-summit-tensorboard-tutorial#3",
        KIND,
        "A ReLU stands between the last layer and the softmax; classes die for good.",
        rectified_logits,
        ("relu|negative|non-negative", "last|output|logit|final"),
        accuracy,
        bad=0.9,
        good=0.95,
    ),
    Bug(
        "no negative pixels",
        "mikesj-public/convolutional_autoencoder#9",
        KIND,
        "Pictures are standardised, but the ReLU that ends the decoder gives nothing below 0.",
        no_negative_pixels,
        ("relu|negative|range|reach", "output|last|target"),
        explained,
        bad=0.6,
        good=0.7,
    ),
    Bug(
        "layer norm of one feature",
        "pytorch/pytorch#108956",
        "layers",
        "A layer norm over a single feature gives its bias whatever goes in.",
        layer_norm_of_one_feature,
        ("norm", "one feature|single|constant|size 1|1 feature|same output|one element"),
        explained,
        bad=0.05,
        good=0.7,
    ),
    Bug(
        "norm of one pixel",
        "pytorch/pytorch#19250",
        "layers",
        "A group norm with one channel per group, on 1 by 1 pixels, gives zeros.",
        norm_of_one_pixel,
        ("norm", "group|one element|single|zero|constant|1 by 1|same output"),
        accuracy,
        bad=0.3,
        good=0.9,
    ),
)
