from corollary.claims.geometry.activation_atlas import ActivationAtlas, atlas
from corollary.core import Verdict, generator


def test_it_holds_on_the_other_layers():
    for layer in (1, 3):
        assert ActivationAtlas(layer=layer, steps=30).check(1).verdict is Verdict.HOLDS


def test_empty_cells_are_marked_and_the_same_seed_gives_the_same_atlas():
    given = ActivationAtlas(steps=10).given(generator(0, "atlas"))
    first, _, y = atlas(given)
    again, _, _ = atlas(given)
    assert bool((first.count == 0).any())
    assert bool(((first.classes(y) == -1) == (first.count == 0)).all())
    assert bool((first.exemplar == again.exemplar).all())


def test_shuffled_labels_are_refuted():
    assert ActivationAtlas(steps=10).refute(0).fails
