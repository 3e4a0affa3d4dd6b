"""Files the pages are made of, read once: what is not in this table cannot be asked for."""

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
REPORT = HERE.parent / "report" / "assets"
KATEX = REPORT / "katex"
REPORT_FILES = ("report.css", "examination.css", "watch.css", "proof.css", "saving.js", "hover.js")
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".woff2": "font/woff2",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """The bytes of a file, what they are, and a name that changes with them."""

    content: bytes
    kind: str
    tag: str

    @classmethod
    def of(cls, path: Path) -> "Asset":
        """Read a file."""
        content = path.read_bytes()
        kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
        kind += "; charset=utf-8" if kind.startswith("text/") else ""
        return cls(content, kind, f'"{hashlib.sha256(content).hexdigest()[:20]}"')


def assets() -> dict[str, Asset]:
    """Everything under ``/static/``, by name."""
    files = {p.name: p for p in (HERE / "static").iterdir() if p.is_file()}
    files |= {name: REPORT / name for name in REPORT_FILES}
    for path in KATEX.glob("katex.min.*"):
        files[path.name] = path
    fonts = (*KATEX.glob("*.woff2"), *(REPORT / "fonts").glob("*.woff2"))
    files |= {f"fonts/{path.name}": path for path in fonts}
    return {name: Asset.of(path) for name, path in files.items()}


def has_katex() -> bool:
    """Whether formulas can be rendered; if not, they are readable text."""
    return (KATEX / "katex.min.js").is_file()


def has_typeface() -> bool:
    """Whether the typeface of the pages was fetched; if not, one of the system is used."""
    return (REPORT / "fonts" / "VERSION").is_file()
