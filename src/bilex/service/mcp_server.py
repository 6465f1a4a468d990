"""An MCP server: tools by which assistants look up words and terms."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from bilex.errors import BilexError
from bilex.service.mcp_lexicons import Lexicons, Target, Term, WordTranslations, choose
from bilex.storage.version import __version__

_INSTRUCTIONS = (
    "Bilingual lexicons: translations of single words and terms, with the probability that each is "
    "right. Use find_terms before you translate a text, so that its terms are translated "
    "consistently, and translate_words for single words. list_lexicons says which languages there "
    "are. All translations are dictionary forms: inflect them as the sentence needs. Translations "
    'of the origin "reviewed" were checked by a person and come first.'
)

Word = Annotated[str, Field(min_length=1, max_length=200)]
Words = Annotated[
    list[Word],
    Field(
        min_length=1,
        max_length=200,
        description="Words or short terms in the source language, preferably as in a dictionary: "
        "'house', not 'houses' or a sentence.",
        examples=[["house", "bread"]],
    ),
]
Text = Annotated[
    str, Field(max_length=200_000, description="The text in the source language, as it is.")
]
Source = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        description="Language of the words or the text: a code such as 'en', or its English name.",
    ),
]
To = Annotated[
    str, Field(min_length=1, max_length=100, description="Language to translate to, likewise.")
]
Name = Annotated[
    str | None,
    Field(
        max_length=100,
        description="Name of a lexicon from list_lexicons. Only needed if several lexicons have "
        "the same languages.",
    ),
]
Number = Annotated[int, Field(ge=1, le=20, description="Translations of each word, at most.")]
MaxTerms = Annotated[int, Field(ge=1, le=1_000, description="Terms, at most; the rarest are kept.")]
Least = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="Leave out translations that are less probable, except those that people gave.",
    ),
]


class Translated(BaseModel):
    """The translations of some words, in their order."""

    lexicon: str = Field(description="The lexicon that was used.")
    words: list[WordTranslations]


class Terms(BaseModel):
    """The terms of a text, in the order of the text."""

    lexicon: str = Field(description="The lexicon that was used.")
    terms: list[Term]


class LexiconInfo(BaseModel):
    """A lexicon, which can be used in both directions."""

    name: str
    source: str = Field(description="Code of the source language.")
    target: str = Field(description="Code of the target language.")
    source_words: int
    target_words: int
    has_probabilities: bool


class LexiconList(BaseModel):
    """All lexicons."""

    lexicons: list[LexiconInfo]


def create_mcp_server(lexicons: Lexicons) -> MCPServer[None]:
    """Return a server with the tools; `run()` serves stdin and stdout until stdin ends."""
    server: MCPServer[None] = MCPServer(
        "bilex", title="bilex", instructions=_INSTRUCTIONS, version=__version__
    )
    reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    @server.tool(title="Translate words", annotations=reads)
    def translate_words(
        words: Words,
        source: Source,
        target: To,
        k: Number = 5,
        min_probability: Least = 0.0,
        lexicon: Name = None,
    ) -> Annotated[CallToolResult, Translated]:
        """Look up translations of single words or short terms in a bilingual lexicon.

        Returns dictionary forms, the best first, each with the probability that it is right.
        A word that the lexicon does not have is marked as unknown. Do not use it for sentences:
        find_terms is for texts.
        """
        with _tool_errors():
            wanted = choose(lexicons.pairs(), source, target, lexicon)
            found = lexicons.translate(wanted, words, k=k, min_probability=min_probability)
        lines = [_word_line(one) for one in found]
        return _result(Translated(lexicon=wanted.name, words=found), lines)

    @server.tool(title="Find terms of a text", annotations=reads)
    def find_terms(
        text: Text,
        source: Source,
        target: To,
        max_terms: MaxTerms = 50,
        k: Number = 3,
        min_probability: Least = 0.5,
        lexicon: Name = None,
    ) -> Annotated[CallToolResult, Terms]:
        """Find the terms of a bilingual lexicon that occur in a text, with their translations.

        Use it before translating a text, to translate its terms consistently. Translations are
        dictionary forms, to be inflected as the sentence needs. Terms marked as similar were found
        by another form and may be another word.
        """
        with _tool_errors():
            wanted = choose(lexicons.pairs(), source, target, lexicon)
            found = lexicons.terms(
                wanted, text, max_terms=max_terms, k=k, min_probability=min_probability
            )
        lines = [_term_line(one) for one in found] or ["The text has no term of the lexicon."]
        return _result(Terms(lexicon=wanted.name, terms=found), lines)

    @server.tool(title="List lexicons", annotations=reads)
    def list_lexicons() -> Annotated[CallToolResult, LexiconList]:
        """List the lexicons with their languages; each one can be used in both directions."""
        with _tool_errors():
            pairs = lexicons.pairs()
        found = [
            LexiconInfo(
                name=one.name,
                source=one.source,
                target=one.target,
                source_words=one.source_words,
                target_words=one.target_words,
                has_probabilities=one.calibrated,
            )
            for one in pairs
        ]
        lines = [
            f"{one.name}: {one.source} ({one.source_words:,} words) to {one.target} "
            f"({one.target_words:,} words), and back"
            for one in found
        ]
        return _result(LexiconList(lexicons=found), lines or ["There are no lexicons."])

    return server


@contextmanager
def _tool_errors() -> Iterator[None]:
    """Report our errors to the assistant, which can then do something else."""
    try:
        yield
    except BilexError as error:
        raise ToolError(str(error)) from error


def _result(value: BaseModel, lines: Sequence[str]) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text="\n".join(lines))],
        structured_content=value.model_dump(mode="json"),
    )


def _word_line(one: WordTranslations) -> str:
    used = f" (as {' + '.join(map(_quoted, one.parts))})" if one.parts else ""
    found = ", ".join(map(_shown, one.translations))
    if not found:
        found = "not in the lexicon" if one.how == "unknown" else "none that is probable enough"
    return f"{_quoted(one.word)}{used}: {found}"


def _term_line(one: Term) -> str:
    forms = ", ".join(map(_quoted, one.found))
    similar = ", similar form, may be another word" if one.how == "similar" else ""
    return f"{_quoted(one.term)} (in the text: {forms}{similar}): " + ", ".join(
        map(_shown, one.translations)
    )


def _shown(one: Target) -> str:
    facts = [] if one.probability is None else [f"{one.probability:.2f}"]
    facts += [] if one.origin == "induced" else [one.origin]
    return _quoted(one.word) + (f" ({', '.join(facts)})" if facts else "")


def _quoted(word: str) -> str:
    # With escapes: a word with a line break cannot be taken for an instruction.
    return json.dumps(word, ensure_ascii=False)
