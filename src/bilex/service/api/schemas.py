"""What the API takes and returns, as it stands in its OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    model_validator,
)

MOST_WORDS = 1_000
LONGEST_WORD = 200
LONGEST_TEXT = 200_000
MOST_CANDIDATES = 100
MOST_TERMS = 1_000
LARGEST_PAGE = 1_000

Word = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD)]
Language = Annotated[str, StringConstraints(min_length=1, max_length=35)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def _whole(value: object) -> object:
    """Return 5.0 as 5: both are the same number in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)  # after the limits, or they are missing in the description
Origin = Literal["induced", "seed", "reviewed"]
How = Literal["known", "unknown", "lemma", "case", "joined", "composed", "subwords", "own"]


# What the validator of `_PairChoice` checks, for programs that read the description.
_ONE_CHOICE: list[JsonValue] = [
    {
        "required": ["source", "target"],
        "properties": {
            "source": {"type": "string"},
            "target": {"type": "string"},
            "pair": {"type": "null"},
            "reverse": {"const": False},
        },
    },
    {
        "required": ["pair"],
        "properties": {
            "source": {"type": "null"},
            "target": {"type": "null"},
            "pair": {"type": "string"},
        },
    },
]


def _described(**example: JsonValue) -> ConfigDict:
    examples: list[JsonValue] = [{**example, "source": "en", "target": "es"}]
    extra: dict[str, JsonValue] = {"oneOf": _ONE_CHOICE, "examples": examples}
    return ConfigDict(extra="forbid", strict=True, json_schema_extra=extra)


class _PairChoice(BaseModel):
    """The languages, or the name of a pair and the direction."""

    source: Language | None = Field(None, description="Language of the words, as in /v1/models.")
    target: Language | None = Field(None, description="Language to translate to.")
    pair: Name | None = Field(None, description="Name of a pair, instead of the languages.")
    reverse: bool = Field(False, description="With `pair`: from its target to its source language.")

    @model_validator(mode="after")
    def _one_choice(self) -> Self:
        by_name = self.pair is not None
        by_language = self.source is not None and self.target is not None
        either = self.source is not None or self.target is not None
        if by_name == by_language or (by_name and either):
            raise ValueError('give "source" and "target", or "pair" alone')
        if self.reverse and not by_name:
            raise ValueError('"reverse" goes with "pair": otherwise, exchange the languages')
        return self


class TranslateRequest(_PairChoice):
    """Words to translate."""

    model_config = _described(words=["house", "bread"])

    words: Annotated[list[Word], Field(min_length=1, max_length=MOST_WORDS)] = Field(
        description="The words."
    )
    k: Annotated[int, Field(ge=1, le=MOST_CANDIDATES), WHOLE] = Field(
        5, description="Translations of each word, at most."
    )
    min_probability: Probability = Field(
        0.0,
        description="Only translations with this probability or more, and those that people gave.",
    )
    any_case: bool = Field(
        False, description="Translate the same word in upper or lower case if it is unknown."
    )
    compose: bool = Field(
        False, description="Translate terms of several words from their words if they are unknown."
    )


class Candidate(BaseModel):
    """A translation."""

    word: str = Field(examples=["casa"])
    score: float | None = Field(
        description="Score of the model; higher is better. Null if only people gave it.",
        examples=[0.71],
    )
    probability: float | None = Field(
        description="Probability that it is right; null if nothing is known.", examples=[0.97]
    )
    origin: Origin = Field(
        description="induced: from the model; seed: from the pairs it was trained on; reviewed: a "
        "person has decided."
    )


class Translation(BaseModel):
    """A word and its translations, the best first."""

    word: str = Field(examples=["house"])
    how: How = Field(
        description="known: in the vocabulary; own: only people have an entry for it; unknown: no "
        "answer; otherwise how a vector was found."
    )
    parts: list[str] = Field(description="Words whose vectors were used instead.")
    missing: list[str] = Field(description="Unknown words of a term.")
    candidates: list[Candidate]


