"""``corollary map NAME``: what a result rests on, and what rests on it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corollary.cli.options import complete_name
from corollary.cli.printed import print_answer

if TYPE_CHECKING:
    from rich.tree import Tree

    from corollary.courses.dependencies import Graph

MOST_USED = 12  # results that the summary lists


def show_map(
    name: Annotated[
        str,
        typer.Argument(
            help="A claim. Default: a summary of all claims.", autocompletion=complete_name
        ),
    ] = "",
    other: Annotated[
        str,
        typer.Argument(
            help="A second claim, to show the path between the two.", autocompletion=complete_name
        ),
    ] = "",
    breaks: Annotated[
        str,
        typer.Option(
            help="Show everything that depends on this claim.", autocompletion=complete_name
        ),
    ] = "",
    out: Annotated[
        Path | None, typer.Option(help="Write one HTML page with the graph of all claims.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a claim rests on, what breaks without it, and how two claims are linked."""
    from corollary.courses.dependencies import graph

    found = graph()
    if out is not None:
        from corollary.report.map_page import write_map_page

        typer.echo(
            f"{write_map_page(found, out)} has {len(found.uses)} claims; open it in a browser"
        )
        return
    names = [_claim(word) for word in (breaks or name, other) if word]
    if breaks:
        facts = {"name": names[0], "breaks": list(found.above(names[0]))}
        print_answer(facts, as_json, lambda: _breaks(found, names[0]))
    elif not names:
        print_answer(_summary(found), as_json, lambda: _overview(found))
    elif len(names) == 1:
        print_answer(_facts(found, names[0]), as_json, lambda: _one(found, names[0]))
    else:
        facts = {"path": _path(found, *names), "common": list(found.common(*names))}
        print_answer(facts, as_json, lambda: _between(found, *names))


def _claim(word: str) -> str:
    from corollary.errors import UnknownNameError
    from corollary.registry import find

    entry = find(word)
    if entry.is_exam:
        raise UnknownNameError(f"expected a claim, got '{entry.name}', which is an exam")
    return entry.name


def _summary(found: "Graph") -> dict[str, Any]:
    used = sorted(found.uses, key=lambda n: -len(found.above(n)))
    most = {n: len(found.above(n)) for n in used[:MOST_USED]}
    uses = {name: list(below) for name, below in found.uses.items()}
    return {"claims": len(uses), "edges": found.edges, "most used": most, "uses": uses}


def _facts(found: "Graph", name: str) -> dict[str, Any]:
    return {
        "name": name,
        "uses": list(found.uses[name]),
        "used by": list(found.used_by[name]),
        "rests on": list(found.below(name)),
        "breaks": list(found.above(name)),
    }


def _overview(found: "Graph") -> Any:
    facts = _summary(found)
    using = sum(bool(below) for below in found.uses.values())
    alone = sum(not found.uses[n] and not found.used_by[n] for n in found.uses)
    deepest = max(found.uses, key=lambda n: found.depth[n])
    yield (
        f"{using} of {facts['claims']} claims use another claim ({facts['edges']} links in "
        f"total). {alone} claims have no link. The longest chain has {found.depth[deepest] + 1} "
        f"claims and ends in {deepest}."
    )
    yield "\n[bold]Most used[/bold]"
    for name, count in facts["most used"].items():
        yield f"{count:5}  {_shown(name)}"
    yield "\n[dim]corollary map NAME[/dim]  [dim]corollary map --out map.html[/dim]"


def _one(found: "Graph", name: str) -> Any:
    yield f"{_shown(name)}\n"
    below, above = found.below(name), found.above(name)
    yield (
        _tree(f"[bold]uses[/bold] {_claims(len(below))}", name, found.uses)
        if below
        else ("This claim uses no other claim.")
    )
    yield ""
    direct = found.used_by[name]
    if not above:
        yield "No other claim uses this claim."
        return
    broken = f"without this claim, {_claims(len(above))} would break"
    yield f"[bold]used by[/bold] {_claims(len(direct))}; {broken}"
    for other in direct:
        yield f"  {_shown(other)}"
    yield f"\n[dim]corollary map --breaks {name.split('/')[1]}[/dim]"


def _breaks(found: "Graph", name: str) -> Any:
    above = found.above(name)
    if not above:
        yield f"No other claim breaks without {name}."
        return
    yield _tree(f"{_claims(len(above))} would break without {_shown(name)}", name, found.used_by)


def _path(found: "Graph", one: str, other: str) -> list[str]:
    return list(found.path(one, other) or found.path(other, one))


def _between(found: "Graph", one: str, other: str) -> Any:
    chain = _path(found, one, other)
    for k, name in enumerate(chain):
        yield ("rests on " if k else "         ") + _shown(name)
    if chain:
        return
    yield f"Neither of {one} and {other} uses the other."
    if common := found.common(one, other):
        yield "Both use"
        for name in common:
            yield f"  {_shown(name)}"


def _tree(head: str, name: str, step: Any) -> "Tree":
    """All claims reached from one claim, as a tree; a branch is shown only once."""
    from rich.tree import Tree

    tree, seen = Tree(head), set[str]()

    def grow(branch: "Tree", name: str) -> None:
        for other in step[name]:
            again = other in seen and step[other]
            leaf = branch.add(_shown(other) + (" [dim](see above)[/dim]" if again else ""))
            if other not in seen:
                seen.add(other)
                grow(leaf, other)

    grow(tree, name)
    return tree


def _shown(name: str) -> str:
    from rich.markup import escape

    from corollary.registry import find

    return f"[cyan]{name.split('/')[1]}[/cyan]  {escape(find(name).title)}"


def _claims(count: int) -> str:
    return f"{count} claim" if count == 1 else f"{count} claims"
