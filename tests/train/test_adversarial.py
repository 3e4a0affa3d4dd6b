import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.data.two_moons import two_moons
from corollary.errors import InputError
from corollary.models.mlp import MLP
from corollary.theory.robustness.gradient_attacks import FGSM, PGD
from corollary.theory.robustness.risk import adversarial_risk
from corollary.train import Adversarial, fit


def cloud(n=400):
    """Label 1 or 0 by a strong coordinate, and by many weak ones."""
    rng = generator(0, "cloud")
    y = torch.randint(2, (n,), generator=rng)
    mu = torch.cat([torch.tensor([1.5]), torch.full((20,), 0.25)]).double()
    noise = torch.randn(n, 21, generator=rng, dtype=torch.float64)
    return (2.0 * y[:, None] - 1) * mu + noise, y


def train(call=None, steps=150):
    net = MLP([21, 16, 2], rng=generator(0, "net"))
    x, y = cloud()
    options = {} if call is None else {"call": call}
    history = fit(
        net,
        (x, y),
        nn.functional.cross_entropy,
        lambda p: torch.optim.SGD(p, lr=0.2),
        steps=steps,
        batch_size=100,
        **options,
    )
    return net, history


def test_adversarial_training_is_more_robust_than_standard_training():
    x, y = cloud()
    attack = PGD(0.4, steps=10, box=None)
    risks = []
    for call in (None, Adversarial(PGD(0.4, steps=4, box=None, keep="last"))):
        net, _ = train(call)
        risks.append(adversarial_risk(net, x, y, attack, rng=generator(0, "judge")))
    standard, robust = risks
    assert robust.robust_accuracy > standard.robust_accuracy + 0.1
    assert robust.accuracy > 0.8  # what is paid on clean inputs is little here
    assert standard.accuracy >= robust.accuracy


def test_radius_zero_is_standard_training_to_the_bit():
    (a, one), (b, two) = (
        train(steps=20),
        train(Adversarial(PGD(0.0, alpha=0.1, box=None)), steps=20),
    )
    assert one.losses == two.losses
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))


def test_a_run_with_random_starts_repeats():
    call = Adversarial(PGD(0.2, steps=2, box=None, keep="last"))
    assert train(call, steps=10)[1].losses == train(call, steps=10)[1].losses


def test_dropout_trains_and_its_mode_comes_back():
    x, y = two_moons(40, rng=generator(0, "moons"))
    net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 1)).to(x.dtype)
    labels = torch.where(y > 0, 1.0, -1.0).to(x.dtype).reshape(-1)
    loss = lambda out, y: nn.functional.softplus(-y * out[:, 0]).mean()  # noqa: E731
    history = fit(
        net.eval(),
        (x, labels),
        loss,
        lambda p: torch.optim.SGD(p, lr=0.1),
        steps=5,
        call=Adversarial(FGSM(0.1, box=None)),
    )
    assert len(history) == 5 and not net.training


def test_batches_without_labels_are_refused():
    with pytest.raises(InputError, match="inputs and labels"):
        Adversarial(FGSM(0.1))(nn.Linear(2, 2), None, torch.ones(1, 2))
