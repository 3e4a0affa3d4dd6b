"""Several networks with an optimizer each: generator and discriminator, actor and critic."""

import torch
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional as F
from torch.optim import Adam

from loops.planted import Watch
from loops.third.material import perceptron, ring
from loops.third.real import Ended, RealBug, moved, weights


class Gan(nn.Module):
    """Noise to points of the plane, and points to a judgement."""

    def __init__(self) -> None:
        super().__init__()
        self.generator, self.discriminator = perceptron(4, 2), perceptron(2, 1)

    def fakes(self, n: int) -> Tensor:
        return self.generator(torch.randn(n, 4))

    def real_loss(self, points: Tensor) -> Tensor:
        """Cross entropy of the judgement that points are real."""
        return F.softplus(-self.discriminator(points)).mean()

    def fake_loss(self, points: Tensor) -> Tensor:
        """Cross entropy of the judgement that points are fake."""
        return F.softplus(self.discriminator(points)).mean()

    @torch.no_grad()
    def closeness(self) -> float:
        """Minus the distance of fakes to the circle, and of their mean to its centre."""
        fakes = self.fakes(2000)
        return -float((fakes.norm(dim=1) - 1).abs().mean() + fakes.mean(0).norm())


def adversaries(gan: Gan) -> tuple[Adam, Adam]:
    return (
        Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.999)),
        Adam(gan.discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999)),
    )


def steepness(gan: Gan, real: Tensor, fakes: Tensor) -> Tensor:
    """Penalty of a critic whose gradient between real and fake points has not length 1."""
    mixed = torch.lerp(real, fakes.detach(), torch.rand(len(real), 1)).requires_grad_()
    (slope,) = torch.autograd.grad(gan.discriminator(mixed).sum(), mixed, create_graph=True)
    return 0.3 * (slope.norm(dim=1) - 1).square().mean()


def fakes_not_detached(watch: Watch, broken: bool) -> Ended:
    gan = Gan()
    optimizer_g = Adam(gan.generator.parameters(), lr=2e-3, betas=(0.5, 0.9))
    optimizer_d = Adam(gan.discriminator.parameters(), lr=6e-3, betas=(0.5, 0.9))
    watch(gan, [optimizer_g, optimizer_d])
    for _ in range(400):
        optimizer_g.zero_grad()
        optimizer_d.zero_grad()
        fakes, real = gan.fakes(128), ring(128)
        seen = fakes if broken else fakes.detach()
        gap = gan.discriminator(seen).mean() - gan.discriminator(real).mean()
        (gap + steepness(gan, real, fakes)).backward(retain_graph=broken)
        optimizer_d.step()
        (-gan.discriminator(fakes).mean()).backward()
        optimizer_g.step()
    return Ended(gan.closeness())


def detached_for_the_generator(watch: Watch, broken: bool) -> Ended:
    gan = Gan()
    optimizer_g, optimizer_d = adversaries(gan)
    before = weights(gan.generator)
    watch(gan, [optimizer_g, optimizer_d])
    for _ in range(300):
        optimizer_d.zero_grad()
        fakes = gan.fakes(128)
        (gan.real_loss(ring(128)) + gan.fake_loss(fakes.detach())).backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        gan.real_loss(fakes.detach() if broken else fakes).backward()
        optimizer_g.step()
    return Ended(moved(gan.generator, before))


class ActorCritic(nn.Module):
    """Chances of four actions in a state, and what the state is worth."""

    def __init__(self) -> None:
        super().__init__()
        self.actor, self.critic = perceptron(4, 4), perceptron(4, 1)

    def forward(self, state: Tensor) -> tuple[Categorical, Tensor]:
        return Categorical(logits=self.actor(state)), self.critic(state).squeeze(-1)


def critic_without_a_step(watch: Watch, broken: bool) -> Ended:
    model = ActorCritic()
    actor = Adam(model.actor.parameters(), lr=2e-3)
    critic = Adam(model.critic.parameters(), lr=5e-3)
    before = weights(model.critic)
    watch(model, [actor, critic])
    for _ in range(300):
        state = torch.randn(256, 4)
        policy, value = model(state)
        action = policy.sample()
        reward = 3 * state.norm(dim=1) + (action == state.argmax(1)).float()
        gain = reward - value
        actor.zero_grad()
        critic.zero_grad()
        (-policy.log_prob(action) * gain.detach()).mean().backward()
        gain.square().mean().backward()
        actor.step()
        if not broken:
            critic.step()
    return Ended(moved(model.critic, before))


NO_GRADIENT = (
    "no gradient|without gradient|without a gradient|gets no|receive no|not reach|never reach"
    "|detach|graph is cut|graph cut|grad is none"
)
NO_STEP = (
    "never steps|never stepped|not stepped|no step|without a step|takes no step|did not step"
    "|never called|not called|never update|not updated|never change|not change|unchanged"
    "|does not move|never move"
)

BUGS = (
    RealBug(
        "GAN: fakes not detached for the discriminator",
        "https://github.com/eriklindernoren/PyTorch-GAN/issues/136",
        "The critic's loss also reaches the generator, whose gradient then is the sum of two "
        "losses of opposite sign.",
        (
            "detach|two losses|other loss|another loss|accumul|left over|leftover|several backward"
            "|more than one backward|two backward|stale",
        ),
        fakes_not_detached,
        bad=-0.7,
        good=-0.4,
    ),
    RealBug(
        "GAN: fakes detached for the generator",
        "https://github.com/nikhilsinghmus/image2reverb/issues/37",
        "The fakes are detached in the generator's step, too, so that it gets no gradient.",
        (NO_GRADIENT,),
        detached_for_the_generator,
        bad=0.0,
        good=0.99,
    ),
    RealBug(
        "actor and critic: the critic's optimizer never steps",
        "constructed; suspected by a reader in https://github.com/YTianZHU/verl/issues/5",
        "Both losses are differentiated, but only the actor's optimizer takes steps.",
        (NO_STEP,),
        critic_without_a_step,
        bad=0.0,
        good=0.99,
    ),
)
