import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError, InputTypeError, NotApplicableError
from corollary.models.mlp import MLP
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.train import Certified, Checkpoint, L2Penalty, fit

ENTROPY = nn.functional.cross_entropy
EPS = 0.2


def cloud(n=200):
    """Four classes by the signs of two coordinates, among others that say little."""
    rng = generator(0, "cloud")
    y = torch.randint(4, (n,), generator=rng)
    signs = torch.stack([y % 2, y // 2], 1).double() * 2 - 1
    middle = torch.cat([0.6 * signs, 0.1 * signs.repeat(1, 4)], 1)
    return middle + 0.15 * torch.randn(n, 10, generator=rng, dtype=torch.float64), y


def train(call=None, steps=12, **options):
    net = options.pop("net", None) or MLP([10, 24, 24, 4], rng=generator(0, "net"))
    if call is not None:
        options["call"] = call
    options.setdefault("optimizer", lambda p: torch.optim.SGD(p, lr=0.1))
    return net, fit(net, cloud(), ENTROPY, steps=steps, batch_size=50, **options)


def certified(**options):
    return Certified(EPS, box=None, **options)


def proved(net):
    x, y = cloud()
    return float((Certifier(net, x).margins(x, y, EPS, "crown") > 0).double().mean())


def test_certified_training_proves_more_than_standard_training():
    shares = [
        proved(train(call, 60, optimizer=lambda p: torch.optim.Adam(p, lr=0.02))[0])
        for call in (
            None,
            certified(warmup=5, ramp=30),
            certified(warmup=5, ramp=30, method="crown-ibp"),
        )
    ]
    assert shares[0] + 0.2 < min(shares[1:])


def test_while_it_warms_up_it_is_standard_training_to_the_bit():
    (a, one), (b, two) = train(), train(certified(warmup=12, ramp=5))
    assert one.losses == two.losses
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))
    _, three = train(certified(warmup=6))
    assert three.losses[:6] == one.losses[:6]
    assert three.losses[6] > 1.5 * one.losses[6]  # half of the loss is that of intervals now


def test_radius_zero_is_standard_training():
    assert train()[1].losses == train(Certified(0.0))[1].losses


def test_the_schedules_are_those_of_the_formulas():
    net, (x, y) = MLP([10, 8, 4], rng=generator(0, "net")), cloud(20)
    call = certified(warmup=4, ramp=10, kappa=0.25)
    net.requires_grad_(False)
    clean = ENTROPY(net(x), y)
    worst = Certified(EPS / 2, box=None, kappa=0.0).value(net, ENTROPY, x, y)
    half = call.value(net, ENTROPY, x, y, step=9)  # p = 1/2, kappa = 1 - 0.75/2
    assert half.item() == pytest.approx(float(0.625 * clean + 0.375 * worst))
    end = call.value(net, ENTROPY, x, y)
    worst = Certified(EPS, box=None, kappa=0.0).value(net, ENTROPY, x, y)
    assert end.item() == pytest.approx(float(0.25 * clean + 0.75 * worst))


@pytest.mark.parametrize("method", ["ibp", "crown-ibp"])
def test_a_resumed_run_goes_on_where_the_schedules_were(method, tmp_path):
    call = certified(warmup=3, ramp=20, method=method)
    _, whole = train(call, 12)
    train(call, 6, checkpoint=Checkpoint(tmp_path / "run", every=6))
    _, rest = train(call, 12, checkpoint=Checkpoint(tmp_path / "run", every=6, resume=True))
    assert rest.losses == whole.losses


def test_pieces_of_a_batch_give_the_same_run():
    call = certified(warmup=2, ramp=8)
    assert train(call, accumulate=4)[1].losses == pytest.approx(train(call)[1].losses, rel=1e-9)


def test_a_loss_that_gives_sum_and_count_does_too():
    def entropy(out, y):
        return ENTROPY(out, y, reduction="sum"), len(y)

    call, net = certified(), MLP([10, 8, 4], rng=generator(0, "net"))
    total, count = call.value(net, entropy, *cloud(20))
    assert (total / count).item() == pytest.approx(call.value(net, ENTROPY, *cloud(20)).item())


def test_within_a_penalty_the_schedules_run_too():
    _, plain = train(L2Penalty(0.01))
    _, both = train(L2Penalty(0.01, call=certified(warmup=6)))
    assert both.losses[:6] == plain.losses[:6]
    assert both.losses[6] > 1.5 * plain.losses[6]


def test_dropout_and_normalisation_train_and_bounds_use_running_statistics():
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 4)
    ).double()
    _, history = train(certified(warmup=5, ramp=10), 20, net=net.eval())
    assert not net.training and int(net[1].num_batches_tracked) == 20
    assert history.losses[4] < history.losses[0]


def test_one_object_trains_several_modules():
    call = certified()
    first, second = train(call, 3), train(call, 3, net=MLP([10, 6, 4], rng=generator(1, "net")))
    again = train(call, 3)
    assert first[1].losses == again[1].losses != second[1].losses


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="kappa"):
        Certified(0.1, kappa=2)
    with pytest.raises(InputError, match="'ibp' or 'crown-ibp'"):
        Certified(0.1, method="crown")
    with pytest.raises(InputTypeError, match="warmup"):
        Certified(0.1, warmup=2.5)
    with pytest.raises(InputError, match="'linf' or 'l2'"):
        Certified(0.1, norm="l1", box=None).value(nn.Linear(10, 4).double(), ENTROPY, *cloud(4))
    with pytest.raises(InputError, match="inputs and labels"):
        Certified(0.1)(nn.Linear(2, 2), ENTROPY, torch.ones(1, 2))

    class Sorts(nn.Linear):
        def forward(self, x):
            return super().forward(x).sort(dim=1).values

    with pytest.raises(NotApplicableError, match="sort"):
        train(certified(), net=Sorts(10, 4).double())
