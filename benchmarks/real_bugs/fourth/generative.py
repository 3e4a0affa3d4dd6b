"""A network that makes samples, whose divergence has the wrong sign."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import handwriting

CODE = 8  # numbers that a picture is told with


class Autoencoder(nn.Module):
    """Logits of the pixels, then the means and the log variances of the code."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2 * CODE))
        self.decode = nn.Sequential(nn.Linear(CODE, 64), nn.ReLU(), nn.Linear(64, 64))

    def forward(self, x: Tensor) -> Tensor:
        mean, log_variance = self.encode(x).chunk(2, 1)
        code = mean
        if self.training:
            code = mean + (0.5 * log_variance).exp() * torch.randn_like(mean)
        return torch.cat([self.decode(code), mean, log_variance], 1)


class Evidence(nn.Module):
    """Reconstruction and divergence from a standard normal code, per sample."""

    def __init__(self, sign: float) -> None:
        super().__init__()
        self.sign = sign  # of the log variance in the divergence

    def forward(self, out: Tensor, x: Tensor) -> Tensor:
        logits, mean, log_variance = out.split([64, CODE, CODE], 1)
        pixels = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
        terms = mean.square() + log_variance.exp() - 1 + self.sign * log_variance
        return (pixels + 0.5 * terms.sum(1)).mean()


def evidence(model: nn.Module, x: Tensor, _: Tensor) -> float:
    """The evidence lower bound with the divergence as it should be."""
    return float(-Evidence(sign=-1)(model(x), x))


def sign_in_the_divergence(broken: bool) -> Arguments:
    (x, _), (x_held, _) = handwriting()
    model = Autoencoder()
    return dict(
        model=model,
        data=(x, x),
        held_out=(x_held, x_held),
        loss=Evidence(sign=1 if broken else -1),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=500,
    )


BUGS = (
    Bug(
        "sign in the divergence",
        "FluxML/model-zoo#147 (Another mistake in KL-divergence equation vae.jl)",
        "loss function",
        "The log variance enters the divergence with a plus, so that the loss falls without end.",
        sign_in_the_divergence,
        ("loss", "negative|unbounded|bounded below|no minimum|no lower bound|sign|below zero"),
        evidence,
        bad=-60,
        good=-35,
    ),
)
