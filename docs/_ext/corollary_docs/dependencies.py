"""The page with the graph of all claims, and what the page of a claim says of its place in it."""

from corollary.courses.dependencies import Graph, graph
from corollary.registry import Entry, find
from corollary_docs import rst

MOST = 20  # results in the table
INTRO = """\
A claim *uses* another claim if its proof or its
prediction needs the other claim. The field ``:uses:`` in its docstring lists these claims. A test
compares this field with the code: if the prediction or proof of a claim calls the theory of another
claim, the field must name the other claim. There is no cycle.
"""


def dependencies_page(found: Graph) -> str:
    """The map, how to ask it on the command line, and the results that most rests on."""
    from corollary.report.map_page import map_html
    from corollary.report.page import asset

    drawn = map_html(found, lambda name: f"claims/{name}.html")
    style, script = f"<style>{asset('map.css')}</style>", f"<script>{asset('map.js')}</script>"
    most = sorted(found.uses, key=lambda name: -len(found.above(name)))[:MOST]
    rows = [[claim_link(n), str(len(found.used_by[n])), str(len(found.above(n)))] for n in most]
    return "\n".join(
        [
            rst.heading("Which claim depends on which"),
            INTRO,
            rst.raw_html(style + drawn + script),
            rst.heading("On the command line", "-"),
            rst.code(
                "console",
                "$ corollary map leshno\n$ corollary map --breaks descent_lemma\n"
                "$ corollary map telgarsky pieces_calculus\n$ corollary map --out map.html",
            ),
            rst.heading("Claims that most others depend on", "-"),
            rst.table(["claim", "used by", "depend on it, directly or not"], rows, "60 18 22"),
        ]
    )


def uses_section(entry: Entry) -> str:
    """The claims that one uses, and those that use it."""
    found = graph()
    if entry.name not in found.uses:
        return ""
    below, above = found.uses[entry.name], found.used_by[entry.name]
    parts = [f"Uses {_links(below)}.\n"] if below else []
    parts += [f"Used by {_links(above)}.\n"] if above else []
    if not parts:
        return ""
    on_the_map = f"../../dependencies.html#{entry.stem}"
    shown = rst.raw_html(f'<p><a href="{on_the_map}">See this claim on the map</a></p>')
    return "\n".join([rst.heading("Claims that it uses", "-"), *parts, shown])


def claim_link(name: str) -> str:
    """A reference to the page of a claim."""
    return f":doc:`{rst.escaped(find(name).title)} </generated/claims/{name}>`"


def _links(names: tuple[str, ...]) -> str:
    return ", ".join(map(claim_link, names))
