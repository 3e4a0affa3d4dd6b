"""Attention: wrong triangles and axes, and positions along the batch."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.second.attention import Layer, Transformer
from real_bugs.second.places import PlaceLoss
from real_bugs.second.scores import from_the_past
from real_bugs.second.tasks import letters
from real_bugs.third.tasks import which_first

KIND = "attention"


class Attention(nn.Module):
    """Self-attention; places may see the past only, or, by mistake, the future only."""

    def __init__(self, width: int, heads: int, *, past: bool, axis: int) -> None:
        super().__init__()
        self.heads, self.past, self.axis = heads, past, axis
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def parts(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (self.parts(part) for part in self.qkv(x).chunk(3, -1))
        score = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        hidden = torch.ones(score.shape[-2:]).triu(1).bool()
        score = score.masked_fill(hidden if self.past else hidden.T, -torch.inf)
        mixed = score.softmax(self.axis) @ v
        return self.out(mixed.transpose(1, 2).flatten(2))


def speaker(past: bool = True, axis: int = -1) -> Arguments:
    """A causal transformer on Shakespeare."""
    ids, k = letters(rows=500, length=17)
    layers: list[nn.Module] = [Layer(32, Attention(32, 4, past=past, axis=axis)) for _ in "12"]
    model = Transformer(k, k, layers, 32)
    return dict(
        model=model,
        data=(ids[:, :-1], ids[:, 1:]),
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=150,
    )


def past_hidden(broken: bool) -> Arguments:
    return speaker(past=not broken)


def normalised_over_queries(broken: bool) -> Arguments:
    return speaker(axis=-2 if broken else -1)


class PlacedEncoder(nn.Module):
    """Tokens with waves for positions, along the sequence or along the first axis."""

    def __init__(self, along_sequence: bool, width: int = 32, longest: int = 1000) -> None:
        super().__init__()
        self.token, self.head = nn.Embedding(12, width), nn.Linear(width, 2)
        layer = nn.TransformerEncoderLayer(width, 2, 2 * width, 0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        rate = torch.exp(-torch.arange(0, width, 2) * 6.0 / width)
        turn = torch.arange(longest)[:, None] * rate
        waves = torch.stack([turn.sin(), turn.cos()], 2).flatten(1)
        self.register_buffer("waves", waves)
        self.along_sequence = along_sequence

    def forward(self, ids: Tensor) -> Tensor:
        h = self.token(ids)
        if self.along_sequence:
            h = h + self.waves[: h.shape[1]]
        else:  # as in the tutorial, where the first axis is the sequence
            h = h + self.waves[: h.shape[0], None]
        return self.head(self.encoder(h).mean(1))


def places_along_the_batch(broken: bool) -> Arguments:
    data, held_out = which_first()
    model = PlacedEncoder(along_sequence=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=2e-3),
        batch_size=64,
        steps=200,
    )


BUGS = (
    Bug(
        "past hidden",
        "pytorch/examples#649",
        KIND,
        "The causal mask is the wrong triangle: every place sees itself and the future only.",
        past_hidden,
        ("future|later|causal|next|past", "mask|leak|depend|see|transpos|triu|tril|triang"),
        from_the_past,
        bad=0.2,
        good=0.3,
    ),
    Bug(
        "normalised over queries",
        "karpathy/ng-video-lecture#42",
        KIND,
        "The softmax of the scores runs over queries: weights of the past tell about the future.",
        normalised_over_queries,
        (
            "future|later|causal|next|softmax",
            "leak|depend|see|mask|softmax|quer|axis|dim",
        ),
        from_the_past,
        bad=0.3,
        good=0.35,
    ),
    Bug(
        "places along the batch",
        "songyangco/GETNext#2",
        KIND,
        "Positions are added along the batch: tokens have none, and samples differ by their row.",
        places_along_the_batch,
        (
            "position|order|sample|batch|row|permut",
            "batch|order|depend|other|encoding|permut|same|row|neighbour|neighbor",
        ),
        accuracy,
        bad=0.7,
        good=0.85,
    ),
)
