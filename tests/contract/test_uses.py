"""What heads say of other claims agrees with the code: who computes with whose theory."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from corollary.courses.dependencies import Graph, graph, graph_of
from corollary.errors import InputError, UnknownNameError
from corollary.registry import ROOT, Entry, entries, places

DEFINED = ast.FunctionDef | ast.ClassDef
CLAIMS = [e for e in entries() if not e.is_exam]
# Models, algorithms, definitions, data types: to run one is not to rest on what is claimed of it.
TOOLS = set(
    """adversarial-example-problem affine-pieces-calculus bahdanau-attention bert-encoder
    deep-sets-invariant gcn-coupling-matrix gradient-descent heavy-ball-momentum hopfield-energy
    hopfield-hebbian-storage hopfield-update-dynamics kernel-definition linear-autoencoder
    linearized-network maurey-signed-measure mlp3-sgd perceptron-algorithm rademacher-complexity
    random-feature-model rbf-kernel scaled-dot-product-attention scratch-gd-weight-decay
    seq2seq-encoder-decoder""".split()
)
# One function that serves two results; the argument for the first does not need the second.
SHARED = {
    ("architectures/impulse_response", "convolution-theorem"): "its `convolve` is the definition",
    (
        "connectionism/hopfield_bit_error",
        "hopfield-sublinear-capacity",
    ): "the limit of the same law",
    ("kernels/representer_theorem", "kernel-least-squares"): "the solver of the coefficients",
    ("networks/bottleneck_rank", "optimal-linear-autoencoder"): "a class with both in it",
    ("robustness/flip_remainder", "single-step-adversarial-theorem"): "the step, not that it flips",
    ("tricks/augmentation_invariance", "ridge-regression-shrinkage"): "the solver",
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda e: e.name)
def test_a_claim_that_computes_with_the_theory_of_another_names_it(claim):
    below = {*graph().below(claim.name), claim.name}
    for slug in slugs_computed_with(claim) - TOOLS:
        if (claim.name, slug) not in SHARED:
            shown = shown_by()[slug]
            assert not shown or shown & below, f"{claim.name} computes with {slug}: see {shown}"


def test_no_exception_is_stated_for_nothing():
    computed = {(e.name, slug) for e in CLAIMS for slug in slugs_computed_with(e)}
    assert set(SHARED) <= computed
    assert {slug for _, slug in computed} >= TOOLS


def test_the_graph_has_no_cycle_and_no_name_twice():
    assert len(graph().order) == len(CLAIMS)
    for entry in CLAIMS:
        assert len(set(entry.uses)) == len(entry.uses), entry.name
        assert all("/" not in name for name in entry.uses), "file names are unique: use them"


def test_a_cycle_is_named():
    with pytest.raises(InputError, match="a -> b -> a|b -> a -> b"):
        _ = Graph({"a": ("b",), "b": ("a",)}).order


def test_a_name_that_is_no_claim_is_refused():
    text = "Title.\n\n:uses: nobody"
    with pytest.raises(UnknownNameError, match="x/one uses nobody"):
        graph_of([Entry("x/one", "m", Path("one.py"), text)])


@cache
def shown_by() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for entry in CLAIMS:
        for slug in entry.covers:
            found[slug].add(entry.name)
    return found


@cache
def covered() -> dict[tuple[str, str], set[str]]:
    """The results that each function or class of theory and models is there for."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for place in places():
        if ".claims." not in place.module and ".exams." not in place.module:
            found[place.module, place.object.partition(".")[0]].add(place.slug)
    return found


def slugs_computed_with(entry: Entry) -> set[str]:
    """Results whose code the prediction or the proof calls, without those of the claim itself."""
    called = set(calls(entry.path, "predict"))
    if entry.proof:
        called |= set(calls(entry.proof.path, "proof"))
    homes = {home(*name) for name in called}
    return {s for m, n in homes for s in covered()[m, n] | covered()[m, ""]} - set(entry.covers)


def calls(path: Path, function: str) -> Iterator[tuple[str, str]]:
    """Names of the package that a function of a file reaches, also through its neighbours."""
    tree = parsed(path)
    names = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("corollary.")
        for alias in node.names
    }
    local = {node.name: node for node in tree.body if isinstance(node, DEFINED)}
    for node in tree.body:
        if _is_claim(node):
            del local[node.name]
            local |= {f"self.{m.name}": m for m in node.body if isinstance(m, DEFINED)}
    queue, seen = [function, f"self.{function}"], set()
    while queue:
        name = queue.pop()
        if name in seen or name not in local:
            continue
        seen.add(name)
        for node in ast.walk(local[name]):
            if isinstance(node, ast.Name | ast.Attribute):
                queue.append(ast.unparse(node))
            if isinstance(node, ast.Name) and node.id in names:
                yield names[node.id]


def _is_claim(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any("Claim" in ast.unparse(b) for b in node.bases)


@cache
def home(module: str, name: str) -> tuple[str, str]:
    """Where a name is defined, seen through the folders that hand it on."""
    place = ROOT.joinpath(*module.split(".")[1:])
    for file in (place / "__init__.py", place / "__init__.pyi", place.with_suffix(".py")):
        for node in parsed(file).body if file.exists() else ():
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if (alias.asname or alias.name) == name and node.module != module:
                        return home(node.module, alias.name)
    return module, name


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