class TranslateResponse(BaseModel):
    """The translations, in the order of the words."""

    pair: str = Field(examples=["en-es"])
    reverse: bool
    model: str | None = Field(description="Identity of the model; null without one.")
    translations: list[Translation]


class GlossaryRequest(_PairChoice):
    """A text to find terms in."""

    model_config = _described(text="In the beginning was the house of bread.")

    text: Annotated[str, StringConstraints(max_length=LONGEST_TEXT)] = Field(
        description="The text."
    )
    max_terms: Annotated[int, Field(ge=1, le=MOST_TERMS), WHOLE] = Field(
        50, description="Terms at most; the rarest are kept."
    )
    k: Annotated[int, Field(ge=1, le=20), WHOLE] = Field(
        3, description="Translations of each term, at most."
    )
    min_probability: Probability = Field(
        0.5,
        description="Only translations with this probability or more, and those that people gave.",
    )
    similar: bool = Field(
        True, description="Find other forms of terms, too; they are marked as similar."
    )
    format: Literal["json", "prompt"] = Field(
        "json",
        description="json: the terms; prompt: plain text to put before a text for a language "
        "model.",
    )


class GlossaryTarget(BaseModel):
    """A translation of a term."""

    word: str = Field(examples=["casa"])
    probability: float | None
    origin: Origin


class GlossaryTerm(BaseModel):
    """A term of the lexicon that is in the text."""

    term: str = Field(description="As in the lexicon.", examples=["house"])
    found: list[str] = Field(description="As in the text.", examples=[["House", "houses"]])
    how: Literal["exact", "case", "lemma", "similar"] = Field(
        description="How it was found; similar: another form, not certain."
    )
    spans: list[tuple[int, int]] = Field(
        description="Start and end of each place in the text, in characters (code points)."
    )
    rank: int = Field(description="Rank by frequency in the lexicon, from 1.")
    targets: list[GlossaryTarget]


class GlossaryResponse(BaseModel):
    """The terms in the order of the text."""

    pair: str = Field(examples=["en-es"])
    reverse: bool
    model: str | None
    terms: list[GlossaryTerm]


class PairInfo(BaseModel):
    """A pair of languages that is served."""

    name: str = Field(examples=["en-es"])
    source: str = Field(examples=["en"])
    target: str = Field(examples=["es"])
    model: str | None = Field(description="Identity of the model; null without one.")
    source_words: int
    target_words: int
    calibrated: bool = Field(description="Whether translations have probabilities.")
    own_entries: int = Field(description="Entries that people decided or that a dictionary gives.")


class ModelsResponse(BaseModel):
    """All pairs, by name."""

    models: list[PairInfo]


class LexiconEntry(BaseModel):
    """An entry of the lexicon."""

    source: str = Field(examples=["house"])
    target: str = Field(examples=["casa"])
    probability: float | None
    score: float | None
    rank: int = Field(description="Rank among the translations of the word, from 1.")
    origin: Origin
    part_of_speech: str
    sense: str
    note: str


class LexiconResponse(BaseModel):
    """A page of the lexicon, by frequency of the source word."""

    pair: str = Field(examples=["en-es"])
    reverse: bool
    model: str | None
    entries: list[LexiconEntry]
    next: str | None = Field(description="Cursor of the next page; null on the last one.")


class EntryResponse(BaseModel):
    """All that is known about a word."""

    pair: str = Field(examples=["en-es"])
    reverse: bool
    word: str = Field(examples=["house"])
    rank: int | None = Field(description="Rank by frequency, from 1; null if it is not known.")
    entries: list[LexiconEntry]
    near: list[str] = Field(description="Words of the same language with similar vectors.")
    near_first: list[str] = Field(description="Words with vectors like the first translation's.")
    provenance: dict[str, object] = Field(description="The model, its versions and its size.")


class Problem(BaseModel):
    """What is wrong."""

    code: str = Field(examples=["unknown-pair"])
    message: str = Field(examples=["no pair 'en-xx': served are en-es, en-fr"])


class ErrorResponse(BaseModel):
    """The answer to a request that failed."""

    error: Problem
