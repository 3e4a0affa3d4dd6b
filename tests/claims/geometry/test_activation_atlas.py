import torch

from corollary.claims.geometry.activation_atlas import ActivationAtlas
from corollary.core import Verdict, generator


def test_it_holds_on_the_other_layers():
    for layer in (1, 3):
        claim = ActivationAtlas(layer=layer, steps=30, runs=3)
        given = claim.given(generator(1, "layers"))
        assert claim.check_given(given, seed=1).verdict is Verdict.HOLDS


def test_empty_cells_are_marked_and_the_same_seed_gives_the_same_atlas():
    claim = ActivationAtlas(steps=10, runs=2)
    given = claim.given(generator(0, "atlas"))
    first, again = (claim.measure(given, generator(0, "nets")).more for _ in range(2))
    assert bool((first.exemplar < 0).any())
    assert torch.equal(first.classes < 0, first.exemplar < 0)
    assert torch.equal(first.exemplar, again.exemplar)


def test_shuffled_labels_are_refuted():
    assert ActivationAtlas(steps=10, runs=3).refute(0).fails
