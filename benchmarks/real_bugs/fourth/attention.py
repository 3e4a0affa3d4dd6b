"""Attention that sees nothing, the wrong sequence or one token only."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.scores import answers_at_places
from real_bugs.fourth.tasks import codes, split, sums
from real_bugs.scores import accuracy
from real_bugs.second.places import PlaceLoss
from real_bugs.second.scores import token_accuracy

KIND = "attention"


class SelfAttention(nn.Module):
    """One head; ``hidden_from`` is the diagonal from which on scores are hidden."""

    def __init__(self, width: int, hidden_from: int | None = None, scaled: str = "scores") -> None:
        super().__init__()
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.hidden_from, self.scaled = hidden_from, scaled
        for layer in (self.query, self.key, self.value):
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores, scale = q @ k.transpose(1, 2), x.shape[2] ** -0.5
        if self.hidden_from is not None:
            hidden = torch.ones_like(scores[0]).triu(self.hidden_from).bool()
            scores = scores.masked_fill(hidden, -torch.inf)
        if self.scaled == "scores":
            return (scores * scale).softmax(2) @ v
        return (scores.softmax(2) * scale) @ v


class Layers(nn.Module):
    """A small transformer with an answer at every place."""

    def __init__(
        self, tokens: int, length: int, width: int, answers: int, **options: object
    ) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
        self.attend = nn.ModuleList([SelfAttention(width, **options) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.think = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, 2 * width),
            nn.ReLU(),
            nn.Linear(2 * width, answers),
        )

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token(ids) + self.place.weight
        for attend, norm in zip(self.attend, self.norms, strict=True):
            x = x + attend(norm(x))
        return self.think(x)


def first_place_sees_nothing(broken: bool) -> Arguments:
    model = Layers(5, 10, 32, 5, hidden_from=0 if broken else 1)
    return dict(
        model=model,
        data=sums(600, 5),
        held_out=sums(200, 5),
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


class Translator(nn.Module):
    """Gives the source backwards, through attention from its places to the source."""

    def __init__(
        self, sees_source: bool, tokens: int = 8, length: int = 6, width: int = 32
    ) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
        self.encode = nn.GRU(width, width, batch_first=True)
        self.ask = nn.Embedding(length, width)
        self.attend = nn.MultiheadAttention(width, 2, batch_first=True)
        self.head = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, tokens))
        self.sees_source = sees_source

    def forward(self, ids: Tensor) -> Tensor:
        source = self.encode(self.token(ids) + self.place.weight)[0]
        asked = self.ask.weight.expand(len(ids), -1, -1)
        memory = source if self.sees_source else asked
        return self.head(asked + self.attend(asked, memory, memory, need_weights=False)[0])


def decoder_attends_to_itself(broken: bool) -> Arguments:
    source = codes(1000, 6, 8)
    data, held_out = split(source, source.flip(1), 200)
    model = Translator(sees_source=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=300,
    )


class Recall(nn.Module):
    """The answer at the last place: which value has the key asked for?"""

    def __init__(self, scaled: str, width: int = 128) -> None:
        super().__init__()
        self.layers = Layers(30, 5, width, 4, scaled=scaled)

    def forward(self, ids: Tensor) -> Tensor:
        return self.layers(ids)[:, -1]


def scaled_after_the_softmax(broken: bool) -> Arguments:
    keys, values = torch.rand(1800, 6).argsort(1)[:, :4], codes(1800, 4, 4)
    asked = torch.randint(4, (1800, 1))
    ids = torch.cat([4 * keys + values, 24 + keys.gather(1, asked)], 1)
    data, held_out = split(ids, values.gather(1, asked)[:, 0], 300)
    model = Recall("weights" if broken else "scores")
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=1e-3),
        batch_size=64,
        steps=80,
    )


BUGS = (
    Bug(
        "first place sees nothing",
        "pbloem/former#10 (Issue with masking)",
        KIND,
        "The causal mask also hides the place itself, so that the first place has no score left.",
        first_place_sees_nothing,
        (
            "mask|attention|softmax|-inf",
            "all|every|nan|-inf|diagonal|itself|empty|first|row|finite",
        ),
        token_accuracy,
        bad=0.5,
        good=0.9,
    ),
    Bug(
        "decoder attends to itself",
        "keitakurita/Practical_NLP_in_PyTorch#1 (Transformer - decoder block does not use encoder "
        "output for keys and values in attention mechanism)",
        KIND,
        "Keys and values come from the decoder, so that the answer does not depend on the source.",
        decoder_attends_to_itself,
        (
            "input|encode|source|token",
            "not depend|ignore|unused|no gradient|not used|does not reach|independent|no effect|"
            "never used|without gradient|gets no",
        ),
        answers_at_places,
        bad=0.4,
        good=0.9,
    ),
    Bug(
        "scaled after the softmax",
        "FrancescoSaverioZuppichini/ViT#2 (Is the scaling position appropriate for the attention "
        "score?)",
        KIND,
        "The weights are scaled in place of the scores, so that the softmax starts saturated.",
        scaled_after_the_softmax,
        (
            "attention|softmax|score",
            "scale|scaling|saturat|sharp|one-hot|peaked|sqrt|entropy|large|sum to",
        ),
        accuracy,
        bad=0.88,
        good=0.95,
    ),
)
