"""A language model's words, each within a band around a public model's.

Two small models of letters are trained here, in a second: one on a public text, one on private
notes. What the second one writes is released letter by letter; each letter costs epsilon, and a
ledger says when there is no more of it. (A letter costs what a word of a large model's would.)
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import mollify as mo
from mollify.adapters.language import TokenSampler

LETTERS = "abcdefghijklmnopqrstuvwxyz ."
Floats = NDArray[np.float64]


def numbers(text: str) -> list[int]:
    """Letters as their places in LETTERS; all others are blanks."""
    return [max(LETTERS.find(letter), 0) if letter in LETTERS else 26 for letter in text.lower()]


class Model:
    """Which letter follows two: a table of logits, learned by gradient descent."""

    def __init__(self, text: str, steps: int = 300) -> None:
        k = len(LETTERS)
        seen = np.zeros((k * k, k))
        places = numbers(text)
        for a, b, c in zip(places, places[1:], places[2:]):
            seen[a * k + b, c] += 1
        total = np.maximum(seen.sum(1, keepdims=True), 1)
        self.table: Floats = np.zeros((k * k, k))
        for _ in range(steps):
            odds = np.exp(self.table - self.table.max(1, keepdims=True))
            law = odds / odds.sum(1, keepdims=True)
            self.table += seen / total - law * (seen.sum(1, keepdims=True) > 0) - 1e-3 * self.table

    def logits(self, before: list[list[int]]) -> Floats:
        """(batch, vocabulary): of the next letter after each text."""
        k = len(LETTERS)
        rows: Floats = self.table[[text[-2] * k + text[-1] for text in before]]
        return rows


def write(folder: Path, letters: int = 40) -> list[str]:
    """Two texts of the private model's, and what they cost."""
    public_text = (Path(__file__).parents[1] / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
    private_text = "the patient sleeps badly and takes the red pills at night. " * 20
    public, private = Model(public_text), Model(private_text)

    ledger = mo.Ledger(folder / "letters.db")
    ledger.declare("notes", epsilon=500, scope="table")
    sampler = TokenSampler(epsilon=5, top=12, ledger=ledger, data_set="notes")
    texts = [numbers("th"), numbers(". ")]
    for _ in range(letters):
        drawn = sampler.draw(private.logits(texts), public.logits(texts))
        for text, letter in zip(texts, drawn.tolist()):
            text.append(letter)
    print(f"{sampler.tokens} letters cost {sampler.spent}; {ledger.balance('notes').remaining} is left")
    return ["".join(LETTERS[letter] for letter in text) for text in texts]


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build")
    (folder / "letters.db").unlink(missing_ok=True)
    for released in write(folder):
        print(released)
