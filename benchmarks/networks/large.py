"""ResNet-18, ViT-tiny, BERT-mini and GPT-2 as they are trained on CIFAR-10, SST-2 and Shakespeare.

None has been trained. Words are numbered by how often they occur: the vocabularies of BERT and
GPT-2 are theirs in size, not in content.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from corollary.data import cifar10_jpeg, sst2, tinyshakespeare

IMAGES, SENTENCES, WORDS, CONTEXT = 2048, 1024, 32, 128
MEAN, SPREAD = (0.491, 0.482, 0.447), (0.247, 0.243, 0.262)


class BasicBlock(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, inside: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.shortcut = nn.Sequential()
        if stride != 1 or inside != out:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inside, out, 1, stride, bias=False), nn.BatchNorm2d(out)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (y + self.shortcut(x)).relu()


class ResNet18(nn.Module):
    """For images of 32 × 32: the first convolution has no stride, and nothing is pooled there."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64)
        widths = (64, 64, 128, 256, 512)
        for k in range(1, 5):
            blocks = BasicBlock(widths[k - 1], widths[k], 1 if k == 1 else 2)
            setattr(self, f"layer{k}", nn.Sequential(blocks, BasicBlock(widths[k], widths[k], 1)))
        self.fc = nn.Linear(512, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.bn1(self.conv1(x)).relu()
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


class ViTTiny(nn.Module):
    """Patches of 4 × 4, 12 pre-norm blocks of width 192 with 3 heads."""

    def __init__(self, d: int = 192, layers: int = 12, heads: int = 3) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, d, 4, 4)
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        self.positions = nn.Parameter(0.02 * torch.randn(1, 65, d))
        block = nn.TransformerEncoderLayer(
            d, heads, 4 * d, 0.1, "gelu", batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(block, layers, nn.LayerNorm(d), False)
        self.head = nn.Linear(d, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.positions
        return self.head(self.blocks(x)[:, 0])


def images(split: str, n: int) -> tuple[Tensor, Tensor]:
    """Some photographs of each class, shuffled and standardised by channel."""
    x, y = cifar10_jpeg(split)
    some = torch.randperm(len(y), generator=torch.Generator().manual_seed(0))[:n]
    mean, spread = (torch.tensor(v)[:, None, None] for v in (MEAN, SPREAD))
    return (x[some].float() - mean) / spread, y[some]


def on_images(model: nn.Module, optimizer: torch.optim.Optimizer, **recipe: Any) -> dict[str, Any]:
    """A classifier of photographs."""
    how = {"loss": nn.CrossEntropyLoss(), "optimizer": optimizer, "batch_size": 128}
    data = {"data": images("train", IMAGES), "held_out": images("test", IMAGES // 2)}
    return {"model": model, **data, **how, **recipe}


def resnet18() -> dict[str, Any]:
    """The textbook recipe: momentum 0.9, learning rate 0.1, batches of 128."""
    model = ResNet18()
    sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    return on_images(model, sgd)


def vit_tiny() -> dict[str, Any]:
    """AdamW at 5e-4."""
    model = ViTTiny()
    return on_images(model, torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.05))


def numbered(texts: list[list[str]], size: int, first: int) -> dict[str, int]:
    """Words by how often they occur, as numbers from ``first`` below ``size``."""
    counts = Counter(word for text in texts for word in text)
    return {word: first + k for k, (word, _) in enumerate(counts.most_common(size - first))}


def bert_mini() -> dict[str, Any]:
    """4 layers of width 256, as a classifier of sentences; padded, with its mask."""
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        hidden_size=256,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=1024,
        num_labels=2,
    )
    model = BertForSequenceClassification(config)
    parts = {split: sst2(split) for split in ("train", "val")}
    texts = {split: [line.split() for line in lines] for split, (lines, _) in parts.items()}
    known = numbered(texts["train"], config.vocab_size, first=103)

    def encoded(split: str) -> dict[str, Tensor]:
        rows = [
            ([101] + [known.get(w, 100) for w in words[: WORDS - 2]] + [102])
            for words in texts[split][:SENTENCES]
        ]
        ids = torch.tensor([row + [0] * (WORDS - len(row)) for row in rows])
        labels = torch.tensor(parts[split][1][:SENTENCES])
        return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": labels}

    adamw = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)
    data = {"data": encoded("train"), "held_out": encoded("val")}
    return {"model": model, "optimizer": adamw, "batch_size": 32, **data}


def gpt2() -> dict[str, Any]:
    """124 million parameters, on windows of 128 words."""
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config())
    words = re.findall(r"\w+|[^\w ]", tinyshakespeare())
    known = numbered([words], model.config.vocab_size, first=0)
    ids = torch.tensor([known[w] for w in words])
    windows = ids[: len(ids) // CONTEXT * CONTEXT].view(-1, CONTEXT)
    windows = windows[torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))]
    train, test = windows[:512], windows[512:640]
    adamw = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1)
    data = {"input_ids": train, "labels": train}
    held_out = {"input_ids": test, "labels": test}
    return {"model": model, "data": data, "held_out": held_out, "optimizer": adamw, "batch_size": 8}


LARGE: dict[str, Callable[[], dict[str, Any]]] = {
    "ResNet-18": resnet18,
    "ViT-tiny": vit_tiny,
    "BERT-mini": bert_mini,
    "GPT-2 124M": gpt2,
}
