import torch

from corollary.claims.sequences.transformer_reversal import TransformerReversal, reversed_by
from corollary.core import Count, Verdict, generator
from corollary.models.transformers.translation import Transformer
from corollary.theory.sequences.decoding.next_token import Decoded


class Mirror(Transformer):
    """Reverses without having learned it, but for a share of the strings."""

    def generate(self, source, max_len, **_):
        rows = source.flip(1)
        rows[: self.wrong, 0] += 1
        return [Decoded(tuple(row), 0.0, False) for row in rows.tolist()]


def mirror(wrong: int) -> Count:
    net = Mirror(10, 10, d_model=4, rng=torch.Generator().manual_seed(0))
    net.wrong = wrong
    return reversed_by(net, torch.randint(0, 9, (1000, 4), generator=generator(0)))


def test_every_digit_has_to_be_right():
    relation = TransformerReversal.relation
    assert mirror(0).hits == 1000 and mirror(30).hits == 970
    assert relation.compare(0.99, mirror(30)).verdict is Verdict.FAILS
    assert relation.compare(0.99, mirror(8)).verdict is Verdict.INCONCLUSIVE


def test_two_digits_are_reversed_after_a_short_training():
    claim = TransformerReversal(T=2, K=3, steps=40, tests=500)
    assert claim.trial(claim.draw(0)).measured.hits >= 490


def test_without_positions_the_network_does_not_apply():
    claim = TransformerReversal(T=2, K=3, steps=2, tests=500)
    (blind,) = claim.without(claim.draw(0))
    assert blind.broken == ("positions are added to the source",)
    assert blind.measured.hits < 450
