"""Attention among words and padding: what the padding mask hides."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.third.tasks import PADDING, headlines

KIND = "attention"


class HeadlineReader(nn.Module):
    """A token before the words of a headline, which asks them twice for their topic."""

    def __init__(self, hides: str, width: int = 32) -> None:
        super().__init__()
        self.token, self.head, self.hides = nn.Embedding(42, width), nn.Linear(width, 4), hides
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))

    def hidden(self, ids: Tensor) -> Tensor:
        padding = F.pad(ids == PADDING, (1, 0), value=False)
        if self.hides == "queries":
            return padding[:, :, None]
        if self.hides == "words":
            padding = ~padding & (torch.arange(padding.shape[1]) > 0)
        return padding[:, None]

    def forward(self, ids: Tensor) -> Tensor:
        h, hidden = self.token(F.pad(ids, (1, 0), value=41)), self.hidden(ids)
        for qkv, norm in zip(self.qkv, self.norms, strict=True):
            q, k, v = qkv(h).chunk(3, -1)
            score = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
            h = norm(h + score.masked_fill(hidden, -torch.inf).softmax(-1) @ v)
        return self.head(h[:, 0])


def headline_reader(hides: str) -> Arguments:
    data, held_out = headlines()
    model = HeadlineReader(hides)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=200,
    )


def words_hidden(broken: bool) -> Arguments:
    return headline_reader("words" if broken else "padding")


def queries_hidden(broken: bool) -> Arguments:
    return headline_reader("queries" if broken else "padding")


BUGS = (
    Bug(
        "words hidden in place of padding",
        "InseeFrLab/torchTextClassifiers#92",
        KIND,
        "The padding mask is inverted: words are hidden from attention and padding is seen.",
        words_hidden,
        (
            "pad|mask|token|word|input|position",
            "invert|padding|no effect|not depend|ignore|not reach|only|never|without effect|mask",
        ),
        accuracy,
        bad=0.6,
        good=0.85,
    ),
    Bug(
        "queries hidden in place of keys",
        "hyunwoongko/transformer#40",
        KIND,
        "The padding mask hides rows, not columns: padded queries see nothing and become NaN.",
        queries_hidden,
        (
            "nan|not finite|non-finite|nonfinite|infinit|not a number",
            "mask|softmax|-inf|pad|attention|attend|hidden",
        ),
        accuracy,
        bad=0.5,
        good=0.85,
    ),
)
