"""Gradients that are cut off, let through or sampled away, and states carried too far."""

import copy

import torch
from torch import Tensor, nn
from torch.distributions import Normal
from torch.nn import functional as F
from torch.optim import SGD, Adam
from torch.utils.checkpoint import checkpoint

from loops.fourth.material import Encoded, sentences, trained_on_digits
from loops.material import cnn
from loops.planted import Watch
from loops.third.material import batches, perceptron, series, split_digits
from loops.third.real import Ended, RealBug, explained, moved, weights


def encoder_without_gradient(watch: Watch, broken: bool) -> Ended:
    model = Encoded()
    optimizer = Adam(model.parameters(), lr=3e-3)
    before = weights(model.encoder)
    watch(model, optimizer)
    for _ in range(5):
        for ids, y in batches(*sentences(1280)):
            with torch.set_grad_enabled(not broken):
                features = model.encode(ids)
            optimizer.zero_grad()
            F.cross_entropy(model.head(features), y).backward()
            optimizer.step()
    return Ended(moved(model.encoder, before))


class Siamese(nn.Module):
    """An encoder of digits, and what predicts one view from the other."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(64, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, width)
        )
        self.predictor = nn.Sequential(
            nn.Linear(width, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, width)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        z = self.encoder(x)
        return z, self.predictor(z)


class Stages(nn.Module):
    """Two stages of layers, whose activations are computed again in the backward pass."""

    def __init__(self, reentrant: bool) -> None:
        super().__init__()
        self.first, self.second = perceptron(64, 64), perceptron(64, 64)
        self.head, self.reentrant = nn.Linear(64, 10), reentrant

    def forward(self, x: Tensor) -> Tensor:
        for stage in (self.first, self.second):
            x = F.relu(checkpoint(stage, x, use_reentrant=self.reentrant))
        return self.head(x)


def checkpoint_of_inputs(watch: Watch, broken: bool) -> Ended:
    x, y, _, _ = split_digits()
    model = Stages(reentrant=broken)
    optimizer = Adam(model.parameters(), lr=1e-3)
    before = weights(model.first)
    watch(model, optimizer)
    for _ in range(6):
        for a, b in batches(x, y):
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(moved(model.first, before))


def no_stop_of_the_gradient(watch: Watch, broken: bool) -> Ended:
    x, _, x_test, _ = split_digits()
    model = Siamese()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    for _ in range(10):
        for (a,) in map(lambda pair: pair[:1], batches(x, x)):
            (z, p), (z2, p2) = (model(a + 0.3 * torch.randn_like(a)) for _ in range(2))
            if not broken:
                z, z2 = z.detach(), z2.detach()
            optimizer.zero_grad()
            alike = F.cosine_similarity(p, z2) + F.cosine_similarity(p2, z)
            (-alike.mean() / 2).backward()
            optimizer.step()
    return Ended(spread(model, x_test))


@torch.no_grad()
def spread(model: Siamese, x: Tensor) -> float:
    """Standard deviation of the features on the unit sphere; 1 would be all over it."""
    features = F.normalize(model.eval()(x)[0], dim=1)
    return float(features.std(0).mean() * features.shape[1] ** 0.5)


class Vae(nn.Module):
    """Digits to a normal distribution of 8 numbers, and back."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = perceptron(64, 16), perceptron(8, 64)

    def code(self, x: Tensor) -> Normal:
        mean, spread = self.encoder(x).chunk(2, 1)
        return Normal(mean, F.softplus(spread) + 1e-3)

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.code(x).mean)


def sampled_without_gradient(watch: Watch, broken: bool) -> Ended:
    x, _, x_test, _ = split_digits()
    model = Vae()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(16):
        for a, _ in batches(x, x):
            code = model.code(a)
            z = code.sample() if broken else code.rsample()
            divergence = torch.distributions.kl_divergence(code, Normal(0.0, 1.0)).sum(1).mean()
            error = F.mse_loss(model.decoder(z), a, reduction="sum") / len(a)
            optimizer.zero_grad()
            (error + divergence).backward()
            optimizer.step()
    return Ended(explained(model, x_test, x_test))


