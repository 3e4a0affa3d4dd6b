"""What can be examined in a folder: found by reading its files, without running them."""

import ast
from dataclasses import dataclass
from pathlib import Path

from corollary.examine.datasets import DATA_SETS

FILES, BYTES = 200, 1 << 20  # looked at in a folder; larger files are not read


@dataclass(frozen=True)
class Offer:
    """Names that a form suggests."""

    targets: tuple[str, ...]
    data: tuple[str, ...]
    records: tuple[str, ...]


def offer(folder: Path) -> Offer:
    """Functions and classes without arguments, models, data files and records of a folder."""
    targets: list[str] = []
    for path in sorted(folder.glob("*.py"))[:FILES]:
        targets += (f"{path.name}:{name}" for name in _callables(path))
    kinds = ("*.safetensors", "*.onnx", "*.pt2")
    models = sorted(p.name for kind in kinds for p in folder.glob(kind))
    files = sorted(p.name for kind in ("*.npz", "*.csv") for p in folder.glob(kind))
    found = (p for p in sorted(folder.glob("*.jsonl"))[:FILES] if ".rank" not in p.name)
    return Offer((*targets, *models), (*DATA_SETS, *files, *targets), tuple(p.name for p in found))


def _callables(path: Path) -> list[str]:
    try:
        if path.stat().st_size > BYTES:
            return []
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [name for node in tree.body if (name := _name(node))]


def _name(node: ast.stmt) -> str:
    """The name of a function or a class that can be called without arguments."""
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
        return node.name if _needs_nothing(node, bound=0) else ""
    if isinstance(node, ast.ClassDef) and any("Module" in ast.unparse(b) for b in node.bases):
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                return node.name if _needs_nothing(item, bound=1) else ""
        return node.name
    return ""


def _needs_nothing(node: ast.FunctionDef, bound: int) -> bool:
    args = node.args
    plain = len(args.posonlyargs) + len(args.args) - bound - len(args.defaults)
    return plain <= 0 and all(d is not None for d in args.kw_defaults)
