"""Attention: masks, heads, axes and positions."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.second.places import PlaceLoss
from real_bugs.second.scores import from_the_past
from real_bugs.second.tasks import letters, recalls

KIND = "attention"


class Attention(nn.Module):
    """Self-attention by hand, with the mistakes that hands make."""

    def __init__(
        self, width: int, heads: int, *, split: bool = True, fill: float | None = None
    ) -> None:
        super().__init__()
        self.heads, self.split, self.fill = heads, split, fill
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def parts(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        if not self.split:  # a view alone cuts tokens into pieces of other tokens
            return x.reshape(n, self.heads, length, width // self.heads)
        return x.view(n, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (self.parts(part) for part in self.qkv(x).chunk(3, -1))
        score = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if self.fill is not None:
            future = torch.ones(score.shape[-2:]).triu(1).bool()
            score = score.masked_fill(future, self.fill)
        mixed = score.softmax(-1) @ v
        joined = mixed.transpose(1, 2).flatten(2) if self.split else mixed.reshape(x.shape)
        return self.out(joined)


class Layer(nn.Module):
    """A block of a transformer."""

    def __init__(self, width: int, attention: nn.Module) -> None:
        super().__init__()
        self.attention, self.norm1, self.norm2 = attention, *(nn.LayerNorm(width) for _ in "12")
        self.feed = nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.feed(self.norm2(x))


class Transformer(nn.Module):
    """Tokens, with or without their places, through blocks to logits at each place."""

    def __init__(
        self, tokens: int, out: int, layers: list[nn.Module], width: int, *, placed: bool = True
    ) -> None:
        super().__init__()
        self.token = nn.Embedding(tokens, width)
        self.place = nn.Embedding(32, width) if placed else None
        self.layers, self.head = nn.Sequential(*layers), nn.Linear(width, out)

    def forward(self, ids: Tensor) -> Tensor:
        h = self.token(ids)
        if self.place is not None:
            h = h + self.place(torch.arange(ids.shape[1]))
        return self.head(self.layers(h))


class LastPlace(nn.Module):
    """Only what stands at the last place."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, ids: Tensor) -> Tensor:
        return self.inner(ids)[:, -1]


def mask_filled_with_almost_nothing(broken: bool) -> Arguments:
    ids, k = letters(rows=500, length=17)
    fill = -1e-9 if broken else -1e9
    layers: list[nn.Module] = [Layer(32, Attention(32, 4, fill=fill)) for _ in range(2)]
    model = Transformer(k, k, layers, 32)
    return dict(
        model=model,
        data=(ids[:, :-1], ids[:, 1:]),
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=150,
    )


def heads_cut_across_tokens(broken: bool) -> Arguments:
    layers: list[nn.Module] = [Layer(32, Attention(32, 4, split=not broken)) for _ in range(2)]
    model = LastPlace(Transformer(12, 6, layers, 32))
    return dict(
        model=model,
        data=recalls(),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=400,
    )


def places_forgotten(broken: bool) -> Arguments:
    x = torch.rand(800, 10).argsort(1)
    y = ((x == 0).int().argmax(1) < (x == 1).int().argmax(1)).long()  # which comes first?
    layers: list[nn.Module] = [Layer(24, Attention(24, 2)) for _ in range(2)]
    model = LastPlace(Transformer(10, 2, layers, 24, placed=not broken))
    return dict(
        model=model,
        data=(x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=250,
    )


class TorchAttention(nn.Module):
    """nn.MultiheadAttention of a sequence with itself."""

    def __init__(self, width: int, batch_first: bool) -> None:
        super().__init__()
        self.attend = nn.MultiheadAttention(width, 2, batch_first=batch_first)

    def forward(self, x: Tensor) -> Tensor:
        return self.attend(x, x, x, need_weights=False)[0]


def attention_over_the_batch(broken: bool) -> Arguments:
    x = torch.rand(800, 10).argsort(1)
    y = ((x == 0).int().argmax(1) < (x == 1).int().argmax(1)).long()
    layers: list[nn.Module] = [Layer(24, TorchAttention(24, not broken)) for _ in range(2)]
    model = LastPlace(Transformer(10, 2, layers, 24))
    return dict(
        model=model,
        data=(x, y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=250,
    )


BUGS = (
    Bug(
        "mask filled with almost nothing",
        "Shujun-He/RibonanzaNet#5",
        KIND,
        "Hidden places get a score of -1e-9 instead of -1e9, which hides nothing.",
        mask_filled_with_almost_nothing,
        ("future|later|causal|next", "mask|leak|depend|see"),
        from_the_past,
        bad=0.2,
        good=0.3,
    ),
    Bug(
        "heads cut across tokens",
        "reczoo/FuxiCTR#30",
        KIND,
        "Heads are split by a view without a transpose, which mixes pieces of other tokens.",
        heads_cut_across_tokens,
        ("view|reshape|transpose|mix", "token|position|head"),
        accuracy,
        bad=0.85,
        good=0.9,
    ),
    Bug(
        "places forgotten",
        "DaoyuanLi2816/Molecule-Generator#23",
        KIND,
        "No positions are added to the tokens, so that their order cannot be seen.",
        places_forgotten,
        ("order|position|permut", "token|sequence|encoding|input|symmetr|invarian|same"),
        accuracy,
        bad=0.7,
        good=0.85,
    ),
    Bug(
        "attention over the batch",
        "aipixel/AEMatter#3",
        KIND,
        "MultiheadAttention lacks batch_first, so that samples attend to one another.",
        attention_over_the_batch,
        ("batch|sample", "batch_first|depend|other|mix|neighbour"),
        accuracy,
        bad=0.7,
        good=0.85,
    ),
)
