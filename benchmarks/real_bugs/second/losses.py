"""Losses that do not fit their targets or their batch."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.second.scores import closeness, confidence, label_accuracy, overlap
from real_bugs.second.tasks import patches
from real_bugs.tasks import digits, mlp

KIND = "loss function"


def segmenter() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 1, 1),
    )


def mask_of_bytes(broken: bool) -> Arguments:
    x, mask = patches()
    model = segmenter()
    return dict(
        model=model,
        data=(x, 255 * mask if broken else mask),
        loss=nn.BCEWithLogitsLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=32,
        steps=150,
    )


class Dice(nn.Module):
    """Overlap of mask and prediction, as a loss: less where the overlap is larger, or not."""

    def __init__(self, reward: bool) -> None:
        super().__init__()
        self.reward = reward

    def forward(self, out: Tensor, mask: Tensor) -> Tensor:
        p = out.sigmoid()
        dice = 2 * (p * mask).sum() / (p.square().sum() + mask.sum() + 1e-6)
        return dice if self.reward else 1 - dice


def dice_not_subtracted(broken: bool) -> Arguments:
    model = segmenter()
    return dict(
        model=model,
        data=patches(),
        loss=Dice(reward=broken),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=32,
        steps=150,
    )


def softmax_for_several_labels(broken: bool) -> Arguments:
    x = torch.randn(600, 12)
    y = (x @ torch.randn(12, 6) + 1.5 > 0).float()
    model = nn.Sequential(*mlp(12, 6), nn.Softmax(dim=1) if broken else nn.Sigmoid())
    return dict(
        model=model,
        data=(x, y),
        loss=nn.BCELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def divergence_of_probabilities(broken: bool) -> Arguments:
    x = torch.randn(600, 10)
    teacher = (x @ torch.randn(10, 5) / 3).softmax(1)
    model = nn.Sequential(*mlp(10, 5), nn.Softmax(dim=1) if broken else nn.LogSoftmax(dim=1))
    return dict(
        model=model,
        data=(x, teacher),
        loss=nn.KLDivLoss(reduction="batchmean"),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


class Twins(nn.Module):
    """Embeds both halves of a pair with the same layers."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = mlp(64, 16)

    def forward(self, pair: Tensor) -> Tensor:
        return self.embed(pair)  # n 2 16


class PairLoss(nn.Module):
    """Pulls pairs of target 1 together and pushes those of target -1 apart."""

    def __init__(self) -> None:
        super().__init__()
        self.loss = nn.CosineEmbeddingLoss(margin=0.2)

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        return self.loss(out[:, 0], out[:, 1], y)


def unlike_pairs_labelled_zero(broken: bool) -> Arguments:
    x, y = digits()
    first, other = torch.randint(len(y), (2, 2000))
    alike = y[first] == y[other]
    keep = alike | (torch.rand(2000) < 0.12)
    pairs, alike = torch.stack([x[first], x[other]], 1)[keep], alike[keep]
    model = Twins()
    return dict(
        model=model,
        data=(pairs, torch.where(alike, 1.0, 0.0 if broken else -1.0)),
        loss=PairLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


def pair_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    out = model(x)
    return float(((F.cosine_similarity(out[:, 0], out[:, 1]) > 0.6) == (y > 0)).float().mean())


class Cosine(nn.Module):
    """Logits are cosines of features and class vectors, times a scale."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.body, self.scale = mlp(64, 32), scale
        self.classes = nn.Parameter(torch.randn(10, 32))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * F.normalize(self.body(x)) @ F.normalize(self.classes).T


def cosines_as_logits(broken: bool) -> Arguments:
    model = Cosine(1.0 if broken else 16.0)
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=250,
    )


def summed_over_the_batch(broken: bool) -> Arguments:
    model = mlp(64, 10)
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(reduction="sum" if broken else "mean"),
        optimizer=SGD(model.parameters(), lr=0.2),
        batch_size=256,
        steps=250,
    )


BUGS = (
    Bug(
        "mask of 0 and 255",
        "MontaEllis/Pytorch-Medical-Segmentation#8",
        KIND,
        "Masks read as bytes are given to a binary loss, which turns negative without end.",
        mask_of_bytes,
        ("target|label|mask", "0 and 1|0 to 1|[0, 1]|between 0|255|range|outside"),
        overlap,
        bad=0.4,
        good=0.8,
    ),
    Bug(
        "Dice coefficient taken for the loss",
        "IAmSuyogJadhav/3d-mri-brain-tumor-segmentation-using-autoencoder-regularization#7",
        KIND,
        "The overlap itself is minimised, so that training makes the masks worse.",
        dice_not_subtracted,
        ("loss", "sign|better|worse|opposite|maximi|minimi|reward|wrong direction|perfect"),
        overlap,
        bad=0.2,
        good=0.8,
    ),
    Bug(
        "softmax for several labels",
        "HaojiHu/Sets2Sets#3",
        KIND,
        "Labels that may hold together are predicted by a softmax, whose parts sum to 1.",
        softmax_for_several_labels,
        ("softmax", "label|sigmoid|sum|exclusive"),
        label_accuracy,
        bad=0.6,
        good=0.9,
    ),
    Bug(
        "divergence of probabilities",
        "microsoft/ProDA#20",
        KIND,
        "KLDivLoss, which wants logarithms, is given the softmax of the student.",
        divergence_of_probabilities,
        ("log", "softmax|probabilit|kldiv|divergence"),
        closeness,
        bad=-0.1,
        good=-0.05,
    ),
    Bug(
        "unlike pairs labelled 0",
        "pytorch/pytorch#23782",
        KIND,
        "CosineEmbeddingLoss ignores pairs whose target is 0; it wants 1 and -1.",
        unlike_pairs_labelled_zero,
        ("target|label", "-1|ignored|no loss|no effect|contribute"),
        pair_accuracy,
        bad=0.65,
        good=0.8,
    ),
    Bug(
        "cosines as logits",
        "ExplainableML/czsl#30",
        KIND,
        "Cosines between -1 and 1 are the logits: no probability can come near 1.",
        cosines_as_logits,
        ("logit|output|cosine", "scale|range|bounded|between -1|temperature|reach"),
        confidence,
        bad=0.5,
        good=0.8,
    ),
    Bug(
        "loss summed over the batch",
        "jax-ml/jax#3113",
        KIND,
        "The loss is a sum over 256 samples with a learning rate meant for their mean.",
        summed_over_the_batch,
        ("sum|reduction", "batch|mean|learning rate"),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
)
