"""Learning without labels: contrasts, siblings, codes, noise and masks."""

import copy

import torch
from torch import Tensor, nn
from torch.distributions import Normal, kl_divergence
from torch.nn import functional as F
from torch.optim import SGD, Adam

from loops.fourth.graphs import Siamese, Vae
from loops.material import mlp
from loops.planted import Watch
from loops.third.material import batches, perceptron, split_digits


def noisy(x: Tensor) -> Tensor:
    return x + 0.3 * torch.randn_like(x)


def contrast(watch: Watch) -> None:
    """SimCLR: both views have gradients, and the other images are negatives."""
    x, _, _, _ = split_digits()
    model = mlp(outputs=32)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, _ in batches(x, x):
            z = F.normalize(model(torch.cat([noisy(a), noisy(a)])), dim=1)
            alike = z @ z.T / 0.5
            alike.fill_diagonal_(-1e9)
            partner = torch.arange(len(z)).roll(len(a))
            optimizer.zero_grad()
            F.cross_entropy(alike, partner).backward()
            optimizer.step()


def contrast_of_two_calls(watch: Watch) -> None:
    """As CLIP has it: two calls, a learned temperature, both directions."""
    x, _, _, _ = split_digits()
    model = mlp(outputs=32)
    scale = nn.Parameter(torch.tensor(1.0))
    optimizer = Adam([*model.parameters(), scale], lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, _ in batches(x, x):
            u, v = (F.normalize(model(noisy(a)), dim=1) for _ in range(2))
            logits, right = scale.exp() * u @ v.T, torch.arange(len(a))
            optimizer.zero_grad()
            loss = F.cross_entropy(logits, right) + F.cross_entropy(logits.T, right)
            (loss / 2).backward()
            optimizer.step()


def siblings(watch: Watch) -> None:
    """SimSiam, with the gradient stopped."""
    x, _, _, _ = split_digits()
    model = Siamese()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    for _ in range(8):
        for a, _ in batches(x, x):
            (z, p), (z2, p2) = model(noisy(a)), model(noisy(a))
            alike = F.cosine_similarity(p, z2.detach()) + F.cosine_similarity(p2, z.detach())
            optimizer.zero_grad()
            (-alike.mean() / 2).backward()
            optimizer.step()


def follower(watch: Watch) -> None:
    """BYOL: the target is an average of the online network."""
    x, _, _, _ = split_digits()
    online = Siamese()
    target = copy.deepcopy(online.encoder).requires_grad_(False)
    optimizer = Adam(online.parameters(), lr=1e-3)
    watch(online, optimizer)
    for _ in range(8):
        for a, _ in batches(x, x):
            first, second = noisy(a), noisy(a)
            with torch.no_grad():
                wanted, wanted2 = target(second), target(first)
            loss = -F.cosine_similarity(online(first)[1], wanted).mean()
            loss = loss - F.cosine_similarity(online(second)[1], wanted2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                pairs = zip(target.parameters(), online.encoder.parameters(), strict=True)
                for t, p in pairs:
                    t.mul_(0.95).add_(p, alpha=0.05)
                for t, p in zip(target.buffers(), online.encoder.buffers(), strict=True):
                    t.copy_(p)


def variance_and_covariance(watch: Watch) -> None:
    """VICReg: both branches have gradients, and terms against collapse."""
    x, _, _, _ = split_digits()
    model = mlp(outputs=32)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, _ in batches(x, x):
            u, v = model(noisy(a)), model(noisy(a))
            loss = F.mse_loss(u, v)
            for z in (u, v):
                centred = z - z.mean(0)
                cov = centred.T @ centred / (len(z) - 1)
                loss = loss + F.relu(1 - (z.var(0) + 1e-4).sqrt()).mean()
                loss = loss + (cov - cov.diag().diag()).square().sum() / 32
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def variational_code(watch: Watch) -> None:
    x, _, _, _ = split_digits()
    model = Vae()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, _ in batches(x, x):
            code = model.code(a)
            error = F.mse_loss(model.decoder(code.rsample()), a, reduction="sum") / len(a)
            divergence = kl_divergence(code, Normal(0.0, 1.0)).sum(1).mean()
            optimizer.zero_grad()
            (error + divergence).backward()
            optimizer.step()


def quantized_code(watch: Watch) -> None:
    """VQ-VAE: the nearest of 16 words, with the gradient straight through; first without."""
    x, _, _, _ = split_digits()
    model = nn.ModuleDict(
        {"encoder": mlp(outputs=8), "decoder": mlp(8, 64), "words": nn.Embedding(16, 8)}
    )
    nn.init.uniform_(model["words"].weight, -1 / 16, 1 / 16)
    optimizer = Adam(model.parameters(), lr=3e-3)
    watch(model, optimizer)
    for epoch in range(8):
        for a, _ in batches(x, x):
            z = model["encoder"](a)
            word = model["words"](torch.cdist(z, model["words"].weight).argmin(1))
            seen = z if epoch < 2 else z + (word - z).detach()
            loss = F.mse_loss(model["decoder"](seen), a)
            loss = loss + F.mse_loss(word, z.detach()) + 0.25 * F.mse_loss(z, word.detach())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def denoiser(watch: Watch) -> None:
    """A small diffusion model: noise of a random strength is predicted."""
    x, _, _, _ = split_digits()
    model = perceptron(65, 64, width=128)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(10):
        for a, _ in batches(x, x):
            t, noise = torch.rand(len(a), 1), torch.randn_like(a)
            seen = (1 - t).sqrt() * a + t.sqrt() * noise
            optimizer.zero_grad()
            F.mse_loss(model(torch.cat([seen, t], 1)), noise).backward()
            optimizer.step()


def masked_pixels(watch: Watch) -> None:
    x, _, _, _ = split_digits()
    model = mlp(outputs=64)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, _ in batches(x, x):
            hidden = torch.rand_like(a) < 0.5
            out = model(a.masked_fill(hidden, 0.0))
            optimizer.zero_grad()
            F.mse_loss(out[hidden], a[hidden]).backward()
            optimizer.step()


def same_sentence_twice(watch: Watch) -> None:
    """As SimCSE has it: dropout alone makes the two views."""
    x, _, _, _ = split_digits()
    model = mlp(outputs=32, dropout=0.2)
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(6):
        for a, _ in batches(x, x):
            u, v = F.normalize(model(a), dim=1), F.normalize(model(a), dim=1)
            optimizer.zero_grad()
            F.cross_entropy(u @ v.T / 0.2, torch.arange(len(a))).backward()
            optimizer.step()


LOOPS = (
    contrast,
    contrast_of_two_calls,
    siblings,
    follower,
    variance_and_covariance,
    variational_code,
    quantized_code,
    denoiser,
    masked_pixels,
    same_sentence_twice,
)
