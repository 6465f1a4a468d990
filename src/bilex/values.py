"""The values that flow between the parts: frozen data, no algorithms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeAlias, get_args

from bilex.answers import Candidate
from bilex.errors import DimensionError, SettingError

if TYPE_CHECKING:  # importing torch takes seconds, and commands on dictionaries do not need it
    import torch

Matrix: TypeAlias = "torch.Tensor"
"""Vectors as rows: (n_words, dim), float32."""

Vector: TypeAlias = "torch.Tensor"
"""One dimension: a number for each word, or the vector of one word."""


Progress = Callable[[int, int], None]
"""Called with the number of finished rows and the total."""


Search = Literal["exact", "approximate", "auto"]
"""Whether a search finds all best candidates, or most of them in less time."""

APPROXIMATE_FROM = 1_000_000
"""Candidates; from this number on, "auto" searches are approximate.

Not a measured crossover: with 100,000 candidates, 40 % of the time is saved and 2 % of the best are
missed, and larger vocabularies were not measured to the end.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compute:
    """How searches are computed.

    Attributes:
        memory: Bytes that a search may use; does not change the result.
        precision: Of the product that proposes candidates; does not change the result. "auto" uses
            bfloat16 or int8 where the hardware multiplies them faster than float32.
        search: "exact" finds the best candidates; "approximate" finds most of them in less time,
            with the same scores; "auto" is approximate from `APPROXIMATE_FROM` candidates on.
    """

    memory: int = 512 * 2**20
    precision: Literal["auto", "int8", "bfloat16", "float32", "exhaustive"] = "auto"
    search: Search = "auto"

    def __post_init__(self) -> None:
        if self.search not in get_args(Search):
            choices = ", ".join(get_args(Search))
            raise SettingError(f"search is {self.search!r}: expected one of {choices}")
        if self.memory < 2**20:
            raise SettingError(f"memory is {self.memory} bytes: give at least 1 MiB ({2**20})")


Mode = Literal["fast", "exact"]
"""Which algorithm a step uses: a faster one, or the published one."""


class SubwordVectors(Protocol):
    """Makes vectors for words outside the vocabulary from parts of the words."""

    def vector(self, word: str) -> Vector | None:
        """Return the raw vector of `word`, or None when no part of it is known."""
        ...


@dataclass(frozen=True, kw_only=True)
class LoadReport:
    """What was found in a file of word vectors, and what was kept."""

    format: str
    compression: str | None
    words_in_file: int | None  # None if reading stopped at the limit and there was no header
    kept: int
    dim: int
    duplicates: int = 0  # rows dropped because the same word came before
    duplicate_examples: tuple[str, ...] = ()
    merged_case_variants: int = 0  # rows dropped by `lowercase` in favor of an earlier variant
    words_with_spaces: int = 0
    zero_vectors: int = 0
    from_cache: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddingSpace:
    """The words of one language and their vectors, most frequent word first.

    `report` says what was found in the file; None if the space was not read from a file.
    """

    words: tuple[str, ...]
    vectors: Matrix  # (n_words, dim), float32
    subwords: SubwordVectors | None = None
    report: LoadReport | None = None

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.words) != self.vectors.shape[0]:
            raise DimensionError(
                f"{len(self.words)} words but vectors of shape {tuple(self.vectors.shape)}: "
                "expected one row for each word"
            )

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"EmbeddingSpace({len(self):,} words × {self.dim})"

    @property
    def dim(self) -> int:
        """Return the length of each vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Map each word to its row; the first one if a word is repeated."""
        return {word: row for row, word in reversed(list(enumerate(self.words)))}

    def rows(self, words: Sequence[str]) -> torch.Tensor:
        """Return the row of each word, -1 where it is unknown."""
        import torch

        index = self.index
        return torch.tensor([index.get(word, -1) for word in words], dtype=torch.long)

    def with_vectors(self, vectors: Matrix) -> Self:
        """Return the same words with other vectors."""
        return type(self)(self.words, vectors, self.subwords, self.report)


