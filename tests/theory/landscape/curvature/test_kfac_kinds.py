"""KFAC from drawn labels and without gradients; examples that stand apart; graphs that end."""

import gc
import weakref

import pytest
import torch
import torch.nn.functional as F
from torch import Generator, nn

from corollary.errors import InputError, NotApplicableError
from corollary.theory.landscape.curvature import Landscape, gauss_newton, kfac, pieces
from corollary.theory.landscape.curvature.drawn_labels import drawn_slopes
from corollary.theory.landscape.curvature.loss_roots import loss_roots

F64 = torch.float64
LOSSES = {
    "ce": (nn.CrossEntropyLoss(), lambda n: torch.arange(n) % 3),
    "smoothed": (nn.CrossEntropyLoss(label_smoothing=0.2), lambda n: torch.arange(n) % 3),
    "soft": (nn.CrossEntropyLoss(), lambda n: torch.full((n, 3), 1 / 3, dtype=F64)),
    "sum": (nn.CrossEntropyLoss(reduction="sum"), lambda n: torch.arange(n) % 3),
    "function": (F.cross_entropy, lambda n: torch.arange(n) % 3),
    "logistic": (nn.BCEWithLogitsLoss(), lambda n: torch.ones(n, 3, dtype=F64)),
    "mse": (nn.MSELoss(), lambda n: torch.ones(n, 3, dtype=F64)),
    "mse sum": (nn.MSELoss(reduction="sum"), lambda n: torch.ones(n, 3, dtype=F64)),
}


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=Generator().manual_seed(seed), dtype=F64)


def in_double(*layers):
    """The layers one after the other, with weights that are always the same."""
    module = nn.Sequential(*layers).double()
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(0.5 * draw(*p.shape, seed=10 + i))
    return module


def mlp():
    return in_double(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))


def landscape_of(loss, n=6, **options):
    criterion, target = LOSSES[loss]
    return Landscape(mlp(), criterion, (draw(n, 4), target(n)), **options)


def moments(columns):
    """The sum of s sᵀ for each example."""
    s = torch.stack([c.flatten(1) for c in columns], 2)
    return s @ s.mT


def gap(a, b):
    return float((a - b).norm() / b.norm())


@pytest.mark.parametrize("loss", LOSSES)
def test_drawn_gradients_have_the_hessian_of_the_loss_as_second_moment(loss):
    landscape = landscape_of(loss)
    (batch,) = landscape.batches()
    z = 2 * draw(6, 3, seed=1)
    drawn = drawn_slopes(landscape, z, batch, samples=1000, rng=Generator().manual_seed(0))
    assert gap(moments(drawn), moments(loss_roots(landscape, z, batch))) < 0.12


def test_positions_share_the_mean():
    target = torch.arange(8).reshape(2, 4) % 3
    landscape = Landscape(mlp(), nn.CrossEntropyLoss(), (draw(2, 4), target))
    (batch,) = landscape.batches()
    z = draw(2, 3, 4, seed=1)
    drawn = drawn_slopes(landscape, z, batch, samples=1000, rng=Generator().manual_seed(0))
    assert gap(moments(drawn), moments(loss_roots(landscape, z, batch))) < 0.2


def test_the_sampled_factors_of_one_example_are_those_of_its_gradients():
    landscape = landscape_of("ce", n=1)
    K = kfac(landscape, "sampled", samples=2, rng=Generator().manual_seed(5))
    (batch,) = landscape.batches()
    z = landscape.module(batch.inputs[0])
    slopes = drawn_slopes(landscape, z.detach(), batch, samples=2, rng=Generator().manual_seed(5))
    rows = [
        landscape.flat(
            torch.autograd.grad(z, list(landscape.module.parameters()), s, retain_graph=True)
        )
        for s in slopes
    ]
    exact = sum(torch.outer(g, g) for g in rows)
    for block in K.blocks:
        at = torch.cat([torch.arange(p.start, p.stop) for p in block.places])
        assert gap(K.dense()[at[:, None], at], exact[at[:, None], at]) < 1e-10


@pytest.mark.parametrize("corrected", [False, True])
def test_many_samples_come_near_the_exact_factors(corrected):
    landscape = landscape_of("ce", n=30)
    exact = kfac(landscape, corrected=corrected).dense()
    gaps = [
        gap(kfac(landscape, "sampled", samples=m, corrected=corrected).dense(), exact)
        for m in (1, 64)
    ]
    assert gaps[1] < 0.1 < gaps[0]


def test_draws_follow_the_generator():
    landscape = landscape_of("ce")
    first, again, other = (
        kfac(landscape, "sampled", rng=Generator().manual_seed(seed)).trace() for seed in (0, 0, 1)
    )
    assert first == again != other


def test_corrected_eigenvalues_from_drawn_labels_have_the_trace_on_average():
    landscape = landscape_of("ce", n=30)
    exact = float(gauss_newton(landscape).dense().trace())
    found = [
        kfac(landscape, "sampled", corrected=True, rng=Generator().manual_seed(s)).trace()
        for s in range(20)
    ]
    mean, error = torch.tensor(found).mean(), torch.tensor(found).std() / 20**0.5
    assert abs(float(mean) - exact) < 4 * float(error)
    assert float(error) < 0.08 * exact


