"""The routes of the API, version 1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import PlainTextResponse, Response
from pydantic_core import to_json
from starlette.convertors import PathConvertor, register_url_convertor

from bilex.lexicons.dictionary import DictionaryEntry
from bilex.service.api import schemas
from bilex.service.api.catalog import Catalog, Models
from bilex.service.api.pairs import ServedDirection, ServedPair
from bilex.service.api.problems import ProblemError, described
from bilex.storage.version import __version__

if TYPE_CHECKING:
    from bilex.service.api.metrics import Metrics


class _WordConvertor(PathConvertor):
    """Any text, line breaks included, at which a `path` ends."""

    regex = r"[\s\S]*"


register_url_convertor("word", _WordConvertor())
router = APIRouter(prefix="/v1")

_NEAR = 8
_CURSOR = "^[0-9a-z]{1,64}-[0-9]{1,9}$"


def _catalog(request: Request) -> Catalog:
    models: Models = request.app.state.models
    return models.current


Current = Annotated[Catalog, Depends(_catalog)]
PairName = schemas.Name


def _metrics(request: Request) -> Metrics | None:
    """Return what counts; None if nobody does."""
    return getattr(request.app.state, "metrics", None)


class Chosen:
    """A pair and the direction it is used in."""

    def __init__(self, pair: ServedPair, *, reverse: bool) -> None:
        self.pair, self.reverse = pair, reverse
        self.direction: ServedDirection = pair.direction(reverse=reverse)

    def facts(self) -> dict[str, Any]:
        """Return what every answer says about its pair."""
        return {
            "pair": self.pair.name,
            "reverse": self.reverse,
            "model": self.pair.identity,
        }


def _chosen(
    catalog: Catalog, request: schemas.TranslateRequest | schemas.GlossaryRequest
) -> Chosen:
    if request.pair is not None:
        return Chosen(catalog.by_name(request.pair), reverse=request.reverse)
    pair, reverse = catalog.by_languages(cast(str, request.source), cast(str, request.target))
    return Chosen(pair, reverse=reverse)


@router.post(
    "/translate",
    summary="Translate words",
    response_model=schemas.TranslateResponse,
    responses=described(404),
    tags=["words"],
)
def translate(request: schemas.TranslateRequest, catalog: Current, whole: Request) -> Response:
    """Return the translations of up to 1,000 words, the best first."""
    chosen = _chosen(catalog, request)
    answers = chosen.direction.translate(
        request.words,
        k=request.k,
        min_probability=request.min_probability,
        any_case=request.any_case,
        compose=request.compose,
    )
    metrics = _metrics(whole)
    if metrics is not None:
        metrics.count_words(chosen.pair.name, len(request.words))
    return _json(chosen.facts() | {"translations": answers})


@router.post(
    "/glossary",
    summary="Find terms in a text",
    response_model=schemas.GlossaryResponse,
    responses=described(404) | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    tags=["text"],
)
def glossary(request: schemas.GlossaryRequest, catalog: Current, whole: Request) -> Response:
    """Return the terms of a text with their translations, or a prompt with them."""
    chosen = _chosen(catalog, request)
    found = chosen.direction.glossary(
        request.text,
        max_terms=request.max_terms,
        k=request.k,
        min_probability=request.min_probability,
        similar=request.similar,
    )
    metrics = _metrics(whole)
    if metrics is not None:
        metrics.count_characters(chosen.pair.name, len(request.text))
    if request.format == "prompt":
        languages = (chosen.pair.source, chosen.pair.target)
        source, target = languages[::-1] if chosen.reverse else languages
        return PlainTextResponse(found.prompt(source, target))
    return _json(chosen.facts() | found.to_dict())


@router.get(
    "/models",
    summary="List the pairs of languages",
    response_model=schemas.ModelsResponse,
    responses=described(),
    tags=["lexicon"],
)
def models(catalog: Current) -> Response:
    """Return the pairs of languages that are served."""
    return _json({"models": [_info(pair) for pair in catalog.pairs.values()]})


@router.get(
    "/lexicon/{pair}",
    summary="Read the lexicon page by page",
    response_model=schemas.LexiconResponse,
    responses=described(304, 404, 409),
    tags=["lexicon"],
)
def lexicon(
    request: Request,
    catalog: Current,
    pair: PairName,
    cursor: Annotated[
        str | None,
        Query(
            pattern=_CURSOR,
            max_length=100,
            description="`next` of the page before; without it, the first page.",
        ),
    ] = None,
    limit: Annotated[
        int,
        Query(ge=1, le=schemas.LARGEST_PAGE, description="A page ends after this many entries."),
    ] = 100,
    min_probability: Annotated[
        float | None,
        Query(
            ge=0,
            le=1,
            allow_inf_nan=False,
            description="Of entries that nobody gave; without it, as in `bilex export`.",
        ),
    ] = None,
    origin: schemas.Origin | None = None,
    prefix: Annotated[
        str, Query(max_length=schemas.LONGEST_WORD, description="Only words that begin with it.")
    ] = "",
    reverse: bool = False,
) -> Response:
    """Return a page of entries, by frequency of the source word.

    A page may have fewer entries than `limit`, also when there are more; `next` is null on the last
    one.
    """
    chosen = Chosen(catalog.by_name(pair), reverse=reverse)
    row = _row(cursor, chosen.pair)
    asked = (pair, reverse, row, limit, min_probability, origin, prefix)
    tag = _tag(chosen.pair, *asked)
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    page = chosen.direction.page(
        row, limit, min_probability=min_probability, origin=origin, prefix=prefix
    )
    following = None if page.next_row is None else _cursor(page.next_row, chosen.pair)
    content = chosen.facts() | {"entries": list(map(_entry, page.entries)), "next": following}
    return _json(content, {"ETag": tag, "Cache-Control": "no-cache"})


@router.get(
    "/entry/{pair}/{word:word}",
    summary="Look up one word",
    response_model=schemas.EntryResponse,
    responses=described(404),
    tags=["words"],
)
def entry(
    catalog: Current,
    pair: PairName,
    word: schemas.Word,
    min_probability: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
    reverse: bool = False,
) -> Response:
    """Return all that is known about a word: entries, nearest words, where they come from."""
    chosen = Chosen(catalog.by_name(pair), reverse=reverse)
    direction = chosen.direction
    found = direction.entries(word, min_probability=min_probability)
    rank = direction.rank(word)
    if rank is None and not found:
        raise ProblemError(404, "unknown-word", f"{word!r} is not in the lexicon {pair!r}")
    return _json(
        {
            "pair": pair,
            "reverse": reverse,
            "word": word,
            "rank": rank,
            "entries": list(map(_entry, found)),
            "near": direction.near(word, _NEAR),
            "near_first": direction.near_target(found[0].target, _NEAR) if found else [],
            "provenance": chosen.pair.provenance(),
        }
    )


def _json(content: object, headers: dict[str, str] | None = None) -> Response:
    # Not checked against the schema again: with 1,000 words this would take longer than the rest.
    return Response(to_json(content), media_type="application/json", headers=headers)


def _entry(one: DictionaryEntry) -> dict[str, Any]:
    return {name: getattr(one, name) for name in schemas.LexiconEntry.model_fields}


def _info(pair: ServedPair) -> dict[str, Any]:
    return {
        "name": pair.name,
        "source": pair.source,
        "target": pair.target,
        "model": pair.identity,
        "source_words": len(pair.forward),
        "target_words": len(pair.backward),
        "calibrated": pair.forward.is_calibrated,
        "own_entries": len(pair.own),
    }


def _mark(pair: ServedPair) -> str:
    return pair.identity or "own"


def _cursor(row: int, pair: ServedPair) -> str:
    return f"{_mark(pair)}-{row}"


def _row(cursor: str | None, pair: ServedPair) -> int:
    if cursor is None:
        return 0
    mark, _, row = cursor.rpartition("-")
    if mark != _mark(pair):
        raise ProblemError(
            409, "lexicon-changed", "the lexicon has changed since: begin again without a cursor"
        )
    return int(row)


def _tag(pair: ServedPair, *asked: object) -> str:
    parts: Iterable[object] = (__version__, _mark(pair), pair.version(), *asked)
    return f'"{hashlib.sha256(repr(tuple(parts)).encode(errors="replace")).hexdigest()[:32]}"'
