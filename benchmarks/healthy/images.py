"""Pictures: classifiers, segmentation, detection, several labels, imbalance, distillation."""

import torch
from real_bugs.bug import Arguments
from real_bugs.scores import accuracy, balanced_accuracy, explained
from real_bugs.tasks import cnn, digits, mlp
from real_bugs.third.tasks import boxes
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD

from healthy.setup import Loss, SetUp, plan

TRAIN = 1200


def many_digits(images: bool = False) -> tuple[Tensor, Tensor]:
    return digits(images, n=1430)


def momentum() -> Arguments:
    model = mlp(64, 10)
    sgd = SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    return plan(model, many_digits(), nn.CrossEntropyLoss(), train=TRAIN, optimizer=sgd)


def batch_normed() -> Arguments:
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(32, 10),
    )
    return plan(model, many_digits(True), nn.CrossEntropyLoss(), train=TRAIN, steps=400)


class Residual(nn.Module):
    """Blocks beside shortcuts, whose last normalisation starts at zero."""

    def __init__(self, blocks: int = 3, width: int = 16) -> None:
        super().__init__()
        self.stem, self.head = nn.Conv2d(1, width, 3, padding=1), nn.Linear(width, 10)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(width, width, 3, padding=1, bias=False),
                nn.BatchNorm2d(width),
                nn.ReLU(),
                nn.Conv2d(width, width, 3, padding=1, bias=False),
                nn.BatchNorm2d(width),
            )
            for _ in range(blocks)
        )
        for block in self.blocks:
            nn.init.zeros_(block[-1].weight)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        for block in self.blocks:
            x = F.relu(x + block(x))
        return self.head(x.mean((2, 3)))


def residual() -> Arguments:
    model = Residual()
    sgd = SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    return plan(model, many_digits(True), nn.CrossEntropyLoss(), train=TRAIN, optimizer=sgd)


