"""Targets that are not what the loss or the task wants."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import explained
from real_bugs.second.places import PlaceLoss, Speaker
from real_bugs.second.scores import next_letter, overlap
from real_bugs.second.tasks import letters, patches
from real_bugs.tasks import mlp
from real_bugs.third.tasks import numbers, split, spoken

KIND = "targets"


def mask_from_minus_one(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = split(*patches(n=300), train=200)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2),
        nn.ReLU(),
        nn.Conv2d(8, 8, 5, padding=2),
        nn.ReLU(),
        nn.Conv2d(8, 1, 1),
    )
    return dict(
        model=model,
        data=(x, 2 * y - 1 if broken else y),  # the mask goes through Normalize(0.5, 0.5) too
        held_out=(x_held, 2 * y_held - 1 if broken else y_held),
        loss=nn.BCEWithLogitsLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=32,
        steps=150,
    )


class Listener(nn.Module):
    """Logarithms of the probabilities of four symbols and a blank, for every frame."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.rnn = nn.GRU(4, width, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * width, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rnn(x)[0]).log_softmax(-1)


class Alignment(nn.Module):
    """The loss of connectionist temporal classification; the blank is 0."""

    def forward(self, log_p: Tensor, y: Tensor) -> Tensor:
        n, frames = log_p.shape[:2]
        lengths = torch.full((n,), frames), torch.full((n,), y.shape[1])
        return F.ctc_loss(log_p.transpose(0, 1), y, *lengths, blank=0)


def understood(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of sequences that the most probable symbols, without repeats and blanks, spell."""
    best = model(x).argmax(-1).tolist()
    spelled = []
    for row in best:
        changes = [b for a, b in zip([0, *row], row, strict=False) if a != b]
        spelled.append([symbol for symbol in changes if symbol != 0])
    return sum(a == b for a, b in zip(spelled, y.tolist(), strict=True)) / len(y)


def symbol_for_blank(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = spoken()
    first = 0 if broken else 1
    model = Listener()
    return dict(
        model=model,
        data=(x, y + first),
        held_out=(x_held, y_held + first),
        loss=Alignment(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=200,
    )


def noise_as_target(broken: bool) -> Arguments:
    (x, _), (x_held, _) = numbers()
    noisy, noisy_held = (x + 0.3 * torch.randn_like(x) for x in (x, x_held))
    model = mlp(64, 64, width=128)
    return dict(
        model=model,
        data=(noisy, noisy if broken else x),
        held_out=(noisy_held, x_held),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=2e-3),
        batch_size=64,
        steps=400,
    )


def letter_itself_as_target(broken: bool) -> Arguments:
    ids, k = letters(length=25)
    model = Speaker(k)
    return dict(
        model=model,
        data=(ids[:, :-1], ids[:, :-1] if broken else ids[:, 1:]),
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=32,
        steps=150,
    )


BUGS = (
    Bug(
        "mask from minus one to one",
        "bigmb/Unet-Segmentation-Pytorch-Nest-of-Unets#18",
        KIND,
        "The mask is normalised like the picture, to -1 and 1, and the binary loss turns negative.",
        mask_from_minus_one,
        ("target|label|mask", "-1|negative|range|between 0 and 1|outside|[0, 1]|0 and 1|0 to 1"),
        overlap,
        bad=0.3,
        good=0.6,
    ),
    Bug(
        "symbol for blank",
        "buriburisuri/speech-to-text-wavenet#105",
        KIND,
        "Symbols are numbered from 0, which the alignment loss keeps for the blank.",
        symbol_for_blank,
        ("blank|ctc", "target|label|class|symbol|index|0"),
        understood,
        bad=0.5,
        good=0.85,
    ),
    Bug(
        "noise as target",
        "aapatel09/handson-unsupervised-learning#6",
        KIND,
        "A denoising autoencoder is trained to give back the noisy picture.",
        noise_as_target,
        ("target|label", "input|identical|copy|identity|noisy|same as"),
        explained,
        bad=0.4,
        good=0.6,
    ),
    Bug(
        "letter itself as target",
        "huggingface/transformers#3711",
        KIND,
        "Labels are not shifted: every letter is to be predicted from itself.",
        letter_itself_as_target,
        ("target|label", "input|identical|copy|shift|identity|leak|same as"),
        next_letter,
        bad=0.15,
        good=0.3,
    ),
)
