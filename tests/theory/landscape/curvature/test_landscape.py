"""Any module, safely: it comes back as it was, and what cannot work is said in a sentence."""

import pytest
import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.utils.data import DataLoader, TensorDataset

from corollary.errors import InputError, InputTypeError, NotFiniteError
from corollary.theory.landscape.curvature import (
    EdgeOfStability,
    Landscape,
    fisher,
    gauss_newton,
    hessian,
    loss_slice,
    noise_scale,
    sharpness,
)

CE = nn.CrossEntropyLoss()


class Once(torch.autograd.Function):
    """A layer that cannot be differentiated twice."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


@pytest.mark.parametrize("mode", ["eval", "train", "keep"])
def test_the_module_comes_back_bit_for_bit(mode, snapshot):
    module = nn.Sequential(
        nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Dropout(0.3), nn.Tanh(), nn.Linear(6, 3)
    )
    module[2].eval()
    module[4].bias.requires_grad_(False)
    module[0].register_forward_hook(lambda *a: None)
    x, y = torch.randn(40, 4), torch.randint(0, 3, (40,))
    CE(module(x), y).backward()
    before = snapshot(module)
    landscape = Landscape(module, CE, (x, y), mode=mode, parameters="*")
    v = torch.ones(landscape.size)
    for make in (hessian, gauss_newton, lambda l: fisher(l, "empirical")):
        make(landscape) @ v
    landscape.loss(), landscape.gradient(), sharpness(landscape)
    loss_slice(landscape, points=3), noise_scale(landscape, group_size=8)
    snapshot.same(before, snapshot(module))


def test_it_comes_back_also_after_an_error(snapshot, small):
    module, x, y = small
    before = snapshot(module)
    calls = []

    def failing(output, target):
        calls.append(1)
        if len(calls) > 2:
            raise ValueError("a loss of the user's breaks")
        return CE(output, target)

    landscape = Landscape(module, failing, (x, y))
    with pytest.raises(ValueError, match="user's"):
        loss_slice(landscape, points=5)
    snapshot.same(before, snapshot(module))


def test_dropout_in_training_mode_is_one_fixed_function():
    module = nn.Sequential(nn.Linear(4, 30), nn.Dropout(0.5), nn.Linear(30, 1)).double()
    x, y = torch.randn(20, 4, dtype=torch.float64), torch.randn(20, 1, dtype=torch.float64)
    landscape = Landscape(module, nn.MSELoss(), (x, y), mode="train")
    kept = hessian(landscape)
    streamed = hessian(Landscape(module, nn.MSELoss(), (x, y), mode="train", memory=0))
    v = torch.ones(kept.size, dtype=torch.float64)
    assert landscape.loss() == landscape.loss()
    assert torch.allclose(kept @ v, streamed @ v, rtol=1e-12)
    assert torch.equal(streamed @ v, streamed @ v)


def test_a_shuffling_loader_is_the_same_loss_each_time(snapshot):
    module = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)).double()
    x, y = torch.randn(30, 4, dtype=torch.float64), torch.randint(0, 3, (30,))
    loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True)
    before = snapshot(module)
    landscape = Landscape(module, CE, loader, mode="train", memory=0)
    H = hessian(landscape)
    v = torch.ones(H.size, dtype=torch.float64)
    assert torch.equal(H @ v, H @ v)
    snapshot.same(before, snapshot(module))


def test_several_inputs_and_keywords_are_passed_on():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(3))

        def forward(self, a, b):
            return (a * b) @ self.w

    a, b, y = torch.randn(6, 3), torch.randn(6, 3), torch.randn(6)
    expected = 2 * (a * b).T @ (a * b) / 6
    for data in (
        ((a, b), y),
        ({"a": a, "b": b}, y),
        [((a[:2], b[:2]), y[:2]), ([a[2:], b[2:]], y[2:])],
    ):
        found = hessian(Landscape(Two(), nn.MSELoss(), data)).dense()
        assert torch.allclose(found, expected, atol=1e-6)
    own = Landscape(Two(), lambda z: z.square().mean(), {"a": a, "b": b})
    assert torch.allclose(hessian(own).dense(), expected, atol=1e-6)


def test_fused_attention_works_and_the_path_is_said():
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    module = nn.Sequential(layer, nn.Flatten(), nn.Linear(24, 2))
    x, y = torch.randn(5, 3, 8), torch.randint(0, 2, (5,))
    H = hessian(Landscape(module, CE, (x, y)))
    assert H.path.startswith("double reverse; graph kept")
    assert H.asymmetry(rng=torch.Generator().manual_seed(0)) < 1e-5


def test_a_layer_without_second_derivative_falls_back_to_differences():
    class Cube(nn.Module):
        def forward(self, x):
            return Once.apply(x)

    linear = nn.Linear(2, 1, bias=False).double()
    x = torch.randn(6, 2, dtype=torch.float64)
    before = linear.weight.detach().clone()
    H = hessian(Landscape(nn.Sequential(linear, Cube()), lambda z: z.mean(), x))
    assert "central differences" in H.path and "once_differentiable" in H.path
    exact = 6 * (x.T * (x @ linear.weight.T).squeeze(1)) @ x / 6
    assert torch.allclose(H.dense(), exact.detach(), rtol=1e-4, atol=1e-6)
    assert torch.equal(before, linear.weight)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own
def test_a_compiled_module_is_unwrapped(small):
    module, x, y = small
    compiled = torch.compile(module)
    assert Landscape(compiled, CE, (x, y)).module is module


def test_half_precision_parameters_give_single_precision_vectors():
    module = nn.Linear(3, 2).bfloat16()
    x, y = torch.randn(8, 3).bfloat16(), torch.randint(0, 2, (8,))
    H = hessian(Landscape(module, lambda z, y: CE(z.float(), y), (x, y)))
    assert (H @ torch.ones(H.size)).dtype == torch.float32


def test_a_loss_that_is_not_finite_is_named(small):
    module, x, y = small
    x[3, 2] = float("nan")
    with pytest.raises(NotFiniteError, match="the loss is nan on a batch of size 9"):
        hessian(Landscape(module, CE, (x, y)))
    with pytest.raises(NotFiniteError):
        Landscape(module, CE, (x, y)).loss()


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"data": iter([])}, InputTypeError, "used only once"),
        ({"data": [torch.zeros(2, 5)] * 2}, InputTypeError, "pass the tuple"),
        ({"data": 3}, InputTypeError, "data must be a tensor"),
        ({"data": (1, 2, 3)}, InputTypeError, "tuple of length 3"),
        ({"data": torch.zeros(0, 5)}, InputError, "no examples"),
        (
            {"parameters": "head"},
            InputError,
            "'head'; the parameters are 0.weight",
        ),
        ({"parameters": []}, InputError, "empty list"),
        ({"loss": nn.MSELoss(reduction="none")}, InputError, "reduction='none'"),
    ],
)
def test_what_cannot_work_is_said(small, change, error, sentence):
    module, x, y = small
    given = {"module": module, "loss": CE, "data": (x, y)} | change
    with pytest.raises(error, match=sentence):
        Landscape(given.pop("module"), given.pop("loss"), given.pop("data"), **given)


def test_an_error_of_the_module_itself_is_not_taken_for_a_missing_derivative(small):
    module, x, y = small
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        hessian(Landscape(module, CE, (x[:, :3], y)))


def test_a_vector_of_losses_and_missing_data_are_said(small):
    module, x, y = small
    with pytest.raises(InputError, match=r"one number per batch, got \(9, 3\)"):
        hessian(Landscape(module, lambda z, y: z, (x, y)))
    with pytest.raises(InputError, match="no batches"):
        hessian(Landscape(module, CE, []))
    with pytest.raises(InputError, match="requires a gradient"):
        Landscape(module.requires_grad_(False), CE, (x, y))


def test_the_edge_of_stability_listens_to_training():
    from corollary.train import fit

    module = nn.Linear(2, 1, bias=False)
    x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    trace = EdgeOfStability(nn.MSELoss(), (x, torch.zeros(2, 1)), every=2)
    sgd = torch.optim.SGD(module.parameters(), lr=0.1)
    run = fit(module, (x, torch.zeros(2, 1)), nn.MSELoss(), sgd, steps=4, callbacks=[trace])
    assert [r.step for r in trace.readings] == [2, 4]
    assert trace.readings[0].lambda_max.value == pytest.approx(4.0, rel=1e-5)
    assert run is not None