class Carrying(nn.Module):
    """An LSTM that may be handed the state in which it ended."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.rnn, self.head = nn.LSTM(2, width, batch_first=True), nn.Linear(width, 3)
        self.state: tuple[Tensor, Tensor] | None = None

    def forward(self, x: Tensor) -> Tensor:
        out, (h, c) = self.rnn(x, self.state if self.training else None)
        self.state = h.detach(), c.detach()
        return self.head(out[:, -1])


def state_of_other_sequences(watch: Watch, broken: bool) -> Ended:
    x, y = series(1200, length=8)
    model = Carrying()
    optimizer = Adam(model.parameters(), lr=5e-3)
    watch(model, optimizer)
    for _ in range(12):
        model.train()
        for a, b in batches(x[:960], y[:960]):
            if not broken:
                model.state = None
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            optimizer.step()
    return Ended(-influence(model, x[960:], reset=not broken))


@torch.no_grad()
def influence(model: Carrying, x: Tensor, reset: bool) -> float:
    """How much the outputs for some sequences depend on the batch that came before."""
    outs = []
    for before in (x[:64], x[64:128]):
        model.state = None
        model(before)
        if reset:
            model.state = None
        outs.append(model(x[128:192]))
    return float((outs[0] - outs[1]).norm() / outs[0].norm())


class Distilled(nn.Module):
    """A network that has learned, and a smaller one that learns from it."""

    def __init__(self, teacher: nn.Module) -> None:
        super().__init__()
        self.teacher, self.student = teacher.requires_grad_(False), cnn()

    def forward(self, x: Tensor) -> Tensor:
        return self.student(x)


def teacher_in_training_mode(watch: Watch, broken: bool) -> Ended:
    x, y, x_test, _ = split_digits(images=True)
    model = Distilled(trained_on_digits(x, y, dropout=0.2))
    before = copy.deepcopy(model.teacher).eval()(x_test)
    optimizer = Adam(model.student.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(5):
        model.train()
        if not broken:
            model.teacher.eval()
        for a, _ in batches(x, y):
            seen = a + torch.randn_like(a)
            with torch.no_grad():
                wanted = model.teacher(seen).softmax(1)
            optimizer.zero_grad()
            F.cross_entropy(model(seen), wanted).backward()
            optimizer.step()
    with torch.no_grad():
        after = model.teacher.eval()(x_test)
    return Ended(1 - float((after - before).norm() / before.norm()))


NO_GRADIENT = (
    "no gradient|no grad|no_grad|without gradient|without a gradient|gets no|get no|receive no"
    "|not reach|never reach|detach|graph is cut|graph cut|cut off|grad is none|not update"
    "|never update|never change|unchanged"
)

BUGS = (
    RealBug(
        "encoder called under no_grad",
        "https://github.com/huggingface/sentence-transformers/issues/255",
        "The method that encodes sentences is made for inference and runs without gradients, so "
        "the encoder is not fine-tuned although the optimizer has it.",
        (NO_GRADIENT,),
        encoder_without_gradient,
        bad=0.0,
        good=0.9,
    ),
    RealBug(
        "reentrant checkpoint of layers whose input needs no gradient",
        "https://github.com/pytorch/pytorch/issues/7617",
        "A reentrant checkpoint whose input needs no gradient has an output without one, so its "
        "layers, and all before, are never trained.",
        (NO_GRADIENT + "|checkpoint|reentrant",),
        checkpoint_of_inputs,
        bad=0.0,
        good=0.9,
    ),
    RealBug(
        "SimSiam without stopping the gradient",
        "https://github.com/lightly-ai/lightly/issues/559",
        "The target of the prediction is not detached, so encoder and predictor agree on a "
        "constant.",
        (
            "detach|stop-grad|stop grad|stopgrad|stop_grad|collaps|constant|same feature"
            "|same output|identical|effective rank|rank of|low rank",
        ),
        no_stop_of_the_gradient,
        bad=0.45,
        good=0.65,
    ),
    RealBug(
        "VAE: sample in place of rsample",
        "https://github.com/Unity-Technologies/ml-agents/pull/5546",
        "The code is drawn without reparametrization, so the encoder learns nothing from the "
        "reconstruction and its code becomes noise.",
        (
            "rsample|reparam|sample()|sampling|detach|no gradient|without gradient"
            "|without a gradient|not reach|graph is cut|graph cut|cut off|collaps"
            "|non-differentiable|not differentiable",
        ),
        sampled_without_gradient,
        bad=0.6,
        good=0.7,
    ),
    RealBug(
        "RNN: state of the batch before",
        "https://github.com/HIT-SCIR/ELMoForManyLangs/issues/68",
        "Batches are shuffled, but each begins in the state in which the one before ended, which "
        "belongs to other sequences.",
        (
            "hidden|recurrent|rnn|lstm|cell state|carried state|last state|final state",
            "carried|carry|carries|kept|keep|previous|last batch|earlier|batch before"
            "|other sequence|not reset|never reset|reset|across batch|between batch|initial",
        ),
        state_of_other_sequences,
        bad=-0.05,
        good=0.0,
    ),
    RealBug(
        "distillation: teacher in training mode",
        "https://github.com/vrvlive/knowlege-distillation/issues/2",
        "model.train() reaches the teacher, too: it drops units at random and its batch norm "
        "takes over the statistics of noisy images.",
        (
            "training mode|train mode|eval mode|evaluation mode|eval()|dropout|batch norm|batchnorm"
            "|batch-norm|running|statistic|buffer",
            "teacher|frozen|freez|not trained|no gradient|without gradient|requires_grad"
            "|requires grad|no optimizer",
        ),
        teacher_in_training_mode,
        bad=0.8,
        good=1.0,
    ),
)
