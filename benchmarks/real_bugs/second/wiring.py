"""Wiring: parameters that are not trained, are not the module's own, or are shared by accident."""

from itertools import product

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.second.tasks import reviews
from real_bugs.tasks import digits, mlp

KIND = "wiring"


class Block(nn.Module):
    """Two layers and a norm; the projection may be made anew in every pass."""

    def __init__(self, on_the_fly: bool) -> None:
        super().__init__()
        self.hidden, self.norm = nn.Linear(64, 32), nn.LayerNorm(32)
        self.project = None if on_the_fly else nn.Linear(32, 32)
        self.head = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.hidden(x))
        project = nn.Linear(32, 32) if self.project is None else self.project
        return self.head(self.norm(F.relu(project(x))))


def layer_made_in_forward(broken: bool) -> Arguments:
    model = Block(on_the_fly=broken)
    return dict(
        model=model,
        data=digits(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=200,
    )


class Bilinear(nn.Module):
    """Scores by a weight matrix that is a parameter, or only a tensor."""

    def __init__(self, plain: bool) -> None:
        super().__init__()
        weight = torch.randn(8, 8, requires_grad=plain)
        self.weight = weight if plain else nn.Parameter(weight)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, pair: Tensor) -> Tensor:
        left, right = pair.chunk(2, 1)
        return ((left @ self.weight) * right).sum(1, keepdim=True) + self.bias


def weight_is_a_plain_tensor(broken: bool) -> Arguments:
    pair = torch.randn(600, 16)
    left, right = pair.chunk(2, 1)
    y = ((left @ torch.randn(8, 8)) * right).sum(1, keepdim=True)
    model = Bilinear(plain=broken)
    return dict(
        model=model,
        data=(pair, y / y.std()),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.03),
        batch_size=64,
        steps=300,
    )


class Synthesizer(nn.Module):
    """Pitch and loudness each go through layers of their own, or through the same by mistake."""

    def __init__(self, shared: bool) -> None:
        super().__init__()
        inputs = [mlp(1, 16, depth=1)] * 2 if shared else [mlp(1, 16, depth=1) for _ in range(2)]
        self.inputs, self.out = nn.ModuleList(inputs), nn.Linear(16, 1)

    def forward(self, x: Tensor) -> Tensor:
        pitch, loudness = self.inputs
        return self.out(F.relu(pitch(x[:, :1]) + loudness(x[:, 1:])))


def inputs_share_their_layers(broken: bool) -> Arguments:
    x = torch.randn(600, 2)
    model = Synthesizer(shared=broken)
    return dict(
        model=model,
        data=(x, torch.sin(2 * x[:, :1]) - x[:, 1:]),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


class BagOfWords(nn.Module):
    """Mean word vector and a linear classifier; a fresh table may be frozen as if pretrained."""

    def __init__(self, frozen: bool, words: int = 602, width: int = 8) -> None:
        super().__init__()
        table = 0.3 * torch.randn(words, width)
        self.words = nn.Embedding.from_pretrained(table, freeze=frozen, padding_idx=0)
        self.classifier = nn.Linear(width, 2)

    def forward(self, ids: Tensor) -> Tensor:
        shown = (ids > 0).sum(1, keepdim=True).clamp(min=1)
        return self.classifier(self.words(ids).sum(1) / shown)


def word_vectors_frozen(broken: bool) -> Arguments:
    model = BagOfWords(frozen=broken)
    return dict(
        model=model,
        data=reviews(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam([p for p in model.parameters() if p.requires_grad], lr=0.02),
        batch_size=64,
        steps=250,
    )


class Autoencoder(nn.Module):
    """An encoder and a decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = mlp(64, 12, depth=1), mlp(12, 64, depth=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encoder(x))


def decoder_not_in_the_optimizer(broken: bool) -> Arguments:
    x, _ = digits()
    model = Autoencoder()
    part = model.encoder if broken else model
    return dict(
        model=model,
        data=(x, x.clone()),
        loss=nn.MSELoss(),
        optimizer=Adam(part.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


class Relations(nn.Module):
    """Which entity stands in a relation to another one: products of learned vectors."""

    def __init__(self, padding: int | None) -> None:
        super().__init__()
        self.entity, self.relation = nn.Embedding(20, 24), nn.Embedding(4, 24, padding_idx=padding)
        self.out = nn.Linear(24, 20)

    def forward(self, facts: Tensor) -> Tensor:
        return self.out(self.entity(facts[:, 0]) * self.relation(facts[:, 1]))


def padding_is_a_relation(broken: bool) -> Arguments:
    facts = torch.tensor(list(product(range(20), range(4))))
    model = Relations(padding=0 if broken else None)
    return dict(
        model=model,
        data=(facts, torch.randint(20, (80,))),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.02),
        batch_size=40,
        steps=250,
    )


BUGS = (
    Bug(
        "layer made in forward",
        "pytorch/pytorch#1291",
        KIND,
        "A layer is constructed in forward, so that every pass has new random weights.",
        layer_made_in_forward,
        ("random|determin|two passes|not registered|parameters()", "layer|weight|forward|pass"),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "weight is a plain tensor",
        "shenweichen/DeepCTR-Torch#61",
        KIND,
        "The weight is a tensor that needs a gradient but is no parameter of the module.",
        weight_is_a_plain_tensor,
        ("parameter", "register|tensor|not in|missing|nn.parameter"),
        explained,
        bad=0.2,
        good=0.9,
    ),
    Bug(
        "inputs share their layers",
        "acids-ircam/ddsp_pytorch#37",
        KIND,
        "A list times two makes the layers of pitch and of loudness one and the same.",
        inputs_share_their_layers,
        ("share|tied|same module|twice|one and the same|symmetr", "layer|module|weight|input"),
        explained,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "word vectors frozen by default",
        "huggingface/optimum-graphcore#304",
        KIND,
        "Embedding.from_pretrained freezes a table that was not pretrained.",
        word_vectors_frozen,
        ("frozen|freeze|requires_grad|not trained", "embedding|words|layer|parameter"),
        accuracy,
        bad=0.7,
        good=0.8,
    ),
    Bug(
        "decoder not in the optimizer",
        "zdebruine/MMVAE#39",
        KIND,
        "The optimizer is given the parameters of the encoder only.",
        decoder_not_in_the_optimizer,
        ("optimizer", "decoder|parameter"),
        explained,
        bad=0.5,
        good=0.65,
    ),
    Bug(
        "padding is a relation",
        "ibalazevic/TuckER#17",
        KIND,
        "padding_idx is 0, where a real relation is: its vector stays zero.",
        padding_is_a_relation,
        ("padding", "embedding|relation|index|zero|0"),
        accuracy,
        bad=0.85,
        good=0.95,
    ),
)
