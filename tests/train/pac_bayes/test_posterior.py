import copy

import pytest
import torch
from torch import nn

from corollary.errors import InputError, NotApplicableError
from corollary.train.pac_bayes import GaussianPosterior
from corollary.train.pac_bayes.gibbs import GibbsError, gibbs_error

DENSE = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))


class Tied(nn.Module):
    """The same layer twice: no row may have weights of its own."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(torch.relu(self.layer(x)))


class ByHand(nn.Module):
    """A dense layer that is written as a product."""

    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.randn(2, 3))

    def forward(self, x):
        return x @ self.W.T


class Attending(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.MultiheadAttention(4, 2, batch_first=True)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        x = x.reshape(len(x), -1, 4)
        return self.norm(x + self.block(x, x, x, need_weights=False)[0]).mean(1)


class Reading(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.cell = nn.Embedding(5, 4), nn.LSTM(4, 3, batch_first=True)

    def forward(self, x):
        return self.cell(self.words(x))[0][:, -1]


class Hidden(nn.Module):
    """Uses its weights where no function of torch sees them."""

    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.ones(2, 3))

    def forward(self, x):
        with torch._C.DisableTorchFunction():
            return x @ self.W.T


def convolutional():
    return nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3)
    )


ZOO = [
    (lambda: copy.deepcopy(DENSE), (6, 3), True),
    (Tied, (6, 3), False),
    (ByHand, (6, 3), False),
    (Attending, (6, 8), False),
    (convolutional, (6, 1, 4, 4), False),
]


@pytest.mark.parametrize("make, shape, independent", ZOO)
def test_rows_have_weights_of_their_own_exactly_where_all_layers_are_dense(
    make, shape, independent
):
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    Q = GaussianPosterior(make(), x)
    assert Q.independent is independent
    assert Q(x).shape[0] == 6 and not torch.equal(Q(x), Q(x))


def test_token_ids_and_recurrent_layers_can_be_randomised():
    x = torch.randint(5, (6, 4), generator=torch.Generator().manual_seed(0))
    y = torch.zeros(6, dtype=torch.int64)
    Q = GaussianPosterior(Reading(), x)
    assert not Q.independent and not torch.equal(Q(x), Q(x))
    assert gibbs_error(Q, (x, y), draws=40, group=4).draws == 40


def test_row_by_row_the_law_is_that_of_whole_draws():
    x = torch.randn(1, 3, generator=torch.Generator().manual_seed(1))
    Q = GaussianPosterior(DENSE, x, sigma=0.3)
    with torch.no_grad(), torch.random.fork_rng():
        torch.manual_seed(0)
        rows = Q(x.expand(40_000, 3))
        whole = torch.stack([Q.draw_once(x)[0] for _ in range(1500)])
    for moment in (torch.mean, torch.var):
        a, b = moment(rows, 0), moment(whole, 0)
        assert torch.allclose(a, b, atol=6 * float(whole.std()) / 1500**0.5)


def test_without_noise_the_network_is_the_mean():
    x = torch.randn(5, 3)
    Q = GaussianPosterior(DENSE, x, sigma=1e-8)
    assert torch.allclose(Q(x), DENSE(x), atol=1e-5)
    assert torch.allclose(Q.draw_once(x), DENSE(x), atol=1e-5)


def test_the_module_is_left_as_it_came():
    net, x = copy.deepcopy(DENSE).train(), torch.randn(5, 3)
    before = copy.deepcopy(net.state_dict())
    GaussianPosterior(net, x)(x).sum().backward()
    assert net.training and all(torch.equal(v, before[k]) for k, v in net.state_dict().items())
    assert all(p.grad is None for p in net.parameters())


def test_frozen_parameters_are_not_drawn():
    net = copy.deepcopy(DENSE)
    net[0].requires_grad_(False)
    Q = GaussianPosterior(net, torch.randn(4, 3))
    assert len(Q.log_s) == 2


def test_the_divergence_is_that_of_torch():
    from torch.distributions import Normal, kl_divergence

    Q = GaussianPosterior(DENSE, torch.randn(4, 3), sigma=0.2)
    theirs = sum(
        kl_divergence(Normal(p, 0.2), Normal(torch.zeros_like(p), 0.5**0.5)).sum()
        for p in DENSE.parameters()
    )
    assert Q.divergence(0.5).item() == pytest.approx(theirs.item(), rel=1e-5)
    kl, grid = Q.on_grid()
    assert kl >= Q.divergence().item() - 1e-3 and kl + grid.price >= Q.price().item() - 0.1


def test_weights_that_torch_does_not_see_are_refused():
    with pytest.raises(NotApplicableError, match="outside of torch functions"):
        GaussianPosterior(Hidden(), torch.randn(4, 3))


def test_scripted_modules_and_modules_without_parameters_are_refused():
    with pytest.raises(InputError, match="no trainable parameters"):
        GaussianPosterior(nn.ReLU(), torch.randn(4, 3))
    with pytest.raises(InputError, match="'0.weight' is missing"):
        GaussianPosterior(DENSE, torch.randn(4, 3), {})
    with pytest.raises(InputError, match="sigma"):
        GaussianPosterior(DENSE, torch.randn(4, 3), sigma=0.0)


def test_the_smooth_error_of_two_classes_is_the_error_itself():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(200, 3, generator=rng)
    y = (x[:, 0] > 0).long()
    for net, labels in ((DENSE, y), (nn.Sequential(DENSE, nn.Linear(2, 1)), 2.0 * y - 1)):
        Q = GaussianPosterior(net, x, sigma=0.5)
        with torch.no_grad(), torch.random.fork_rng():
            torch.manual_seed(0)
            smooth = sum(float(Q.smooth_error(x, labels)) for _ in range(300)) / 300
        counted = gibbs_error(Q, (x, labels), draws=60_000)
        assert smooth == pytest.approx(counted.error, abs=0.01)


def test_the_interval_of_the_draws_covers():
    x = torch.ones(300, 1)
    layer = nn.Linear(1, 1, bias=False)
    nn.init.constant_(layer.weight, 1.0)
    Q = GaussianPosterior(layer, x, sigma=1.0)
    truth = 0.158655
    uppers = [gibbs_error(Q, (x, x[:, 0]), draws=300, seed=s).upper(0.1) for s in range(100)]
    assert sum(u < truth for u in uppers) <= 20


def test_a_smaller_last_group_is_filled_up():
    found = GibbsError(wrong=10, counted=100, draws=30, padding=1.2)
    plain = GibbsError(wrong=10, counted=100, draws=30, padding=1.0)
    assert found.upper(0.05) > found.error and plain.upper(0.05) > plain.error
    assert GibbsError(100, 100, 30, 1.0).upper(0.05) == 1.0


def test_groups_count_once():
    x, y = torch.randn(10, 1, 4, 4), torch.zeros(10, dtype=torch.int64)
    Q = GaussianPosterior(convolutional(), x)
    found = gibbs_error(Q, (x, y), draws=9, group=4)
    assert (found.draws, found.counted, found.padding) == (9, 30, 1.2)
