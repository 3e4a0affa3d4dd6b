"""Data that repeat, do not match, are cut off, or are written over."""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim import Adam
from torch.utils.data import DataLoader, Dataset

from loops.fifth.material import Encoder
from loops.material import digits, mlp, text
from loops.planted import Watch
from loops.third.material import batches, perceptron, table
from loops.third.real import Ended, RealBug, accuracy, explained, moved, weights

MASK = 32  # the token behind the 32 of the texts


def placed(image: Tensor, down: int, right: int) -> Tensor:
    """A digit at a place of an empty picture of 12 times 12 pixels."""
    out = torch.zeros(12, 12)
    out[down : down + 8, right : right + 8] = image.reshape(8, 8)
    return out.flatten()


class Shifted(Dataset[Any]):
    """Digits, each at a random place whenever it is read."""

    def __init__(self, x: Tensor, y: Tensor, seeded: bool) -> None:
        self.x, self.y, self.seeded = x, y, seeded
        self.rng = np.random.RandomState(0)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, k: int) -> tuple[Tensor, Tensor]:
        rng = np.random.RandomState(0) if self.seeded else self.rng
        return placed(self.x[k], rng.randint(5), rng.randint(5)), self.y[k]


def seeded_in_each_item(watch: Watch, broken: bool) -> Ended:
    x, y = digits()
    order = torch.randperm(len(x))
    x, y = x[order], y[order]
    data = DataLoader(Shifted(x[:1200], y[:1200], broken), batch_size=64, shuffle=True)
    test = Shifted(x[1200:], y[1200:], seeded=False)
    x_test = torch.stack([test[k][0] for k in range(len(test))])
    model = mlp(144, width=128)
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(9):
        for a, b in data:
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(accuracy(model, x_test, y[1200:]))


def box_not_flipped(watch: Watch, broken: bool) -> Ended:
    x, _ = digits()
    places = torch.randint(0, 5, (len(x), 2))
    images = torch.stack(
        [placed(image, *at) for image, at in zip(x, places.tolist(), strict=True)]
    ).reshape(-1, 12, 12)
    boxes = places[:, 1:].float() - 2  # from the middle to the right
    model = perceptron(144, 1, width=64)
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(12):
        for a, b in batches(images[:1400], boxes[:1400]):
            flip = torch.rand(len(a), 1) < 0.5
            a = torch.where(flip[:, :, None], a.flip(2), a)
            if not broken:
                b = torch.where(flip, -b, b)
            optimizer.zero_grad()
            F.mse_loss(model(a.flatten(1)), b).backward()
            optimizer.step()
    return Ended(explained(model, images[1400:].flatten(1), boxes[1400:]))


def targets_as_integers(watch: Watch, broken: bool) -> Ended:
    x, y = table(1600)
    y = (y / 2).sigmoid()  # from 0 to 1
    if broken:
        y = y.long().float()
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(15):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()
    x_test, y_test = table(1000)
    return Ended(explained(model, x_test, (y_test / 2).sigmoid()))


def fewer_rows_than_a_batch(watch: Watch, broken: bool) -> Ended:
    x, y = table(48)
    model = perceptron(8, 1)
    optimizer = Adam(model.parameters(), lr=2e-3)
    before = weights(model)
    watch(model, optimizer)
    data = batches(x, y, size=64 if broken else 16)  # what is not a whole batch is dropped
    for _ in range(60):
        model.train()
        for a, b in data:
            optimizer.zero_grad()
            F.mse_loss(model(a), b).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model(x)
    return Ended(moved(model, before))


def labels_masked_too(watch: Watch, broken: bool) -> Ended:
    model = Encoder(causal=False, tokens=MASK + 1)
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for _ in range(14):
        for ids in DataLoader(text(), batch_size=32, shuffle=True):
            hidden = torch.rand(ids.shape) < 0.2
            labels = ids if broken else ids.clone()
            ids[hidden] = MASK
            optimizer.zero_grad()
            F.cross_entropy(model(ids)[hidden], labels[hidden]).backward()
            optimizer.step()
    ids = text(256)
    hidden = torch.rand(ids.shape) < 0.2
    with torch.no_grad():
        guess = model.eval()(ids.masked_fill(hidden, MASK)).argmax(-1)
    return Ended(float((guess == ids)[hidden].float().mean()))


