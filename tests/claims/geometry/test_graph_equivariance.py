import pytest

from corollary.claims.geometry.graph_equivariance import GraphEquivariance
from corollary.core import Verdict, generator


@pytest.mark.parametrize("layer", ["gcn", "gat"])
@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
def test_it_holds_for_both_layers_at_any_density(layer, density):
    claim = GraphEquivariance(layer=layer, density=density)
    assert claim.check(3).verdict is Verdict.HOLDS


def test_the_form_printed_in_the_notes_is_another_order():
    """P f(PX, PAP^T) = P P f(X, A), which for a cycle of five nodes moves every value by two."""
    claim = GraphEquivariance(M=5)
    given = claim.given(generator(0, "printed"))
    *value, total = claim.predict(given).tolist()
    *printed, same = claim.measure(given._replace(back=given.perm)).tolist()
    assert same == pytest.approx(total)
    assert printed == pytest.approx(value[2:] + value[:2]) != pytest.approx(value)


def test_numbered_nodes_are_refuted():
    assert GraphEquivariance().refute(1).broken == ("features move with their nodes",)
