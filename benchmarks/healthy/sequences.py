"""Series, sentences and speech."""

import math

import torch
from real_bugs.bug import Arguments
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import motions
from real_bugs.third.scores import place_accuracy
from real_bugs.third.tasks import PADDING, headlines, spoken, tags
from torch import Tensor, nn
from torch.nn import functional as F

from healthy.generative import letters, next_right, places
from healthy.setup import Loss, SetUp, plan


def waves(n: int = 800, length: int = 24) -> tuple[Tensor, Tensor]:
    """Noisy sums of two waves, and their next value."""
    t = torch.arange(length + 1.0)
    period, phase = 6 + 10 * torch.rand(n, 2, 1), 2 * math.pi * torch.rand(n, 2, 1)
    series = (2 * math.pi * t / period + phase).sin().sum(1) + 0.05 * torch.randn(n, length + 1)
    return series[:, :-1, None], series[:, -1:]


class Forecast(nn.Module):
    """The last state of an LSTM, read by a linear layer."""

    def __init__(self, inputs: int = 1, outputs: int = 1) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(inputs, 32, batch_first=True), nn.Linear(32, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][:, -1])


def forecasting() -> Arguments:
    return plan(Forecast(), waves(), nn.MSELoss(), lr=5e-3, train=650, steps=500)


class Convolutions(nn.Module):
    """Dilated causal convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv1d(1 if d == 1 else 16, 16, 2, dilation=d) for d in D)
        self.head = nn.Linear(16, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = x.transpose(1, 2)
        for layer, d in zip(self.layers, D, strict=True):
            h = F.relu(layer(F.pad(h, (d, 0))))
        return self.head(h[:, :, -1])


D = (1, 2, 4, 8)


def causal_convolutions() -> Arguments:
    return plan(Convolutions(), waves(), nn.MSELoss(), lr=5e-3, train=650, steps=500)


def activity() -> Arguments:
    return plan(Forecast(2, 3), motions(700), nn.CrossEntropyLoss(), lr=5e-3, train=550, steps=400)


class Pooled(nn.Module):
    """A transformer over padded words; padding is neither attended to nor averaged."""

    def __init__(self, d: int = 32) -> None:
        super().__init__()
        self.table = nn.Embedding(41, d, padding_idx=PADDING)
        self.positions = nn.Embedding(12, d)
        self.block = nn.TransformerEncoderLayer(d, 4, 64, 0.1, batch_first=True)
        self.head = nn.Linear(d, 4)

    def forward(self, ids: Tensor) -> Tensor:
        padding = ids == PADDING
        x = self.table(ids) + self.positions.weight[: ids.shape[1]]
        h = self.block(x, src_key_padding_mask=padding)
        kept = (~padding)[..., None].float()
        return self.head((h * kept).sum(1) / kept.sum(1))


def padded_transformer() -> Arguments:
    data, held_out = headlines()
    return plan(Pooled(), data, nn.CrossEntropyLoss(), held_out=held_out, steps=400)


class Bag(nn.Module):
    """The mean of word vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.EmbeddingBag(41, 16, padding_idx=PADDING), nn.Linear(16, 4)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.table(ids))


def bag_of_words() -> Arguments:
    data, held_out = headlines()
    return plan(Bag(), data, nn.CrossEntropyLoss(), lr=0.01, held_out=held_out, steps=400)


