"""Several networks, several losses, several steps."""

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F
from torch.optim import SGD, Adam

from loops.material import mlp
from loops.planted import Watch
from loops.second.material import Backbone
from loops.third.adversaries import Gan, adversaries
from loops.third.adversaries import steepness as penalty
from loops.third.material import batches, perceptron, ring, split_digits, table


def adversarial(watch: Watch) -> None:
    gan = Gan()
    optimizer_g, optimizer_d = adversaries(gan)
    watch(gan, [optimizer_g, optimizer_d])
    for _ in range(250):
        fakes = gan.fakes(128)
        optimizer_d.zero_grad()
        (gan.real_loss(ring(128)) + gan.fake_loss(fakes.detach())).backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        gan.real_loss(fakes).backward()
        optimizer_g.step()


def critic_with_a_penalty(watch: Watch) -> None:
    """Three steps of the critic for one of the generator."""
    gan = Gan()
    optimizer_g = Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    optimizer_d = Adam(gan.discriminator.parameters(), lr=2e-3, betas=(0.5, 0.9))
    watch(gan, [optimizer_g, optimizer_d])
    for k in range(300):
        fakes, real = gan.fakes(128), ring(128)
        gap = gan.discriminator(fakes.detach()).mean() - gan.discriminator(real).mean()
        optimizer_d.zero_grad()
        (gap + penalty(gan, real, fakes)).backward()
        optimizer_d.step()
        if k % 3 == 2:
            optimizer_g.zero_grad()
            (-gan.discriminator(gan.fakes(128)).mean()).backward()
            optimizer_g.step()


class TwoTasks(nn.Module):
    """One body, two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.digit, self.ink = mlp(outputs=32), nn.Linear(32, 10), nn.Linear(32, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = F.relu(self.body(x))
        return self.digit(h), self.ink(h).squeeze(1)


def two_tasks(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    model = TwoTasks()
    weight = nn.Parameter(torch.zeros(2))  # the logarithms of the tasks' variances
    optimizer = Adam([*model.parameters(), weight], lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for a, b in batches(x, y):
            digit, ink = model(a)
            losses = torch.stack([F.cross_entropy(digit, b), F.mse_loss(ink, a.mean(1))])
            optimizer.zero_grad()
            ((-weight).exp() * losses + weight).sum().backward()
            optimizer.step()


def two_tasks_in_turn(watch: Watch) -> None:
    x, y, _, _ = split_digits()
    model = TwoTasks()
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(8):
        for k, (a, b) in enumerate(batches(x, y)):
            digit, ink = model(a)
            loss = F.cross_entropy(digit, b) if k % 2 else F.mse_loss(ink, a.mean(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def meta_learning(watch: Watch) -> None:
    """MAML on lines: an inner step that is differentiated through."""
    model = perceptron(1, 1, width=32)
    optimizer = Adam(model.parameters(), lr=2e-3)
    watch(model, optimizer)
    for _ in range(120):
        loss = torch.zeros(())
        for _ in range(4):
            slope, x = torch.randn(1), torch.randn(20, 1)
            own = dict(model.named_parameters())
            inner = F.mse_loss(functional_call(model, own, (x[:10],)), slope * x[:10])
            grads = torch.autograd.grad(inner, list(own.values()), create_graph=True)
            fast = {n: p - 0.1 * g for (n, p), g in zip(own.items(), grads, strict=True)}
            loss = loss + F.mse_loss(functional_call(model, fast, (x[10:],)), slope * x[10:])
        optimizer.zero_grad()
        (loss / 4).backward()
        optimizer.step()


def sharpness_aware(watch: Watch) -> None:
    """SAM: climb a little, take the gradient there, step from where one was."""
    x, y, _, _ = split_digits()
    model = mlp()
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
    watch(model, optimizer)
    for _ in range(6):
        for a, b in batches(x, y):
            F.cross_entropy(model(a), b).backward()
            grads = [p.grad.clone() for p in model.parameters()]
            norm = torch.stack([g.norm() for g in grads]).norm() + 1e-12
            with torch.no_grad():
                for p, g in zip(model.parameters(), grads, strict=True):
                    p.add_(g, alpha=0.05 / float(norm))
            optimizer.zero_grad()
            F.cross_entropy(model(a), b).backward()
            with torch.no_grad():
                for p, g in zip(model.parameters(), grads, strict=True):
                    p.sub_(g, alpha=0.05 / float(norm))
            optimizer.step()
            optimizer.zero_grad()


def adversarial_training(watch: Watch) -> None:
    x, y, _, _ = split_digits(images=True)
    model = Backbone()
    optimizer = Adam(model.parameters(), lr=1e-3)
    watch(model, optimizer)
    for _ in range(3):
        for a, b in batches(x, y):
            moved = a.clone().requires_grad_()
            (slope,) = torch.autograd.grad(F.cross_entropy(model(moved), b), moved)
            optimizer.zero_grad()
            F.cross_entropy(model((a + 0.1 * slope.sign()).detach()), b).backward()
            optimizer.step()


def own_optimizer_per_part(watch: Watch) -> None:
    """A generator of features and a regressor, each with its optimizer, one loss."""
    model = nn.Sequential(perceptron(8, 16), nn.ReLU(), perceptron(16, 1))
    first, second = Adam(model[0].parameters(), lr=1e-3), SGD(model[2].parameters(), lr=0.02)
    watch(model, [first, second])
    for _ in range(8):
        for a, b in batches(*table(1600)):
            first.zero_grad()
            second.zero_grad()
            F.mse_loss(model(a), b).backward()
            first.step()
            second.step()


LOOPS = (
    adversarial,
    critic_with_a_penalty,
    two_tasks,
    two_tasks_in_turn,
    meta_learning,
    sharpness_aware,
    adversarial_training,
    own_optimizer_per_part,
)
