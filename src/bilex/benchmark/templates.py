"""Paths with placeholders: `dictionaries/{source}-{target}.txt`."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

from bilex.errors import SettingError
from bilex.registry import did_you_mean

LANGUAGE_FIELDS = ("language",)
PAIR_FIELDS = ("source", "target", "pair")
RUN_FIELDS = (*PAIR_FIELDS, "seeds", "draw")


def check_template(template: str, fields: Sequence[str]) -> None:
    """Check that every placeholder of a template is one of these fields.

    Raises:
        SettingError: If a placeholder is unknown, or the braces do not match.
    """
    try:
        found = [
            field for _, field, _, _ in string.Formatter().parse(template) if field is not None
        ]
    except ValueError as problem:
        raise SettingError(
            f"the path {template!r} cannot be parsed ({problem}): write placeholders as "
            f"{{{fields[0]}}}, and double a brace that is part of a name"
        ) from None
    for field in found:
        if field not in fields:
            raise SettingError(
                f"the path {template!r} has an unknown placeholder {{{field}}}"
                f"{did_you_mean(field, fields)}; "
                f"valid are: {', '.join(f'{{{name}}}' for name in fields)}"
            )


def fill(template: str, values: Mapping[str, object]) -> str:
    """Fill in the placeholders of a checked template."""
    return template.format_map(values)


def pair_values(source: str, target: str) -> dict[str, object]:
    """Return the values of the placeholders for a language pair."""
    return {"source": source, "target": target, "pair": f"{source}-{target}"}