def test_forward_only_factors_have_the_identity_for_gradients():
    x = draw(30, 4)
    landscape = Landscape(mlp(), nn.CrossEntropyLoss(), (x, torch.arange(30) % 3))
    K = kfac(landscape, "forward_only")
    a = torch.cat([x, torch.ones(30, 1, dtype=F64)], 1)
    values = torch.linalg.eigvalsh(a.T @ a / 30)
    assert torch.allclose(K.blocks[0].alpha, values)
    assert torch.allclose(K.blocks[0].beta, torch.ones(5, dtype=F64))
    summed = Landscape(mlp(), nn.CrossEntropyLoss(reduction="sum"), (x, torch.arange(30) % 3))
    assert kfac(summed, "forward_only").trace() == pytest.approx(30 * K.trace())


@pytest.mark.parametrize(
    "loss, match",
    [
        (nn.HuberLoss(), "HuberLoss"),
        (nn.CrossEntropyLoss(weight=torch.ones(3, dtype=F64)), "weight="),
        (nn.CrossEntropyLoss(ignore_index=1), "ignored"),
    ],
)
def test_a_loss_that_is_no_plain_likelihood_has_no_labels_to_draw(loss, match):
    target = draw(6, 3) if isinstance(loss, nn.HuberLoss) else torch.arange(6) % 3
    with pytest.raises(NotApplicableError, match=match):
        kfac(Landscape(mlp(), loss, (draw(6, 4), target)), "sampled")


def test_options_that_make_no_sense_are_refused():
    landscape = landscape_of("ce")
    for attempt in (
        lambda: kfac(landscape, "sampled", samples=0),
        lambda: kfac(landscape, samples=2),
        lambda: kfac(landscape, "forward_only", corrected=True),
    ):
        with pytest.raises(InputError):
            attempt()


def normalised():
    return in_double(
        nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(12, 3)
    )


def batch_norm(mode, parameters=("0", "4")):
    data = draw(6, 2, 4, 4), torch.arange(6) % 3
    return Landscape(normalised(), nn.CrossEntropyLoss(), data, mode=mode, parameters=parameters)


@pytest.mark.parametrize("kind", ["gauss_newton", "sampled", "empirical"])
def test_batch_normalisation_in_training_mode_is_refused_where_it_couples(kind):
    with pytest.raises(NotApplicableError, match="output of layer '0' for one example affects"):
        kfac(batch_norm("train"), kind)
    assert kfac(batch_norm("eval"), kind).trace() > 0


def test_layers_after_batch_normalisation_stay_exact_in_training_mode():
    landscape = batch_norm("train", "4")
    E = kfac(landscape, corrected=True)
    assert E.trace() == pytest.approx(float(gauss_newton(landscape).dense().trace()), rel=1e-10)


def test_any_module_that_mixes_examples_is_refused():
    class Mixing(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 3).double()

        def forward(self, x):
            h = self.layer(x)
            return h + (h @ h.T).softmax(1) @ h

    data = draw(6, 4), torch.arange(6) % 3
    with pytest.raises(NotApplicableError, match="layer 'layer'"):
        kfac(Landscape(Mixing(), nn.CrossEntropyLoss(), data))


def test_dropout_in_training_mode_couples_nothing():
    module = in_double(nn.Linear(4, 5), nn.Dropout(0.5), nn.Linear(5, 3))
    data = draw(6, 4), torch.arange(6) % 3
    landscape = Landscape(module, nn.CrossEntropyLoss(), data, mode="train")
    E = kfac(landscape, corrected=True)
    assert E.trace() == pytest.approx(float(gauss_newton(landscape).dense().trace()), rel=1e-10)


@pytest.mark.parametrize("loss", ["ce", "mse sum"])
def test_large_batches_are_cut_without_a_trace(loss, monkeypatch):
    landscape = landscape_of(loss, n=21)
    whole = kfac(landscape, corrected=True).dense()
    sizes = []
    landscape.module.register_forward_hook(lambda m, x, y: sizes.append(len(x[0])))
    monkeypatch.setattr(pieces, "LIMIT", 0)
    assert gap(kfac(landscape, corrected=True).dense(), whole) < 1e-12
    assert sorted(sizes)[-1] == 21  # to compare the loss, without a graph
    assert sizes.count(8) >= 5
    assert sizes.count(5) >= 2


def test_a_graph_is_gone_before_the_next_is_made():
    alive, most = [], []

    class Token:
        """Lives as long as the graph that holds it."""

    class Watched(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Linear(4, 5).double(), nn.Linear(5, 3).double()

        def forward(self, x):
            most.append(sum(h() is not None for h in alive))
            h, token = torch.tanh(self.up(x)), Token()
            if h.requires_grad:
                h.register_hook(lambda g, token=token: None)
            alive.append(weakref.ref(token))
            return self.down(h)

    x, y = draw(12, 4), torch.arange(12) % 3
    batches = [(x[i : i + 4], y[i : i + 4]) for i in range(0, 12, 4)]
    gc.disable()  # reference counts alone must do
    try:
        kfac(Landscape(Watched(), nn.CrossEntropyLoss(), batches), corrected=True)
    finally:
        gc.enable()
    assert max(most) == 0
    assert len(most) == 7  # a trial, and three batches twice
