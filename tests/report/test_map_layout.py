from itertools import combinations

from corollary.courses.dependencies import Graph, graph
from corollary.registry import reading_turn
from corollary.report.map_layout import HEIGHT, WIDTH, layout
from corollary.report.map_page import map_html


def test_every_line_leads_to_the_right_and_no_two_boxes_overlap():
    found = graph()
    places = layout(found, sorted({n.split("/")[0] for n in found.uses}, key=reading_turn))
    for name, below in found.uses.items():
        assert all(places.at[other][0] + WIDTH < places.at[name][0] for other in below)
    for (x, y), (u, v) in combinations(places.at.values(), 2):
        assert abs(x - u) >= WIDTH or abs(y - v) >= HEIGHT
    assert all(0 <= y <= places.height - HEIGHT for _, y in places.at.values())


def test_an_empty_graph_and_one_claim_have_a_layout():
    assert layout(Graph({}), []).height == 0
    assert layout(Graph({"a/b": ()}), ["a"]).at == {"a/b": (0.0, 0.0)}


def test_the_drawing_has_every_claim_and_every_line():
    page = map_html(graph(), lambda name: f"{name}.html")
    assert page.count("data-k=") == len(graph().uses)
    assert page.count("data-u=") == graph().edges
    assert "prerequisites/cauchy_schwarz.html" in page