class Tagger(nn.Module):
    """A tag for each word by a bidirectional LSTM."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(12, 16)
        self.lstm = nn.LSTM(16, 24, batch_first=True, bidirectional=True)
        self.head = nn.Linear(48, 4)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.lstm(self.table(ids))[0])


def tagging() -> Arguments:
    data, held_out = tags()
    return plan(Tagger(), data, Loss(places), lr=0.01, held_out=held_out, steps=300)


class Listener(nn.Module):
    """Log-probabilities of symbols and blank for every frame."""

    def __init__(self) -> None:
        super().__init__()
        self.gru, self.head = nn.GRU(4, 32, batch_first=True), nn.Linear(32, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.gru(x)[0]).log_softmax(-1)


def ctc(out: Tensor, y: Tensor) -> Tensor:
    n, frames, _ = out.shape
    lengths = torch.full((n,), frames), torch.full((n,), y.shape[1])
    return F.ctc_loss(out.transpose(0, 1), y + 1, *lengths, blank=0)


def speech() -> Arguments:
    data, held_out = spoken()
    return plan(Listener(), data, Loss(ctc), lr=0.01, held_out=held_out, steps=400)


def heard(model: nn.Module, x: Tensor, y: Tensor) -> float:
    right = 0
    for path, said in zip(model(x).argmax(-1), y, strict=True):
        symbols = path.unique_consecutive()
        symbols = symbols[symbols > 0] - 1
        right += int(len(symbols) == len(said) and bool((symbols == said).all()))
    return right / len(y)


class Speller(nn.Module):
    """A small causal transformer."""

    def __init__(self, words: int, length: int = 24, d: int = 48) -> None:
        super().__init__()
        self.table, self.positions = nn.Embedding(words, d), nn.Embedding(length, d)
        self.block = nn.TransformerEncoderLayer(d, 4, 2 * d, 0.1, batch_first=True, norm_first=True)
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, words)

    def forward(self, ids: Tensor) -> Tensor:
        n = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(n)
        x = self.table(ids) + self.positions.weight[:n]
        return self.head(self.norm(self.block(x, mask, is_causal=True)))


def small_gpt() -> Arguments:
    x, y, words = letters()
    return plan(Speller(words), (x, y), Loss(places), steps=400)


class Reverser(nn.Module):
    """An encoder and a decoder that is told the symbols before (teacher forcing)."""

    def __init__(self, symbols: int = 8, d: int = 48) -> None:
        super().__init__()
        self.table = nn.Embedding(symbols + 1, d)
        self.encoder, self.decoder = nn.GRU(d, d, batch_first=True), nn.GRU(d, d, batch_first=True)
        self.head = nn.Linear(d, symbols)

    def forward(self, ids: Tensor) -> Tensor:
        source, before = ids.chunk(2, 1)
        _, state = self.encoder(self.table(source))
        return self.head(self.decoder(self.table(before), state)[0])


def reversing() -> Arguments:
    x = torch.randint(8, (1200, 5))
    y = x.flip(1)
    before = F.pad(y, (1, 0), value=8)[:, :-1]
    data = torch.cat([x, before], 1), y
    return plan(Reverser(), data, Loss(places), lr=0.01, steps=500, train=1000, batch_size=64)


def masked_words() -> Arguments:
    """A fifth of the words are hidden; the loss counts only these."""
    length, words = 12, 12
    start, step = torch.randint(words, (900, 1)), torch.randint(1, 4, (900, 1))
    ids = (start + step * torch.arange(length)) % words
    hidden = torch.rand(900, length) < 0.2
    hidden[:, 0] |= ~hidden.any(1)
    x, y = ids.masked_fill(hidden, words), ids.masked_fill(~hidden, -100)
    model = Tagger()
    model.table, model.head = nn.Embedding(words + 1, 16), nn.Linear(48, words)
    return plan(model, (x, y), Loss(places), lr=0.01, steps=500, train=750)


SETUPS = (
    SetUp("LSTM forecast", forecasting, explained, 0.8),
    SetUp("causal convolutions", causal_convolutions, explained, 0.7),
    SetUp("LSTM classifier of motions", activity, accuracy, 0.85),
    SetUp("transformer over padded words", padded_transformer, accuracy, 0.75),
    SetUp("bag of words", bag_of_words, accuracy, 0.75),
    SetUp("tagger", tagging, place_accuracy, 0.9),
    SetUp("speech, CTC", speech, heard, 0.8),
    SetUp("small GPT", small_gpt, next_right, 0.7),
    SetUp("sequence to sequence", reversing, place_accuracy, 0.85),
    SetUp("masked words", masked_words, place_accuracy, 0.7),
)