class SmallViT(nn.Module):
    """Patches of 2 × 2, a token for the class, two blocks."""

    def __init__(self, d: int = 32) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, d, 2, 2)
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        self.positions = nn.Parameter(0.02 * torch.randn(1, 17, d))
        block = nn.TransformerEncoderLayer(d, 4, 64, 0.1, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, 2, nn.LayerNorm(d), False)
        self.head = nn.Linear(d, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.positions
        return self.head(self.blocks(x)[:, 0])


def vit() -> Arguments:
    return plan(SmallViT(), many_digits(True), nn.CrossEntropyLoss(), train=TRAIN, steps=500)


def smoothed() -> Arguments:
    loss = nn.CrossEntropyLoss(label_smoothing=0.1)
    return plan(cnn(), many_digits(True), loss, train=TRAIN)


def focal(out: Tensor, y: Tensor) -> Tensor:
    log = F.log_softmax(out, 1).gather(1, y[:, None])[:, 0]
    return -((1 - log.exp()) ** 2 * log).mean()


def with_focal_loss() -> Arguments:
    return plan(cnn(), many_digits(True), Loss(focal), train=TRAIN)


def imbalanced() -> Arguments:
    """One class has a tenth of the samples; the loss weighs the classes."""
    x, y = many_digits()
    kept = (y > 2) | (torch.rand(len(y)) < 0.15)
    x, y = x[kept], y[kept]
    weight = len(y) / 10 / torch.bincount(y, minlength=10).float()
    return plan(mlp(64, 10), (x, y), nn.CrossEntropyLoss(weight=weight), train=800, steps=500)


def distilled() -> Arguments:
    """The targets are the probabilities of a teacher at temperature 2."""
    x, y = many_digits()
    teacher = 4 * F.one_hot(y, 10) + 0.7 * torch.randn(len(y), 10)
    loss = Loss(lambda out, p: F.kl_div(F.log_softmax(out, 1), p, reduction="batchmean"))
    return plan(mlp(64, 10), (x, (teacher / 2).softmax(1)), loss, train=TRAIN, steps=500)


def agrees(model: nn.Module, x: Tensor, p: Tensor) -> float:
    return float((model(x).argmax(1) == p.argmax(1)).float().mean())


class CosineHead(nn.Module):
    """Cosines to one vector of each class, times 16."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.classes = mlp(64, 16), nn.Parameter(torch.randn(10, 16))

    def forward(self, x: Tensor) -> Tensor:
        return 16 * F.normalize(self.body(x), dim=1) @ F.normalize(self.classes, dim=1).T


def cosine_head() -> Arguments:
    return plan(CosineHead(), many_digits(), nn.CrossEntropyLoss(), train=TRAIN)


def several_labels() -> Arguments:
    """Is the digit even, above 4, a prime, round?"""
    x, y = many_digits()
    asked = torch.tensor([[0, 2, 4, 6, 8], [5, 6, 7, 8, 9], [2, 3, 5, 7, 7], [0, 6, 8, 9, 9]])
    labels = torch.stack([(y[:, None] == a).any(1) for a in asked], 1).float()
    return plan(mlp(64, 4), (x, labels), nn.BCEWithLogitsLoss(), train=TRAIN, steps=400)


def labels_right(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return float(((model(x) > 0) == (y > 0.5)).float().mean())


def blobs(n: int = 500, size: int = 16) -> tuple[Tensor, Tensor]:
    """Noisy pictures, and the mask of a bright disc in each."""
    centre = torch.rand(n, 2, 1, 1) * 8 + 4
    row, column = torch.arange(size)[:, None], torch.arange(size)
    mask = (row - centre[:, 0]) ** 2 + (column - centre[:, 1]) ** 2 < 9
    return (mask + 0.5 * torch.randn(n, size, size))[:, None], mask


class UNet(nn.Module):
    """One level down and up, with a shortcut."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.down = nn.Conv2d(1, 16, 3, padding=1)
        self.middle = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.head = nn.Conv2d(32, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = F.relu(self.down(x))
        b = F.relu(self.up(F.relu(self.middle(a))))
        return self.head(torch.cat([a, b], 1))


def segmentation() -> Arguments:
    x, mask = blobs()
    return plan(UNet(2), (x, mask.long()), nn.CrossEntropyLoss(), train=400, batch_size=16)


def dice(out: Tensor, y: Tensor) -> Tensor:
    p = out.sigmoid()
    overlap = 2 * (p * y).sum((1, 2, 3)) + 1
    return (
        F.binary_cross_entropy_with_logits(out, y)
        + (1 - overlap / (p.sum((1, 2, 3)) + y.sum((1, 2, 3)) + 1)).mean()
    )


def masks() -> Arguments:
    x, mask = blobs()
    return plan(UNet(1), (x, mask[:, None].float()), Loss(dice), train=400, batch_size=16)


def pixels_right(model: nn.Module, x: Tensor, y: Tensor) -> float:
    out = model(x)
    answer = out.argmax(1) if out.shape[1] == 2 else (out > 0).float()
    return float((answer == y).float().mean())


def box_regression() -> Arguments:
    (x, y), held = boxes()
    model = nn.Sequential(cnn_body(), nn.Linear(16 * 36, 64), nn.ReLU(), nn.Linear(64, 4))
    return plan(model, (x, y), nn.SmoothL1Loss(), steps=600, held_out=held)


def cnn_body() -> nn.Sequential:
    return nn.Sequential(*list(cnn())[:-1])


SETUPS = (
    SetUp("digits, SGD with momentum", momentum, accuracy, 0.9),
    SetUp("batch-normed CNN with dropout", batch_normed, accuracy, 0.9),
    SetUp("residual blocks that start at zero", residual, accuracy, 0.9),
    SetUp("small vision transformer", vit, accuracy, 0.85),
    SetUp("label smoothing", smoothed, accuracy, 0.9),
    SetUp("focal loss", with_focal_loss, accuracy, 0.9),
    SetUp("imbalanced classes, weighted", imbalanced, balanced_accuracy, 0.85),
    SetUp("distillation", distilled, agrees, 0.85),
    SetUp("cosine classifier", cosine_head, accuracy, 0.85),
    SetUp("several labels", several_labels, labels_right, 0.9),
    SetUp("segmentation, two classes", segmentation, pixels_right, 0.95),
    SetUp("segmentation, dice and BCE", masks, pixels_right, 0.95),
    SetUp("boxes", box_regression, explained, 0.7),
)
