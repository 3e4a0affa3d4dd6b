"""Models of the data themselves: autoencoders, VAE, GAN, diffusion, flow, mixtures, language."""

import math
import re

import torch
from real_bugs.bug import Arguments
from real_bugs.scores import explained, sign_accuracy
from real_bugs.tasks import digits, mlp, moons
from torch import Tensor, nn
from torch.nn import functional as F

from healthy.setup import Loss, SetUp, less_than, plan

TRAIN = 1200


def pictures() -> Tensor:
    return digits(n=1430)[0]


def autoencoder() -> Arguments:
    x = pictures()
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8), mlp(8, 64, depth=1))
    return plan(model, (x, x), nn.MSELoss(), train=TRAIN, steps=600)


def denoiser() -> Arguments:
    x = pictures()
    noisy = x + 0.3 * torch.randn_like(x)
    return plan(mlp(64, 64, width=64), (noisy, x), nn.MSELoss(), train=TRAIN, steps=600)


class VAE(nn.Module):
    """Reconstruction, mean and log-variance of the code."""

    def __init__(self, code: int = 8) -> None:
        super().__init__()
        self.encoder, self.decoder = mlp(64, 2 * code, depth=1), mlp(code, 64, depth=1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encoder(x).chunk(2, 1)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp() * self.training
        return self.decoder(code), mean, log_variance


def evidence_bound(out: tuple[Tensor, Tensor, Tensor], x: Tensor) -> Tensor:
    logits, mean, log_variance = out
    error = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum()
    return (error + divergence) / len(x)


def vae() -> Arguments:
    x = pictures()
    return plan(VAE(), (x, x), Loss(evidence_bound), train=TRAIN, steps=600)


def reconstructed(model: nn.Module, x: Tensor, _: Tensor) -> float:
    error = (model(x)[0].sigmoid() - x).square().mean()
    return float(1 - error / (x - x.mean(0)).square().mean())


class Generator(nn.Module):
    """Noise to points, which a discriminator that is not trained judges."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = mlp(4, 2)
        self.discriminator = mlp(2, 1)

    def forward(self, z: Tensor) -> Tensor:
        return self.discriminator(self.generator(z))


def discriminating(model: nn.Module, steps: int = 300) -> None:
    """Train a discriminator of two moons against a cloud far from them."""
    real, _ = moons(512)
    adam = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(steps):
        fake = torch.randn(64, 2) + torch.tensor([0.0, 3.0])
        logit = model(torch.cat([real[torch.randint(512, (64,))], fake]))[:, 0]
        label = torch.cat([torch.ones(64), torch.zeros(64)])
        adam.zero_grad()
        F.binary_cross_entropy_with_logits(logit, label).backward()
        adam.step()


def gan_generator() -> Arguments:
    model = Generator()
    discriminating(model.discriminator)
    model.discriminator.requires_grad_(False)
    with torch.no_grad():
        model.generator[-1].bias += torch.tensor([0.0, 3.0])
    data = torch.randn(1000, 4), torch.ones(1000, 1)
    return plan(model, data, nn.BCEWithLogitsLoss(), lr=2e-3, train=800)


def gan_discriminator() -> Arguments:
    real, _ = moons(600)
    x = torch.cat([real, torch.randn(600, 2)])[torch.randperm(1200)]
    near = torch.cdist(x, real).amin(1) < 1e-6
    return plan(mlp(2, 1), (x, near.float()[:, None]), nn.BCEWithLogitsLoss(), train=1000, lr=5e-3)


class Denoise(nn.Module):
    """Predicts the noise from a noisy point and its time."""

    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(2 + 16, 2, width=64)

    def forward(self, x: Tensor) -> Tensor:
        t = x[:, 2:] * math.pi * torch.arange(1, 9)
        return self.net(torch.cat([x[:, :2], t.sin(), t.cos()], 1))


def diffusion() -> Arguments:
    point, _ = moons(2000)
    t, noise = torch.rand(2000, 1), torch.randn(2000, 2)
    angle = t * math.pi / 2
    x = torch.cat([angle.cos() * point + angle.sin() * noise, t], 1)
    return plan(Denoise(), (x, noise), nn.MSELoss(), steps=600, batch_size=64, train=1600)


class Coupling(nn.Module):
    """Four affine coupling layers; gives the latent point and the log-determinant."""

    def __init__(self) -> None:
        super().__init__()
        self.nets = nn.ModuleList(mlp(1, 2) for _ in range(4))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        log_det = torch.zeros(len(x))
        for net in self.nets:
            a, b = x.split(1, 1)
            scale, shift = net(a).split(1, 1)
            scale = scale.tanh()
            x = torch.cat([b * scale.exp() + shift, a], 1)
            log_det = log_det + scale[:, 0]
        return x, log_det


def negative_log_likelihood(out: tuple[Tensor, Tensor], _: Tensor) -> Tensor:
    z, log_det = out
    return (0.5 * z.square().sum(1) + math.log(2 * math.pi) - log_det).mean()


def flow() -> Arguments:
    x, y = moons(1500)
    loss = Loss(negative_log_likelihood)
    return plan(Coupling(), (x, y), loss, steps=500, batch_size=64, train=1200)


def mixture() -> Arguments:
    """A mixture density network: three Gaussians for a target with two branches."""
    x = torch.rand(1200, 1) * 2 - 1
    y = torch.where(torch.rand(1200, 1) < 0.5, x, -x) + 0.05 * torch.randn(1200, 1)

    def loss(out: Tensor, y: Tensor) -> Tensor:
        logit, mean, log_scale = out.chunk(3, 1)
        spread = log_scale.clamp(-5, 5)
        log = -0.5 * ((y - mean) / spread.exp()).square() - spread
        return -(logit.log_softmax(1) + log).logsumexp(1).mean()

    return plan(mlp(1, 9), (x, y), Loss(loss), steps=600, train=1000, batch_size=64)


def loss_of(loss: nn.Module) -> object:
    return less_than(lambda model, x, y: loss(model(x), y))


TEXT = (
    """the little ship sailed over the quiet sea and the old captain sang of islands far away
where the wind is warm and the people dance all night under a round and silver moon """
    * 12
)


def letters(length: int = 24) -> tuple[Tensor, Tensor, int]:
    """Windows of characters, and the characters after them."""
    text = re.sub(r"\s+", " ", TEXT)
    known = sorted(set(text))
    ids = torch.tensor([known.index(c) for c in text])
    windows = ids.unfold(0, length + 1, 3)
    windows = windows[torch.randperm(len(windows))]
    return windows[:, :-1], windows[:, 1:], len(known)


class Recurrent(nn.Module):
    """Next characters by a GRU whose embedding is also its head."""

    def __init__(self, words: int, d: int = 48) -> None:
        super().__init__()
        self.table, self.gru = nn.Embedding(words, d), nn.GRU(d, d, batch_first=True)
        self.head = nn.Linear(d, words)
        self.head.weight = self.table.weight
        nn.init.normal_(self.table.weight, std=0.1)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.gru(self.table(ids))[0])


def places(out: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(out.flatten(0, 1), y.flatten())


def tied_language_model() -> Arguments:
    x, y, words = letters()
    return plan(Recurrent(words), (x, y), Loss(places), lr=5e-3, steps=400)


def next_right(model: nn.Module, x: Tensor, y: Tensor) -> float:
    return float((model(x).argmax(-1) == y).float().mean())


SETUPS = (
    SetUp("autoencoder", autoencoder, explained, 0.6),
    SetUp("denoising autoencoder", denoiser, explained, 0.6),
    SetUp("variational autoencoder", vae, reconstructed, 0.35),
    SetUp("generator of a GAN", gan_generator, lambda m, x, y: float(m(x).sigmoid().mean()), 0.7),
    SetUp("discriminator of a GAN", gan_discriminator, sign_accuracy, 0.7),
    SetUp("diffusion, predicts the noise", diffusion, explained, 0.4),
    SetUp("normalising flow", flow, loss_of(Loss(negative_log_likelihood)), -2.4),
    SetUp("mixture density network", mixture, lambda m, x, y: float(m(x).isfinite().all()), 1.0),
    SetUp("language model with tied weights", tied_language_model, next_right, 0.7),
)
