"""Write the JSON Schema files that are shipped with the package, made from its dataclasses."""

import json
from pathlib import Path

from corollary.report.schema import (
    Schema,
    entry_schema,
    examination_schema,
    listing_schema,
    results_schema,
    watch_schema,
)

FOLDER = Path(__file__).parents[1] / "src/corollary/report/schemas"


def text(schema: Schema) -> str:
    """A schema as its file holds it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def files() -> dict[Path, str]:
    """Each file with what belongs in it."""
    return {
        FOLDER / "results.schema.json": text(results_schema()),
        FOLDER / "examination.schema.json": text(examination_schema()),
        FOLDER / "listing.schema.json": text(listing_schema()),
        FOLDER / "entry.schema.json": text(entry_schema()),
        FOLDER / "watch.schema.json": text(watch_schema()),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, content in files().items():
        path.write_text(content, encoding="utf-8")
        print(f"wrote {path}")
