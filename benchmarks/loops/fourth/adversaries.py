"""Generators and discriminators: whose parameters, whose gradients, which penalty."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from loops.planted import Watch
from loops.third.adversaries import Gan
from loops.third.material import perceptron, ring
from loops.third.real import Ended, RealBug, moved, weights


class TwoJudges(nn.Module):
    """Noise to points of the plane, which are judged as they are and by their products."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = perceptron(4, 2)
        self.judge, self.second_judge = perceptron(2, 1), perceptron(3, 1)

    def verdicts(self, points: Tensor) -> Tensor:
        u, v = points.unbind(1)
        products = torch.stack([u * u, v * v, u * v], 1)
        return torch.cat([self.judge(points), self.second_judge(products)], 1)


def one_judge_listed_twice(watch: Watch, broken: bool) -> Ended:
    gan = TwoJudges()
    other = gan.judge if broken else gan.second_judge
    judges = [*gan.judge.parameters(), *other.parameters()]
    optimizer_g = Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    optimizer_d = Adam(judges, lr=1e-3, betas=(0.5, 0.999))
    before = weights(gan.second_judge)
    watch(gan, [optimizer_g, optimizer_d])
    for _ in range(300):
        fakes, real = gan.generator(torch.randn(128, 4)), ring(128)
        optimizer_d.zero_grad()
        judged = F.softplus(-gan.verdicts(real)) + F.softplus(gan.verdicts(fakes.detach()))
        judged.mean().backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        F.softplus(-gan.verdicts(fakes)).mean().backward()
        optimizer_g.step()
    return Ended(moved(gan.second_judge, before))


def judge_never_cleared(watch: Watch, broken: bool) -> Ended:
    gan = Gan()
    optimizer_g = Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    optimizer_d = SGD(gan.discriminator.parameters(), lr=0.05)
    watch(gan, [optimizer_g, optimizer_d])
    for _ in range(400):
        fakes = gan.fakes(128)
        if not broken:
            optimizer_d.zero_grad()
        (gan.real_loss(ring(128)) + gan.fake_loss(fakes.detach())).backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        gan.real_loss(fakes).backward()
        optimizer_g.step()
    return Ended(gan.closeness())


def penalty_without_a_graph(watch: Watch, broken: bool) -> Ended:
    gan = Gan()
    optimizer_g = Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    optimizer_d = Adam(gan.discriminator.parameters(), lr=3e-3, betas=(0.5, 0.9))
    watch(gan, [optimizer_g, optimizer_d])
    for _ in range(300):
        fakes, real = gan.fakes(128), ring(128)
        mixed = torch.lerp(real, fakes.detach(), torch.rand(128, 1)).requires_grad_()
        judged = gan.discriminator(mixed).sum()
        (slope,) = torch.autograd.grad(judged, mixed, create_graph=not broken)
        penalty = 3 * (slope.norm(dim=1) - 1).square().mean()
        gap = gan.discriminator(fakes.detach()).mean() - gan.discriminator(real).mean()
        optimizer_d.zero_grad()
        (gap + penalty).backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        (-gan.discriminator(fakes).mean()).backward()
        optimizer_g.step()
    return Ended(-steepness(gan))


def steepness(gan: Gan) -> float:
    """Length of the critic's gradient near the circle."""
    points = ring(500).requires_grad_()
    (slope,) = torch.autograd.grad(gan.discriminator(points).sum(), points)
    return float(slope.norm(dim=1).mean())


BUGS = (
    RealBug(
        "GAN: one discriminator listed twice, the other not at all",
        "https://github.com/line/open-universe/issues/5",
        "The list of parameters has the first discriminator twice, and the second is never "
        "trained.",
        (
            "no optimizer|not in the optimizer|not in any optimizer|none of the opt|not own|unowned"
            "|missing param|missing from the opt|optimizer does not|not given to|twice|duplicat"
            "|never update|not update|never change|unchanged",
        ),
        one_judge_listed_twice,
        bad=0.0,
        good=0.99,
    ),
    RealBug(
        "GAN: gradients of the discriminator never cleared",
        "https://github.com/Project-MONAI/GenerativeModels/issues/102",
        "Only the generator's optimizer clears its gradients; those of the discriminator add up "
        "over all batches, its own and the generator's.",
        (
            "zero_grad|clear|zeroed|set to zero|accumul|left over|leftover|add up|adds up|added up"
            "|summed|pile|stale",
        ),
        judge_never_cleared,
        bad=-0.6,
        good=-0.45,
    ),
    RealBug(
        "GAN: gradient penalty without create_graph",
        "https://github.com/igul222/improved_wgan_training/issues/18",
        "The penalty is computed from a gradient without a graph, so it is a constant and the "
        "critic grows as steep as it likes.",
        (
            "penalty|create_graph|create graph|regulari|lipschitz|steep|detach",
            "create_graph|create graph|no gradient|without gradient|without a gradient|no graph"
            "|without a graph|detach|constant|no effect|not backprop|not differentiat|requires_grad"
            "|not reach|grow|unbounded",
        ),
        penalty_without_a_graph,
        bad=-3.0,
        good=-1.6,
    ),
)
