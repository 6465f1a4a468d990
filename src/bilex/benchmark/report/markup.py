"""HTML elements whose content is escaped automatically."""

from __future__ import annotations

from html import escape

from bilex.errors import visible


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


def element(name: str, /, *content: str | None, **attributes: str | int | bool | None) -> Markup:
    """Return an element; content that is not `Markup` is escaped, and None left out.

    An underscore at the end of an attribute's name is dropped (`class_`), others become hyphens.
    An attribute that is None or False is left out, and one that is True has no value.
    """
    inside = "".join(render(part) for part in content if part is not None)
    opening = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{name}{opening}>{inside}</{name}>")


def render(part: str) -> str:
    """Return `Markup` unchanged and other text escaped, with control characters made visible."""
    return part if isinstance(part, Markup) else escape(visible(part))


def joined(*parts: str | None) -> Markup:
    """Return all parts joined; parts that are not `Markup` are escaped."""
    return Markup("".join(render(part) for part in parts if part is not None))


def _attribute(key: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(visible(str(value)))}"'
