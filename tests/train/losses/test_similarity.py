import pytest
import torch

from corollary.errors import InputError
from corollary.train.losses import cauchy_schwarz, tanimoto
from corollary.train.losses.similarity import tanimoto_similarity


def outputs(n=30, k=4, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(n, k, generator=rng, dtype=torch.float64)


Y = torch.arange(30) % 4


def test_tanimoto_lies_between_minus_one_and_zero():
    rows = tanimoto(outputs(), Y, reduction="none")
    assert bool((rows > -1).all()) and bool((rows < 0).all())


def test_tanimoto_is_minus_one_where_they_agree_and_zero_where_they_are_orthogonal():
    p = torch.softmax(outputs(), 1)
    torch.testing.assert_close(tanimoto(p.log(), p), -torch.ones(()).double())
    sure = torch.tensor([[1e4, -1e4]])
    assert tanimoto(sure, torch.tensor([0])) == -1
    assert tanimoto(sure, torch.tensor([1])) == 0


def test_tanimoto_of_bits_is_the_jaccard_index():
    from sklearn.metrics import jaccard_score

    a, b = torch.tensor([1.0, 1, 0, 1, 0, 0]), torch.tensor([1.0, 0, 0, 1, 1, 0])
    ours = tanimoto_similarity(a[None], b[None]).item()
    assert ours == pytest.approx(jaccard_score(a.numpy(), b.numpy()))


def test_two_zero_vectors_have_no_similarity():
    zero = torch.zeros(1, 3)
    with pytest.raises(InputError, match="0/0"):
        tanimoto_similarity(zero, zero)


def test_cauchy_schwarz_is_not_negative_and_zero_where_the_vectors_are_parallel():
    o = outputs()
    p = torch.softmax(o, 1)
    assert bool((cauchy_schwarz(o, Y, reduction="none") > 0).all())
    assert cauchy_schwarz(o, p, reduction="none").abs().max() < 1e-14
    assert cauchy_schwarz(o, 3 * p, reduction="none").abs().max() < 1e-14


def test_for_a_class_cauchy_schwarz_is_the_log_loss_plus_the_log_length():
    o = outputs()
    p = torch.softmax(o, 1)
    expected = -p.gather(1, Y[:, None])[:, 0].log() + p.norm(dim=1).log()
    torch.testing.assert_close(cauchy_schwarz(o, Y, reduction="none"), expected)


def test_cauchy_schwarz_is_minus_the_log_cosine_for_soft_targets():
    o, q = outputs(), torch.softmax(outputs(seed=1), 1)
    cosine = torch.nn.functional.cosine_similarity(torch.softmax(o, 1), q)
    torch.testing.assert_close(cauchy_schwarz(o, q, reduction="none"), -cosine.log())


def test_cauchy_schwarz_refuses_targets_without_a_direction():
    with pytest.raises(InputError, match="targets >= 0 with a positive entry"):
        cauchy_schwarz(torch.zeros(1, 2), torch.zeros(1, 2))
