"""The command `mollify-dp report`: the page of a release, from its files."""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Sequence
from typing import Any

from mollify import _core
from mollify._certificate import Certificate
from mollify._domain import DomainLike, as_domain
from mollify._files import inputs_of, unreadable
from mollify._model import Model
from mollify._refusal import refusal
from mollify._release import Release, verify
from mollify._report import domain_of, report

_SHOWN = 10
_WRONG = {
    "domain_matches": "the certificate names another domain",
    "rows_match": "the certificate names another number of rows",
    "values_match": "the rows have values that the domain does not release",
    "rules_hold": "the rows break rules of the domain",
    "model_matches": "the certificate names another model",
}


class ReadRelease(Release):
    """A release as its files have it, which must belong together."""

    def __init__(self, released: str, certificate: str, domain: DomainLike | None, model: str | None) -> None:
        self.certificate = Certificate.read(certificate)
        self.model = None if model is None else Model.read(model)
        known = as_domain(domain) if domain is not None else self.model.domain if self.model is not None else domain_of(self)
        if known is None:
            raise refusal("missing-parameter", "domain is missing: the certificate names a file that is not here or has changed", "domain")
        self.domain = known
        found = verify(self.certificate, known, released=released, model=self.model)
        if not found:
            wrong = [words for part, words in _WRONG.items() if getattr(found, part) is False]
            raise refusal("certificate-mismatch", f"the files must be of one release, but {' and '.join(wrong) or found.verdict}", "certificate")
        facts = self.certificate.to_dict()
        self._file = released
        self.warnings = [*found.warnings, *(self.model.warnings if self.model is not None else [])]
        self.why = str(facts.get("design", {}).get("why") or facts["mechanism"])
        self.notes = []
        self.total_variation = facts.get("measured", {}).get("accuracy", facts.get("accuracy") or {}).get("total_variation")
        self.represents, self.promised, self.not_promised = (list(facts[part]) for part in ("represents", "promised", "not_promised"))
        self._read(released)

    def _read(self, name: str) -> None:
        try:
            with open(name, encoding="utf-8", newline="") as file:
                rows = csv.reader(file)
                self._names = next(rows)
                self._first: list[tuple[Any, ...]] = []
                self._count = 0
                for row in rows:
                    if self._count < _SHOWN:
                        self._first.append(tuple(value if value else None for value in row))
                    self._count += 1
        except (OSError, UnicodeDecodeError, StopIteration) as error:
            raise unreadable(name, error, "it is not CSV") from None

    @property
    def columns(self) -> list[str]:
        return self._names

    def __len__(self) -> int:
        return self._count

    def _first_rows(self, most: int = _SHOWN) -> list[tuple[Any, ...]]:
        return self._first[:most]


def main(words: Sequence[str]) -> int:
    """Write the page that `words` ask for. Return the exit status."""
    parser = argparse.ArgumentParser(
        "mollify-dp report",
        description="Write the page that goes out with released rows: one HTML file of public facts, without scripts.",
        allow_abbrev=False,
    )
    parser.add_argument("--released", required=True, metavar="FILE", help="CSV of the released rows")
    parser.add_argument("--certificate", required=True, metavar="FILE", help="their certificate")
    parser.add_argument("--model", metavar="FILE", help="their model, for answers and the map of pairs")
    parser.add_argument("--domain", metavar="FILE", help="their domain, YAML (default: the model's or the certificate's)")
    parser.add_argument("--title", metavar="TEXT", help="heading (default: the number of records)")
    parser.add_argument("--contact", metavar="TEXT", help="who can check a conclusion on the real table")
    parser.add_argument("--questions", action="append", metavar="QUESTION", help="one more question to answer; repeat the flag for each")
    parser.add_argument("--out", required=True, metavar="FILE", help="the page to write, .html")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that exists")
    given = parser.parse_args(words)
    if os.path.exists(given.out) and not given.overwrite:
        parser.error(f"{given.out} exists: give --overwrite to replace it")
    try:
        release = ReadRelease(given.released, given.certificate, given.domain, given.model)
        release._inputs = inputs_of({"released": given.released, "certificate": given.certificate, "model": given.model})
        parts: dict[str, Any] = {"title": given.title, "contact": given.contact, "questions": given.questions}
        report(release, given.out, domain=release.domain, overwrite=given.overwrite, **parts)
    except _core.InvalidInput as refused:
        print(f"mollify-dp report: {refused}", file=sys.stderr)
        return 2
    return 0
