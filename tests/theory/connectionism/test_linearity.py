import pytest
import torch

from corollary.errors import InputError, InputTypeError
from corollary.theory.connectionism.linearity import basis_images, is_affine, is_linear, matrix_of


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(1)


def normal(*shape, rng, dtype=torch.float64):
    return torch.randn(*shape, generator=rng, dtype=dtype)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex128])
def test_a_matrix_is_accepted_at_any_size_of_its_entries(scale, dtype, rng):
    A = scale * normal(4, 3, rng=rng, dtype=dtype)
    assert is_linear(lambda x: x @ A.T, 3, dtype=dtype, rng=rng).holds


def test_the_zero_map_is_linear(rng):
    assert is_linear(torch.zeros_like, 3, rng=rng).holds


@pytest.mark.parametrize("offset", [1e-6, 1.0, 1e6])
def test_an_offset_breaks_both_halves(offset, rng):
    A = normal(4, 3, rng=rng)
    answer = is_linear(lambda x: x @ A.T + offset, 3, rng=rng)
    assert answer.violated == ("additivity", "homogeneity")


def test_relu_is_homogeneous_for_positive_weights_but_not_additive(rng):
    answer = is_linear(torch.relu, 4, rng=rng)
    assert "additivity" in answer.violated
    assert answer.gaps["positive homogeneity"] <= answer.tolerance < answer.gaps["homogeneity"]


def test_conjugation_is_additive_but_not_homogeneous_over_the_complex_numbers(rng):
    answer = is_linear(torch.conj_physical, 3, dtype=torch.complex128, rng=rng)
    assert answer.violated == ("homogeneity",)


def test_a_homogeneous_map_need_not_be_additive(rng):
    def f(x):
        return x[:, :1] ** 3 / x.square().sum(1, keepdim=True).clamp(min=1e-300)

    assert is_linear(f, 3, rng=rng).violated == ("additivity",)


def test_the_witness_really_violates_the_property(rng):
    (witness, other) = is_linear(torch.relu, 4, rng=rng).witnesses
    x, y = witness.x, witness.y
    assert not torch.allclose(torch.relu(x + y), torch.relu(x) + torch.relu(y))
    x, a = other.x, other.alpha
    assert not torch.allclose(torch.relu(a * x), a * torch.relu(x))
    assert "additivity fails" in is_linear(torch.relu, 4, rng=rng).sentence


@pytest.mark.parametrize("c", [0.0, 1.0, 1e6])
def test_an_affine_map_is_affine(c, rng):
    A = normal(4, 3, rng=rng)
    assert is_affine(lambda x: x @ A.T + c, 3, rng=rng).holds


@pytest.mark.parametrize("f", [torch.square, torch.relu, torch.sin, torch.abs])
def test_a_bent_map_is_not_affine(f, rng):
    answer = is_affine(f, 3, rng=rng)
    assert answer.violated == ("affinity",)
    w = answer.witnesses[0]
    assert w.alpha + w.beta == pytest.approx(1)
    left, right = f(w.alpha * w.x + w.beta * w.y), w.alpha * f(w.x) + w.beta * f(w.y)
    assert not torch.allclose(left, right)


def test_the_footnote_with_one_constant_is_met_by_no_map_with_an_offset():
    """f(ax + b'y) - a f(x) - b'f(y) is 1 - a - b' for f(x) = x + 1: no constant."""
    x, y = 0.7, -1.3
    gaps = [(a * x + b * y + 1) - a * (x + 1) - b * (y + 1) for a, b in [(1, 0), (0, 0), (2, 3)]]
    assert gaps == pytest.approx([0, 1, -4])


def test_the_matrix_of_a_layer_is_its_weight_and_has_shape_m_by_n(rng):
    layer = torch.nn.Linear(5, 2, bias=False, dtype=torch.float64)
    A = matrix_of(layer, 5, rng=rng)
    assert A.shape == (2, 5)
    torch.testing.assert_close(A, layer.weight.detach())


def test_the_matrix_foretells_the_map(rng):
    def f(x):
        return torch.fft.rfft(x).real.cumsum(1)

    x = normal(20, 8, rng=rng)
    torch.testing.assert_close(x @ matrix_of(f, 8, rng=rng).T, f(x), rtol=1e-12, atol=1e-12)


def test_a_map_of_one_vector_can_be_wrapped(rng):
    f = torch.vmap(lambda v: v.flip(0))
    assert torch.equal(matrix_of(f, 3, rng=rng), torch.eye(3, dtype=torch.float64).flip(0))


def test_a_nonlinear_map_has_no_matrix(rng):
    with pytest.raises(InputError, match="needs a linear map, but additivity fails"):
        matrix_of(torch.relu, 3, rng=rng)


def test_wrong_maps_and_sizes_are_refused_in_one_sentence(rng):
    with pytest.raises(InputError, match="wrap a map of single vectors in torch.vmap"):
        is_linear(lambda x: x.sum(), 3, rng=rng)
    with pytest.raises(InputTypeError, match="map to return a tensor"):
        is_linear(lambda x: 1.0, 3, rng=rng)
    with pytest.raises(InputError, match="not finite"):
        is_linear(lambda x: x / 0, 3, rng=rng)
    with pytest.raises(InputError, match="n >= 1"):
        is_linear(lambda x: x, 0, rng=rng)
    with pytest.raises(InputTypeError, match="floating-point or complex"):
        is_affine(lambda x: x, 2, dtype=torch.int64, rng=rng)
    with pytest.raises(InputError, match="batch"):
        basis_images(torch.sum, torch.eye(2))
