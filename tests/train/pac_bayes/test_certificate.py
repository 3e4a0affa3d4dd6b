import copy

import pytest
import torch
from scipy.stats import binomtest
from torch import nn

from corollary.errors import InputError, InputTypeError
from corollary.train.pac_bayes import (
    GaussianPosterior,
    holdout_bound,
    pac_bayes_certificate,
    pac_bayes_train,
)
from corollary.train.pac_bayes.holdout import errors, soft_error


def halves(n, seed=0, noise=0.0):
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 4, generator=rng)
    y = (x[:, 0] > 0).long()
    flip = torch.rand(n, generator=rng) < noise
    return x, torch.where(flip, 1 - y, y)


def line(seed=0):
    net = nn.Linear(4, 2)
    rng = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(0.1 * torch.randn(p.shape, generator=rng))
    return net


def certificate():
    return pac_bayes_certificate(
        line(), halves(1000), test=halves(1000, 1), steps=250, draws=10_000
    )


@pytest.fixture(scope="module")
def found():
    return certificate()


def test_the_certificate_is_above_the_error_on_fresh_data(found):
    assert found.error <= found.error_bound < found.bound < 0.5
    assert found.test_error < found.bound and not found.vacuous
    assert found.bound <= found.mcallester


def test_it_says_what_it_is_made_of(found):
    text = str(found)
    for words in ("the bound holds: 0.95", "samples n: 1000", "KL", "exact upper bound"):
        assert words in text
    assert "<table>" in found._repr_html_() and "KL(Q‖P)" in found._repr_html_()


def test_the_same_seed_gives_the_same_certificate(found):
    assert certificate() == found


def test_no_global_state_and_no_module_is_touched():
    net = line()
    before, state = copy.deepcopy(net.state_dict()), torch.get_rng_state()
    pac_bayes_certificate(net, halves(100), steps=5)
    assert all(torch.equal(v, before[k]) for k, v in net.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)


def test_random_labels_are_certified_no_better_than_a_coin():
    x, _ = halves(400)
    y = torch.randint(0, 2, (400,), generator=torch.Generator().manual_seed(5))
    found = pac_bayes_certificate(line(), (x, y), steps=100)
    assert found.bound > 0.5


def test_a_weight_that_does_not_matter_is_as_noisy_as_the_prior_and_free():
    x, y = halves(1000)
    x[:, 3] = 0.0
    Q, _ = pac_bayes_train(line(), (x, y), steps=300, rate=0.02)
    s, lam = Q.log_s[0].detach().exp(), Q.on_grid()[1].lam
    assert float(s[:, 3].min()) > 0.5 * lam > float(s[:, 1:3].max())


def test_a_network_that_bears_noise_has_a_smaller_divergence():
    wide, narrow = (
        GaussianPosterior(line(), halves(10)[0], sigma=s).divergence().item() for s in (0.3, 0.01)
    )
    assert wide < narrow


def test_a_learned_prior_counts_only_the_other_samples():
    start = line()
    found = pac_bayes_certificate(
        line(3), halves(1000), prior=start, learn_prior=0.4, steps=150, draws=5000
    )
    assert found.n == 600 and found.prior_bound is not None and found.bound < 0.3
    with pytest.raises(InputError, match="learn_prior needs prior"):
        pac_bayes_certificate(line(), halves(100), learn_prior=0.5)


def test_statistics_that_were_learned_are_refused():
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2))
    start = copy.deepcopy(net)
    net[1].running_mean += 1
    with pytest.raises(InputError, match="running_mean"):
        pac_bayes_certificate(net, halves(50), prior=start)
    start.train()(halves(50)[0])
    with pytest.raises(InputError, match="learned from 1 batches"):
        pac_bayes_certificate(start, halves(50))


@pytest.mark.parametrize(
    "net, data",
    [
        (nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3)), None),
        (
            nn.Sequential(
                nn.Unflatten(1, (1, 4)), nn.Conv1d(1, 2, 2), nn.Flatten(), nn.Linear(6, 3)
            ),
            None,
        ),
        (nn.Linear(4, 1), "signs"),
    ],
)
def test_heads_of_all_kinds_can_be_certified(net, data):
    x, y = halves(60)
    y = 2.0 * y - 1 if data == "signs" else y
    found = pac_bayes_certificate(net, (x, y), steps=10, draws=100)
    assert 0 < found.bound <= 1 and found.draws >= 100


@pytest.mark.parametrize("wrong, n", [(0, 50), (7, 50), (50, 50), (3, 10_000)])
def test_the_holdout_bound_is_that_of_clopper_and_pearson(wrong, n):
    theirs = binomtest(wrong, n, alternative="less").proportion_ci(0.95, method="exact").high
    assert holdout_bound(wrong, n, 0.05) == pytest.approx(theirs)


def test_a_tie_is_an_error():
    assert errors(torch.zeros(1, 3), torch.tensor([0])).tolist() == [True]
    assert errors(torch.zeros(1), torch.tensor([1.0])).tolist() == [True]
    assert soft_error(torch.zeros(1), torch.tensor([1.0])).item() == 0.5


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: pac_bayes_certificate("net", halves(10)), InputTypeError),
        (lambda: pac_bayes_certificate(line(), torch.zeros(3)), InputTypeError),
        (lambda: pac_bayes_certificate(line(), halves(10), prior=3), InputTypeError),
        (lambda: pac_bayes_certificate(line(), halves(10), delta=1.5), InputError),
        (lambda: pac_bayes_certificate(line(), (halves(10)[0], torch.full((10,), 7))), InputError),
        (
            lambda: pac_bayes_certificate(nn.Linear(4, 1), (halves(10)[0], torch.full((10,), 7.0))),
            InputError,
        ),
        (lambda: holdout_bound(5, 3, 0.1), InputError),
    ],
)
def test_what_cannot_be_certified_is_refused_with_a_reason(call, error):
    with pytest.raises(error):
        call()
