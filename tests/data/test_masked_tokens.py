import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from corollary.core import generator
from corollary.data.masked_tokens import IGNORED, mlm_corrupt
from corollary.errors import InputError

SPECIAL = (0, 1, 2, 3, 4)


def corrupted(n=100_000, vocab=1000, seed=0, **options):
    rng = generator(seed, "mlm")
    ids = torch.randint(5, vocab, (n,), generator=rng)
    inputs, labels = mlm_corrupt(
        ids, vocab_size=vocab, mask_id=4, special_ids=SPECIAL, rng=rng, **options
    )
    return ids, inputs, labels


def test_rates_of_masked_replaced_and_kept_tokens_are_those_promised():
    ids, inputs, labels = corrupted()
    selected = labels != IGNORED
    masked, other = selected & (inputs == 4), selected & (inputs != 4) & (inputs != ids)
    kept = selected & (inputs == ids)
    for hits, rate in ((masked, 0.12), (other, 0.015), (kept, 0.015)):
        assert binomtest(int(hits.sum()), len(ids), rate).pvalue > 1e-4
    assert torch.equal(inputs[~selected], ids[~selected])


def test_special_tokens_are_never_selected():
    ids = torch.randint(0, 8, (2000,), generator=generator(0))
    inputs, labels = mlm_corrupt(
        ids, vocab_size=8, mask_id=4, special_ids=SPECIAL, p=1, rng=generator(1)
    )
    special = torch.isin(ids, torch.tensor(SPECIAL))
    assert torch.equal(inputs[special], ids[special])
    assert bool((labels[special] == IGNORED).all()) and bool(
        (labels[~special] == ids[~special]).all()
    )
    assert not bool(torch.isin(inputs[~special], torch.tensor((0, 1, 2, 3))).any())


def test_the_loss_ignores_positions_that_were_not_selected():
    ids, _, labels = corrupted(n=200, vocab=20)
    logits = torch.randn(200, 20, generator=generator(3), dtype=torch.float64)
    loss = torch.nn.functional.cross_entropy(logits, labels)
    other = logits.clone()
    other[labels == IGNORED] = 100 * torch.randn(
        int((labels == IGNORED).sum()), 20, generator=generator(4), dtype=torch.float64
    )
    assert torch.equal(torch.nn.functional.cross_entropy(other, labels), loss)
    picked = labels != IGNORED
    by_hand = (logits.logsumexp(1) - logits[torch.arange(200), ids])[picked].mean()
    assert float(loss) == pytest.approx(float(by_hand))


@settings(max_examples=30, deadline=None)
@given(p=st.floats(0, 1), seed=st.integers(0, 1000))
def test_labels_and_inputs_always_give_back_the_text(p, seed):
    ids, inputs, labels = corrupted(n=50, vocab=9, seed=seed, p=p)
    assert torch.equal(torch.where(labels == IGNORED, inputs, labels), ids)


def test_impossible_shares_are_refused():
    for wrong in ({"p": 1.5}, {"shares": (0.8, 0.1, 0.2)}, {"shares": (1.1, -0.1, 0.0)}):
        with pytest.raises(InputError, match="shares"):
            corrupted(n=5, **wrong)
    with pytest.raises(InputError, match="special"):
        mlm_corrupt(torch.tensor([0]), vocab_size=1, mask_id=0, rng=generator(0))