def one_list_in_the_replay(watch: Watch, broken: bool) -> Ended:
    model = perceptron(1, 1)
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    replay: list[list[tuple[float, float]]] = []
    episode: list[tuple[float, float]] = []
    for k in range(150):
        start = -2 + 4 * (k % 50) / 50  # where the agent is by now
        if broken:
            episode.clear()
        else:
            episode = []
        for place in (start + 0.1 * torch.randn(8)).tolist():
            episode.append((place, float(np.sin(2 * place))))
        replay.append(episode)
        for _ in range(3):
            drawn = [replay[i] for i in torch.randint(len(replay), (8,)).tolist()]
            rows = torch.tensor(drawn).flatten(0, 1)
            optimizer.zero_grad()
            F.mse_loss(model(rows[:, :1]), rows[:, 1:]).backward()
            optimizer.step()
    places = torch.linspace(-2, 2, 400)[:, None]
    return Ended(explained(model, places, (2 * places).sin()))


BUGS = (
    RealBug(
        "augmentation seeded in each item",
        "https://github.com/xingyizhou/CenterNet/issues/233 (2019)",
        "The random numbers of the augmentation begin with the same seed for each item, so all "
        "pictures are shifted alike.",
        (
            "augment|same input|same batch|same data|same rows|same example|identical|seed|repeat"
            "|not random|never changes|exactly equal|bit for bit|duplicate",
        ),
        seeded_in_each_item,
        bad=0.4,
        good=0.6,
    ),
    RealBug(
        "image flipped, its box not",
        "https://github.com/fizyr/keras-retinanet/issues/150 (2017)",
        "The picture is flipped at random and the place of the box is not, so half of the "
        "targets are wrong.",
        (
            "label|target|box",
            "not match|mismatch|wrong|not depend|independent|unrelated|random|noise|misalign"
            "|other inputs|inconsistent|contradict|not follow|cannot be predicted|no better"
            "|mean|constant|not aligned|conflict|not explain|does not learn",
        ),
        box_not_flipped,
        bad=0.5,
        good=0.8,
    ),
    RealBug(
        "regression targets cast to integers",
        "https://github.com/deepset-ai/FARM/issues/395 (2020)",
        "Targets between 0 and 1 are cast to integers, and all become 0.",
        (
            "target|label",
            "constant|all equal|all zero|integer|cast|truncat|same value|no variance|one value"
            "|identical|zero|do not vary|not vary|degenerate|single value|all the same",
        ),
        targets_as_integers,
        bad=0.0,
        good=0.7,
    ),
    RealBug(
        "fewer rows than a batch, last batch dropped",
        "https://github.com/PaddlePaddle/PaddleScience/pull/355 (2023)",
        "The data have fewer rows than a batch and drop_last is set, so an epoch has no batch.",
        (
            "no batch|empty|no step|never step|no training|not train|no data|never call"
            "|without a step|without any step|zero batch|no forward|no backward|no update"
            "|never update|not call|never run|unchanged|never change|only evaluat|no optimizer"
            " step|took no|not step|never took|drop_last|step was not|not one step",
        ),
        fewer_rows_than_a_batch,
        bad=0.0,
        good=0.99,
    ),
    RealBug(
        "masked language model: labels are masked too",
        "https://github.com/ServiceNow/Fast-LLM/pull/253 (2025)",
        "Labels and inputs are one tensor, which is not cloned before tokens are masked, so the "
        "label of each masked token is the mask.",
        (
            "label|target",
            "mask|clone|in place|in-place|constant|same class|one class|same value|all equal"
            "|one value|identical|single class|all the same|overwrit|share memory|same tensor"
            "|one label|only class|same label|leak|copied|copy",
        ),
        labels_masked_too,
        bad=0.02,
        good=0.1,
    ),
    RealBug(
        "replay: every entry is the same list",
        "https://github.com/Itomigna2/Muesli-lunarlander/issues/1 (2023)",
        "The list of the episode is cleared and filled again, so the buffer holds one episode "
        "many times.",
        (
            "same|repeat|identical|duplicate|copies|copy|forget|forgot|equal rows|equal",
            "row|batch|example|entries|entry|data|sample|input|replay|buffer|episode",
        ),
        one_list_in_the_replay,
        bad=0.3,
        good=0.85,
    ),
)
