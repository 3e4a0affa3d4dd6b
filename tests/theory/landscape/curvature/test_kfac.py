"""Kronecker-factored curvature where it is exact, and what holds of it elsewhere."""

import functools

import pytest
import torch
from torch import nn

from corollary.errors import InputError, NotApplicableError
from corollary.theory.landscape.curvature import Landscape, fisher, gauss_newton, kfac, trace

CE = nn.CrossEntropyLoss()
F64 = torch.float64


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def in_double(*layers):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.Sequential(*layers).double()


def mlp():
    return in_double(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))


def cnn(**options):
    return in_double(
        nn.Conv2d(2, 3, 3, **options),
        nn.Tanh(),
        nn.Conv2d(3, 2, 2),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(8, 3),
    )


class Averaged(nn.Module):
    """A linear layer at each position, averaged."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3).double()

    def forward(self, x):
        return self.layer(x).mean(1)


def blocks_of(G, K):
    """A matrix with everything outside the blocks of K set to zero."""
    out = torch.zeros_like(G)
    for block in K.blocks:
        at = torch.cat([torch.arange(place.start, place.stop) for place in block.places])
        out[at[:, None], at] = G[at[:, None], at]
    return out


def gap(a, b):
    return float((a - b).norm() / b.norm())


def test_kfac_is_exact_for_a_deep_linear_network_with_squared_loss():
    module = in_double(nn.Linear(4, 5), nn.Linear(5, 6, bias=False), nn.Linear(6, 2))
    landscape = Landscape(module, nn.MSELoss(), (draw(9, 4), draw(9, 2)))
    K, G = kfac(landscape), gauss_newton(landscape).dense()
    assert gap(K.dense(), blocks_of(G, K)) < 1e-12


@pytest.mark.parametrize("kind", ["gauss_newton", "empirical"])
def test_kfac_is_exact_for_one_example(kind):
    landscape = Landscape(mlp(), CE, (draw(1, 4), torch.tensor([2])))
    G = gauss_newton(landscape) if kind == "gauss_newton" else fisher(landscape, "empirical")
    K = kfac(landscape, kind)
    assert gap(K.dense(), blocks_of(G.dense(), K)) < 1e-12


def test_reduce_is_exact_for_averaged_positions_and_expand_is_not():
    landscape = Landscape(Averaged(), nn.MSELoss(), (draw(6, 5, 4), draw(6, 3)))
    G = gauss_newton(landscape).dense()
    assert gap(kfac(landscape, sharing="reduce").dense(), G) < 1e-12
    assert gap(kfac(landscape, sharing="expand").dense(), G) > 0.1


def test_expand_is_exact_where_each_position_is_an_example():
    x, y = draw(6, 5, 4), draw(6, 5, 3)
    module = nn.Linear(4, 3).double()
    apart = Landscape(module, nn.MSELoss(), (x.reshape(30, 4), y.reshape(30, 3)))
    together = Landscape(module, nn.MSELoss(), (x, y))
    assert gap(kfac(together).dense(), gauss_newton(apart).dense()) < 1e-12


@functools.cache
def convolutional(kind):
    """A landscape and its dense matrix."""
    landscape = Landscape(cnn(), CE, (draw(7, 2, 6, 6), torch.arange(7) % 3))
    G = gauss_newton(landscape) if kind == "gauss_newton" else fisher(landscape, "empirical")
    return landscape, G.dense()


@pytest.mark.parametrize("sharing", ["expand", "reduce"])
@pytest.mark.parametrize("kind", ["gauss_newton", "empirical"])
@pytest.mark.parametrize("joint", [True, False])
def test_corrected_eigenvalues_give_the_trace_and_come_nearer(kind, sharing, joint):
    landscape, G = convolutional(kind)
    K = kfac(landscape, kind, sharing=sharing, joint=joint)
    E = kfac(landscape, kind, sharing=sharing, joint=joint, corrected=True)
    exact = blocks_of(G, K)
    assert E.trace() == pytest.approx(float(exact.trace()), rel=1e-10)
    assert gap(E.dense(), exact) < gap(K.dense(), exact)


@pytest.mark.parametrize(
    "options",
    [
        {"padding": 1, "stride": 2},
        {"padding": "same", "dilation": 2},
        {"padding": 1, "padding_mode": "circular"},
        {"padding": (2, 0), "padding_mode": "reflect"},
    ],
    ids=str,
)
def test_patches_are_those_the_convolution_sees(options):
    landscape = Landscape(cnn(**options), CE, (draw(5, 2, 7, 7), torch.arange(5) % 3))
    E = kfac(landscape, corrected=True)
    assert E.trace() == pytest.approx(float(gauss_newton(landscape).dense().trace()), rel=1e-10)


def test_the_inverse_is_that_of_the_damped_matrix():
    landscape = Landscape(mlp(), CE, (draw(30, 4), torch.arange(30) % 3))
    eye = torch.eye(landscape.size, dtype=F64)
    for corrected in (False, True):
        K = kfac(landscape, corrected=corrected)
        product = K.inverse(0.01).dense() @ (K.dense() + 0.01 * eye)
        assert torch.allclose(product, eye, atol=1e-10)


def test_the_factored_inverse_damps_each_factor():
    landscape = Landscape(nn.Linear(2, 2).double(), nn.MSELoss(), (draw(9, 2), draw(9, 2)))
    K = kfac(landscape, joint=False)
    x = draw(9, 2)
    A, B = x.T @ x / 9, torch.eye(2, dtype=F64)  # (2/2) sum of squares: S = I
    share = float((A.trace() / B.trace()) ** 0.5)
    A, B = A + share * 0.1 * B, B + 0.1 / share * B
    dense = K.inverse(0.01, "factored").dense()
    assert torch.allclose(dense[:4, :4], torch.linalg.inv(torch.kron(B, A)))
    assert torch.allclose(dense[4:, 4:], torch.eye(2, dtype=F64) / 1.1**2)


def test_trace_determinant_norm_and_eigenvalues_are_those_of_the_matrix():
    landscape = Landscape(nn.Linear(4, 3).double(), nn.MSELoss(), (draw(30, 4), draw(30, 3)))
    K = kfac(landscape)
    dense = K.dense()
    assert K.trace() == pytest.approx(float(dense.trace()), rel=1e-12)
    assert K.log_determinant() == pytest.approx(float(torch.logdet(dense)), rel=1e-10)
    assert K.squared_norm() == pytest.approx(float(dense.square().sum()), rel=1e-12)
    assert torch.allclose(K.eigenvalues(), torch.linalg.eigvalsh(dense).flip(0))
    assert float(trace(K)) == pytest.approx(K.trace(), rel=1e-10)


def test_batches_do_not_matter_and_sums_count_examples():
    x, y = draw(8, 4), torch.arange(8) % 3
    module = mlp()
    whole = kfac(Landscape(module, CE, (x, y))).dense()
    cut = kfac(Landscape(module, CE, [(x[:3], y[:3]), (x[3:], y[3:])])).dense()
    summed = kfac(Landscape(module, nn.CrossEntropyLoss(reduction="sum"), (x, y))).dense()
    assert torch.allclose(whole, cut)
    assert torch.allclose(8 * whole, summed)


def test_part_of_the_parameters_is_enough():
    landscape = Landscape(mlp(), CE, (draw(8, 4), torch.arange(8) % 3), parameters=["2", "0.bias"])
    K = kfac(landscape)
    assert [block.names for block in K.blocks] == [("0.bias",), ("2.weight", "2.bias")]
    assert K.size == 5 + 18


def test_an_output_may_have_positions_too():
    class Tokens(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Linear(4, 5).double(), nn.Linear(5, 3).double()

        def forward(self, x):
            return self.down(torch.tanh(self.up(x))).transpose(1, 2)

    landscape = Landscape(Tokens(), CE, (draw(4, 3, 4), torch.arange(12).reshape(4, 3) % 3))
    E = kfac(landscape, corrected=True)
    assert E.trace() == pytest.approx(float(gauss_newton(landscape).dense().trace()), rel=1e-10)


def test_a_layer_called_twice_counts_both_calls():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4).double()

        def forward(self, x):
            return self.layer(torch.tanh(self.layer(x)))

    landscape = Landscape(Twice(), nn.MSELoss(), (draw(6, 4), draw(6, 4)))
    E = kfac(landscape, corrected=True)
    assert E.trace() == pytest.approx(float(gauss_newton(landscape).dense().trace()), rel=1e-10)


def test_a_call_without_gradient_adds_no_curvature():
    class Partly(nn.Module):
        def __init__(self):
            super().__init__()
            self.cut, self.layer = nn.Linear(4, 4).double(), nn.Linear(4, 3).double()

        def forward(self, x):
            with torch.no_grad():
                h = self.cut(x)
            return self.layer(h)

    landscape = Landscape(Partly(), CE, (draw(6, 4), torch.arange(6) % 3))
    E = kfac(landscape, corrected=True)
    assert float(E.blocks[0].values.abs().max()) == 0
    assert E.trace() == pytest.approx(float(gauss_newton(landscape).dense().trace()), rel=1e-10)


def test_a_linear_loss_has_no_curvature():
    landscape = Landscape(mlp(), lambda z: z.mean(), draw(6, 4))
    assert kfac(landscape).trace() == 0
    assert float(kfac(landscape).inverse(0.5).dense()[0, 0]) == pytest.approx(2.0)


def test_the_module_comes_back_as_it_was(snapshot):
    module = cnn().train()
    module[0].weight.grad = torch.ones_like(module[0].weight)
    before = snapshot(module)
    kfac(Landscape(module, CE, (draw(5, 2, 6, 6), torch.arange(5) % 3)), corrected=True)
    with pytest.raises(NotApplicableError):
        kfac(Landscape(module, lambda z, y: z.square().sum() ** 2, (draw(5, 2, 6, 6), draw(5, 3))))
    snapshot.same(before, snapshot(module))


def test_single_precision_is_kept():
    landscape = Landscape(mlp().float(), CE, (draw(8, 4).float(), torch.arange(8) % 3))
    K = kfac(landscape, corrected=True)
    assert (K @ torch.ones(K.size)).dtype == torch.float32
    assert K.trace() == pytest.approx(float(trace(gauss_newton(landscape))), rel=1e-4)


def refuses(module, loss, data, match, **options):
    with pytest.raises(NotApplicableError, match=match):
        kfac(Landscape(module, loss, data, **options))


def test_parameters_of_other_layers_are_named_and_can_be_left_out():
    module = in_double(nn.Linear(4, 5), nn.BatchNorm1d(5).eval(), nn.Linear(5, 3))
    data = draw(6, 4), torch.arange(6) % 3
    refuses(module, CE, data, "1.weight, 1.bias belong to other layers", mode="eval")
    some = Landscape(module, CE, data, parameters=["0", "2"], mode="eval")
    assert kfac(some).size == 25 + 18


def test_tied_weights_are_refused():
    module = in_double(nn.Linear(4, 4), nn.Linear(4, 4))
    module[1].weight = module[0].weight
    refuses(module, nn.MSELoss(), (draw(6, 4), draw(6, 4)), "several layers share 0.weight")


def test_convolutions_in_groups_are_refused():
    module = in_double(nn.Conv2d(2, 2, 3, groups=2), nn.Flatten())
    refuses(module, nn.MSELoss(), (draw(6, 2, 3, 3), draw(6, 2)), "groups=1")


def test_a_layer_that_is_not_called_is_refused():
    class Direct(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 3).double()

        def forward(self, x):
            return x @ self.layer.weight.T + self.layer.bias

    refuses(Direct(), nn.MSELoss(), (draw(6, 4), draw(6, 3)), "not called")


def test_an_input_whose_first_axis_is_not_the_examples_is_refused():
    class Folded(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 3).double()

        def forward(self, x):
            return self.layer(x.flatten(0, 1)).unflatten(0, x.shape[:2]).mean(1)

    class Constant(Folded):
        def forward(self, x):
            return self.layer(x[0]) + torch.zeros(len(x), 1, dtype=F64)

    refuses(Constant(), nn.MSELoss(), (draw(6, 4), draw(6, 3)), "1 rows for 6 examples")
    refuses(Folded(), nn.MSELoss(), (draw(6, 5, 4), draw(6, 3)), "30 rows for 6 examples")


def test_a_loss_that_weighs_examples_by_others_is_refused():
    weighted = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0], dtype=F64))
    refuses(mlp(), weighted, (draw(6, 4), torch.arange(6) % 3), "class weights")


def test_a_loss_that_is_not_convex_is_refused_unless_empirical():
    data = draw(6, 4), draw(6, 3)
    refuses(mlp(), lambda z, y: (z * y).sin().mean(), data, "convex")
    landscape = Landscape(mlp(), lambda z, y: (z * y).sin().mean(), data)
    K = kfac(landscape, "empirical", corrected=True)
    exact = fisher(landscape, "empirical").dense()
    assert K.trace() == pytest.approx(float(exact.trace()), rel=1e-10)


def test_options_that_make_no_sense_are_refused():
    landscape = Landscape(mlp(), CE, (draw(8, 4), torch.arange(8) % 3))
    K = kfac(landscape)
    for attempt in (
        lambda: K.inverse(-1.0),
        lambda: K.inverse(float("nan")),
        lambda: kfac(landscape, corrected=True).inverse(1.0, "factored"),
        lambda: K.inverse(1.0).inverse(1.0, "factored"),
    ):
        with pytest.raises(InputError):
            attempt()


def test_a_singular_block_is_named_when_there_is_no_damping():
    landscape = Landscape(mlp(), CE, (draw(8, 4), torch.zeros(8, dtype=torch.long)))
    dead = Landscape(
        in_double(nn.Linear(4, 5), nn.Threshold(1e9, 0.0), nn.Linear(5, 3)),
        CE,
        (draw(8, 4), torch.arange(8) % 3),
    )
    with pytest.raises(InputError, match="0.weight and 0.bias has an eigenvalue 0"):
        kfac(dead).inverse(0)
    assert kfac(landscape).inverse(1e-3).trace() > 0
