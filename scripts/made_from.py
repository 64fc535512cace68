"""Which picture or table of numbers is made of which files, and whether one of these changed since.

docs/pictures/made-from.json holds for each product the SHA-256 of its sources when it was made. Dates do not survive Git,
and digests do.
"""

import hashlib
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs/pictures/made-from.json"
CHARTS = ("scripts/draw_charts.py",)
SOURCES = {
    "docs/pictures/releases.csv": (
        "scripts/release_for_pictures.py", "data/schools.csv", "data/schools.yaml", "data/schools_roster.csv", "data/schools_table.yaml",
        "data/rand_hie_expenses.csv", "data/rand_hie_expenses.yaml"),
    "docs/pictures/marginals.svg": (*CHARTS, "docs/evidence/peers.csv"),
    "docs/pictures/growth.svg": (*CHARTS, "docs/evidence/growth.csv"),
    "docs/pictures/candidates.svg": (*CHARTS, "docs/evidence/candidates.csv"),
}


def digest(product):
    return hashlib.sha256(b"\0".join((ROOT / name).read_bytes() for name in SOURCES[product])).hexdigest()


def record(product):
    """Notes that the product has just been made."""
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    recorded[product] = digest(product)
    RECORD.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n")


def stale():
    """The products that are older than one of their sources."""
    recorded = json.loads(RECORD.read_text())
    return [product for product in SOURCES if recorded.get(product) != digest(product)]
