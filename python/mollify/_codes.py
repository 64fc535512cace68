"""The codes of warnings, made by tests/docs/messages.py of schema/messages.json."""

WARNING_CODES = frozenset(
    {
        "as-if-independent",
        "delta-large",
        "delta-not-compared",
        "delta-too-large",
        "draft-note",
        "ends-at-midnight",
        "epsilon-capped",
        "few-units",
        "indistinct-from-noise",
        "integers-cut",
        "large-epsilon",
        "large-error",
        "mostly-noise",
        "noise-if",
        "noise-if-sparse",
        "not-compared",
        "rules-change-records",
        "undeclared-values",
        "wide-range",
    }
)