@dataclass(frozen=True, eq=False)
class SpacePair:
    """A source and a target space, normalized and on one device, ready to be aligned.

    `compute` sets the memory and precision of searches. `reviewed` holds what reviewers decided
    about these words; None if nobody did.
    """

    source: EmbeddingSpace
    target: EmbeddingSpace
    compute: Compute = Compute()
    reviewed: Reviewed | None = None


class Entry(NamedTuple):
    """One pair of a lexicon: two words, the weight of the pair, and its origin."""

    source: str
    target: str
    weight: float = 1.0
    provenance: str = ""


class LeftOut(NamedTuple):
    """A row of a file that is not used: its line, why, and what it holds."""

    line: int
    reason: str
    text: str


@dataclass(frozen=True)
class LexiconReport:
    """What was found in a file of word pairs."""

    format: str
    columns: tuple[str, ...]
    ignored_columns: tuple[str, ...]
    lines: int
    blank_lines: int
    entries: int
    source_words: int
    duplicates: int  # entries whose two words occurred together before
    multi_word: int  # entries with a space or an underscore in either word
    listed: int  # entries whose target holds a comma or semicolon: several words in one cell?
    rows: int = 0  # without the header and blank lines
    encoding: str = "UTF-8"
    sheet: str = ""  # of a spreadsheet
    source_column: str = ""  # as the header names it; empty if the order of the columns decided
    target_columns: tuple[str, ...] = ()
    split_cells: int = 0  # cells with several words that became several entries
    decimal_commas: int = 0  # weights such as 0,5
    reviewed: int = 0  # rows that a reviewer marked as right
    left_out: tuple[LeftOut, ...] = ()
    entry_lines: tuple[int, ...] = ()  # the line of each entry
    notes: tuple[str, ...] = ()  # what was assumed about the columns


@dataclass(frozen=True, repr=False)
class Lexicon:
    """Word pairs that are translations of each other.

    `report` says what was found in the file; None if the lexicon was not read from a file.
    """

    entries: tuple[Entry, ...]
    report: LexiconReport | None = field(default=None, compare=False)

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> Self:
        """Make a lexicon from word pairs, with the default weight and no provenance."""
        return cls(tuple(Entry(source, target) for source, target in pairs))

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        first = ", ".join(f"{entry.source} → {entry.target}" for entry in self.entries[:3])
        return f"Lexicon({len(self):,} pairs{': ' + first if first else ''})"

    @cached_property
    def translations(self) -> Mapping[str, tuple[str, ...]]:
        """Map each source word to its distinct translations, in the order of the entries."""
        found: dict[str, dict[str, None]] = {}
        for entry in self.entries:
            found.setdefault(entry.source, {})[entry.target] = None
        return {source: tuple(targets) for source, targets in found.items()}

    def reversed(self) -> Self:
        """Swap the two languages."""
        return type(self)(
            tuple(
                entry._replace(source=entry.target, target=entry.source) for entry in self.entries
            )
        )


@dataclass(frozen=True, eq=False)
class IndexedLexicon:
    """The pairs of a lexicon as rows of a `SpacePair`; only pairs with both words known."""

    source_ids: torch.Tensor  # (n_pairs,), long
    target_ids: torch.Tensor  # (n_pairs,), long
    weights: torch.Tensor  # (n_pairs,), float32

    def __len__(self) -> int:
        return int(self.source_ids.shape[0])

    def take(self, rows: torch.Tensor | slice) -> Self:
        """Return some of the pairs, selected by row numbers, a boolean mask, or a slice."""
        return type(self)(self.source_ids[rows], self.target_ids[rows], self.weights[rows])

    def reversed(self) -> Self:
        """Return the pairs of the other direction."""
        return type(self)(self.target_ids, self.source_ids, self.weights)

    def followed_by(self, others: Self) -> Self:
        """Return these pairs and then others."""
        import torch

        return type(self)(
            torch.cat([self.source_ids, others.source_ids]),
            torch.cat([self.target_ids, others.target_ids]),
            torch.cat([self.weights, others.weights]),
        )

    @cached_property
    def answers(self) -> dict[int, frozenset[int]]:
        """Map each source row to the target rows it is paired with."""
        found: dict[int, set[int]] = {}
        for source, target in zip(self.source_ids.tolist(), self.target_ids.tolist(), strict=True):
            found.setdefault(source, set()).add(target)
        return {source: frozenset(targets) for source, targets in found.items()}

    @classmethod
    def locate(cls, lexicon: Lexicon, spaces: SpacePair) -> Self:
        """Look the words up, dropping pairs with an unknown word and repeated pairs."""
        import torch

        source, target = spaces.source.index, spaces.target.index
        rows: dict[tuple[int, int], float] = {}
        for entry in lexicon.entries:
            if entry.source in source and entry.target in target:
                rows.setdefault((source[entry.source], target[entry.target]), entry.weight)
        device = spaces.source.vectors.device
        ids = torch.tensor(list(rows), dtype=torch.long, device=device).reshape(-1, 2)
        weights = torch.tensor(list(rows.values()), dtype=torch.float32, device=device)
        return cls(ids[:, 0].contiguous(), ids[:, 1].contiguous(), weights)


