"""A small page to try the service, and the description of its API for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment
from starlette.exceptions import HTTPException

from bilex.glossary import Glossary
from bilex.glossary.prompt import language_name
from bilex.service.api.catalog import Catalog, Models
from bilex.service.api.pairs import ServedDirection, ServedPair
from bilex.service.api.schemas import LONGEST_WORD
from bilex.service.languages import written_language
from bilex.service.pages import make_templates

router = APIRouter(include_in_schema=False)

LONGEST_TEXT = 20_000
_CANDIDATES, _NEAR = 8, 8
_ALWAYS_SHOWN, _LEAST_SHOWN = 3, 0.01  # candidates; the probability of others
_TERMS, _TARGETS, _LEAST = 200, 3, 0.3


class Piece(NamedTuple):
    """A part of a text; `marked` if it is a term."""

    text: str
    marked: bool


@dataclass(frozen=True)
class Choice:
    """A direction that the page offers.

    Attributes:
        pair: The pair.
        reverse: Whether it is used from target to source.
    """

    served: ServedPair
    reverse: bool

    @property
    def pair(self) -> str:
        """Return the name of the pair."""
        return self.served.name

    @property
    def value(self) -> str:
        """Return how a form names it."""
        return f"{'<' if self.reverse else '>'}{self.pair}"

    @property
    def languages(self) -> tuple[str, str]:
        """Return the languages in this direction."""
        both = (self.served.source, self.served.target)
        return both[::-1] if self.reverse else both

    @property
    def name(self) -> str:
        """Return how people call it."""
        source, target = map(language_name, self.languages)
        return f"{source} → {target} ({self.pair})"

    @property
    def direction(self) -> ServedDirection:
        """Return what answers."""
        return self.served.direction(reverse=self.reverse)


def _choices(request: Request) -> list[Choice]:
    if not request.app.state.has_page:
        raise HTTPException(404, "this server has no page; its API is described by /openapi.json")
    models: Models = request.app.state.models
    catalog: Catalog = models.current
    return [Choice(pair, it) for pair in catalog.pairs.values() for it in (False, True)]


async def _form(request: Request) -> dict[str, str]:
    # A file cannot be sent, so that the parser of the standard library is enough.
    fields = parse_qs((await request.body()).decode(errors="replace"), keep_blank_values=True)
    return {name: values[-1] for name, values in fields.items()}


Choices = Annotated[list[Choice], Depends(_choices)]


@router.get("/")
def look_up(
    choices: Choices,
    word: Annotated[str, Query(max_length=LONGEST_WORD)] = "",
    direction: Annotated[str, Query(max_length=200)] = "",
) -> HTMLResponse:
    """Show the forms, and the translations of a word."""
    chosen = _choose(choices, direction)
    word = word.strip()
    if chosen is None or not word:
        return _page(choices, chosen)
    served = chosen.direction
    result = served.translate([word], k=_CANDIDATES, any_case=True, compose=True)[0]
    result["candidates"] = [
        one
        for number, one in enumerate(result["candidates"])
        if number < _ALWAYS_SHOWN or (one["probability"] or 1.0) >= _LEAST_SHOWN
    ]
    known = result["parts"][0] if len(result["parts"]) == 1 else word
    first = result["candidates"][0]["word"] if result["candidates"] else ""
    return _page(
        choices,
        chosen,
        word=word,
        result=result,
        near=served.near(known, _NEAR),
        near_first=served.near_target(first, _NEAR),
        rank=served.rank(known),
        model=chosen.served.identity,
    )


@router.post("/text")
def find_terms(choices: Choices, fields: Annotated[dict[str, str], Depends(_form)]) -> HTMLResponse:
    """Show the terms of a text."""
    chosen = _choose(choices, fields.get("direction", ""))
    text = fields.get("text", "")[:LONGEST_TEXT].replace("\r\n", "\n")
    if chosen is None or not text.strip():
        return _page(choices, chosen)
    found = chosen.direction.glossary(
        text, max_terms=_TERMS, k=_TARGETS, min_probability=_LEAST, similar=True
    )
    return _page(
        choices,
        chosen,
        text=text,
        glossary=found,
        pieces=list(_pieces(text, found)),
        prompt=found.prompt(*chosen.languages),
    )


@router.get("/docs")
def describe(request: Request, choices: Choices) -> HTMLResponse:
    """Show the routes of the API with examples."""
    described = request.app.openapi()
    routes = [
        _route(path, method, operation, described)
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    ]
    return _rendered(
        "lexicon_api.html",
        here="/docs",
        about=described["info"]["description"],
        openapi=described["openapi"],
        routes=routes,
    )


def _choose(choices: list[Choice], value: str) -> Choice | None:
    found = {one.value: one for one in choices}
    return found.get(value, choices[0] if choices else None)


def _page(choices: list[Choice], chosen: Choice | None, **values: object) -> HTMLResponse:
    tags = ("", "") if chosen is None else chosen.languages
    known: dict[str, object] = {
        "choices": choices,
        "chosen": chosen,
        "word": "",
        "text": "",
        "result": None,
        "near": (),
        "near_first": (),
        "rank": None,
        "model": None,
        "glossary": None,
        "pieces": (),
        "prompt": "",
        "source": written_language(tags[0]),
        "target": written_language(tags[1]),
        "link": lambda word: urlencode(
            {"direction": "" if chosen is None else chosen.value, "word": word}
        ),
    }
    return _rendered("lexicon.html", here="/", **(known | values))


def _rendered(template: str, **values: object) -> HTMLResponse:
    return HTMLResponse(_templates().get_template(template).render(values))


@cache
def _templates() -> Environment:
    return make_templates()


def _pieces(text: str, found: Glossary) -> Iterator[Piece]:
    end = 0
    for first, last in sorted(span for term in found.terms for span in term.spans):
        yield Piece(text[end:first], False)
        yield Piece(text[first:last], True)
        end = last
    yield Piece(text[end:], False)


def _route(
    path: str, method: str, operation: dict[str, Any], described: dict[str, Any]
) -> dict[str, object]:
    fields = [
        {
            "name": one["name"],
            "description": one.get("description", one["schema"].get("description", "")),
            "required": one.get("required", False),
            "default": _shown(one["schema"].get("default")),
        }
        for one in operation.get("parameters", [])
    ]
    body: dict[str, Any] = {}
    if "requestBody" in operation:
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        schema = described["components"]["schemas"][reference.rpartition("/")[2]]
        for name, field in schema["properties"].items():
            required = name in schema.get("required", ())
            fields.append(
                {
                    "name": name,
                    "description": field.get("description", ""),
                    "required": required,
                    "default": _shown(field.get("default")),
                }
            )
        body = schema["examples"][0]
    address = path.replace("{pair}", "en-es").replace("{word}", "house")
    example = f"curl http://localhost:8000{address}"
    if body:
        text = json.dumps(body, ensure_ascii=False)
        example += f" \\\n  -H 'Content-Type: application/json' \\\n  -d '{text}'"
    return {
        "method": method.upper(),
        "path": path,
        "description": operation["description"],
        "fields": fields,
        "example": example,
    }


def _shown(default: object) -> str | None:
    return None if default is None or default == "" else json.dumps(default)