@dataclass(frozen=True)
class Decisions:
    """What reviewers decided about word pairs.

    Attributes:
        accepted: Pairs that are right, with the weights that they have as seeds.
        rejected: Pairs that are wrong.
        sample: Decided source words that are a random sample of all words to be reviewed; empty if
            there is no such sample.
    """

    accepted: Lexicon = field(default_factory=lambda: Lexicon(()))
    rejected: frozenset[tuple[str, str]] = frozenset()
    sample: frozenset[str] = frozenset()

    def added_to(self, seeds: Lexicon) -> Lexicon:
        """Return the accepted pairs, then the seeds that were not rejected.

        If a pair is in both, the weight of the accepted one counts.
        """
        kept = (pair for pair in seeds.entries if (pair.source, pair.target) not in self.rejected)
        report = seeds.report and replace(seeds.report, entry_lines=())
        return Lexicon((*self.accepted.entries, *kept), report)


@dataclass(frozen=True, eq=False)
class Reviewed:
    """Decisions of reviewers as rows of a `SpacePair`; words outside of it are left out."""

    rejected: torch.Tensor  # (n_pairs, 2), long: source row and target row
    sample: torch.Tensor  # (n_words,), long: source rows

    @classmethod
    def locate(cls, decisions: Decisions, spaces: SpacePair) -> Self:
        """Look the words up."""
        import torch

        source, target = spaces.source.index, spaces.target.index
        pairs = sorted((source.get(x, -1), target.get(y, -1)) for x, y in decisions.rejected)
        rows = sorted(source[word] for word in decisions.sample if word in source)
        device = spaces.source.vectors.device
        found = torch.tensor(pairs, dtype=torch.long, device=device).reshape(-1, 2)
        return cls(found[(found >= 0).all(1)], torch.tensor(rows, dtype=torch.long, device=device))

    def rejects(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> torch.Tensor:
        """Return, for each pair, whether it was rejected."""
        import torch

        rejected_sources, rejected_targets = self.rejected.T
        width = 1 + max(int(ids.max()) if len(ids) else 0 for ids in (target_ids, rejected_targets))
        return torch.isin(
            source_ids * width + target_ids, rejected_sources * width + rejected_targets
        )


@dataclass(frozen=True, eq=False)
class LinearMap:
    """A matrix that maps source rows into the target space, and how it was found.

    `report` holds what the step measured, such as its loss; `warnings` are sentences for the user.
    """

    weight: Matrix  # (source_dim, target_dim)
    report: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def apply(self, vectors: Matrix) -> Matrix:
        """Map rows of the source space into the target space."""
        if vectors.shape[-1] != self.weight.shape[0]:
            raise DimensionError(
                f"vectors have {vectors.shape[-1]} dimensions, the map expects "
                f"{self.weight.shape[0]}: are they from the space it was trained on?"
            )
        return vectors @ self.weight.to(vectors)


@dataclass(frozen=True, eq=False)
class NormalizationStep:
    """One learned operation on rows: scale to unit length, add a vector, or apply a matrix."""

    kind: Literal["unit", "shift", "linear"]
    tensor: torch.Tensor | None = None  # shift: (dim,); linear: (dim, dim)

    def apply(self, vectors: Matrix) -> Matrix:
        """Return the transformed rows; scaling leaves a zero row at zero."""
        if self.kind == "unit":
            return unit_rows(vectors)
        if self.tensor is None:
            raise DimensionError(f"a {self.kind!r} step needs a tensor")
        tensor = self.tensor.to(vectors)
        return vectors + tensor if self.kind == "shift" else vectors @ tensor


@dataclass(frozen=True, eq=False)
class Normalization:
    """The operations that preprocessing learned from a space; they apply to new vectors, too."""

    steps: tuple[NormalizationStep, ...] = ()

    def apply(self, vectors: Matrix) -> Matrix:
        """Return the transformed rows; `vectors` is not modified."""
        for step in self.steps:
            vectors = step.apply(vectors)
        return vectors


@dataclass(frozen=True, eq=False)
class Round:
    """State of a training run after a round: enough to report it and to resume from it."""

    number: int  # of rounds done
    total: int
    maps: Mapping[str, LinearMap]  # by role, such as "supervised"
    best: str  # the role whose map is the result so far
    pairs: int  # that the next supervised step learns from
    rng_state: torch.Tensor


OnRound = Callable[[Round], None]
"""Called after each finished round."""


@dataclass(frozen=True)
class SeedCheck:
    """How well a rotation learned from most seed pairs translates the others.

    `warning` is None if nothing looks wrong, or if there are too few pairs to say.
    """

    pairs: int
    held_out: int
    p_at_1: float | None
    p_at_10: float | None
    warning: str | None


@dataclass(frozen=True)
class RoundReport:
    """What was measured after a round of training; None where a step does not report it."""

    number: int
    total: int
    pairs: int
    seconds: float
    loss: float | None
    transport_cost: float | None
    mean_csls: float


@dataclass(frozen=True)
class TrainingReport:
    """How a training run went.

    Attributes:
        seeds: The check of the seed pairs before training; None without seeds.
        rounds: One report per round.
        warnings: Messages for the user.
        map: The report of the last step about the map.
        start: The report of the start, for a run without seeds.
        mean_csls: Mean CSLS of the best matches of frequent words: a measure that needs no labels.
        seconds: Time of the strategy.
        calibration_seconds: Time of cross-fitting, feedback and learning probabilities; None if
            no probabilities were learned.
        feedback_pairs: How many probable pairs the final map was trained on besides the seeds;
            None without a feedback stage, 0 if too few pairs were probable.
        doubtful_seeds: Seed pairs that look wrong, the worst first.
        finished: False if the run was interrupted.
    """

    seeds: SeedCheck | None = None
    rounds: tuple[RoundReport, ...] = ()
    warnings: tuple[str, ...] = ()
    map: Mapping[str, object] = field(default_factory=dict)
    start: Mapping[str, object] | None = None
    mean_csls: float | None = None
    seconds: float = 0.0
    calibration_seconds: float | None = None
    feedback_pairs: int | None = None
    doubtful_seeds: tuple[tuple[str, str], ...] = ()
    finished: bool = False

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, report: Mapping[str, Any]) -> Self:
        """Return the report that `to_dict` described.

        Raises:
            KeyError, TypeError, ValueError: If the values do not describe a report.
        """
        seeds = report["seeds"]
        return cls(
            **{
                **report,
                "seeds": None if seeds is None else SeedCheck(**seeds),
                "rounds": tuple(RoundReport(**found) for found in report["rounds"]),
                "warnings": tuple(report["warnings"]),
                "doubtful_seeds": tuple((s, t) for s, t in report["doubtful_seeds"]),
            }
        )


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The best rows of another matrix for each query, best first."""

    ids: torch.Tensor  # (n_queries, k), long
    scores: torch.Tensor  # (n_queries, k), float32

    def named(self, words: Sequence[str]) -> list[tuple[Candidate, ...]]:
        """Replace row numbers by words."""
        return [
            tuple(Candidate(words[i], score) for i, score in zip(ids, scores, strict=True))
            for ids, scores in zip(self.ids.tolist(), self.scores.tolist(), strict=True)
        ]


def unit_rows(vectors: Matrix) -> Matrix:
    """Scale each row to length 1; a zero row stays zero."""
    import torch

    norms = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return vectors / torch.where(norms > 0, norms, 1)
