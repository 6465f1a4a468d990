"""The scored units: the words or pairs of a gold lexicon that two vocabularies cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bilex.errors import EmptyLexiconError
from bilex.evaluation.scoring_rules import ScoringRules
from bilex.evaluation.spelling import gold_similarities
from bilex.values import Lexicon


@dataclass(frozen=True, slots=True)
class Unit:
    """A word to translate and its correct translations."""

    word: str  # in the form that the rules compare
    gold: tuple[str, ...]  # in the form that the rules compare
    query: str | None  # as spelled in the source vocabulary; None if the unit is not covered
    frequency_rank: int | None  # None if the word is not in the vocabulary
    similarity: float = 0.0  # the highest spelling similarity to a correct translation


@dataclass(frozen=True, slots=True)
class ScoredUnits:
    """The units that are scored, and the number of covered units and of all units."""

    units: tuple[Unit, ...]
    covered: int
    total: int


def known_forms(index: Mapping[str, int], rules: ScoringRules) -> dict[str, str]:
    """Return the most frequent spelling of each word, by the form that the rules compare."""
    found: dict[str, str] = {}
    for word, rank in index.items():
        folded = rules.fold(word)
        if folded not in found or rank < index[found[folded]]:
            found[folded] = word
    return found


def scored_units(
    gold: Lexicon,
    source_index: Mapping[str, int],
    target_forms: Mapping[str, str],
    rules: ScoringRules,
) -> ScoredUnits:
    """Divide the gold lexicon into units and keep those that the rules score.

    Raises:
        EmptyLexiconError: If no gold pair has both words in the vocabularies.
    """
    source_forms = known_forms(source_index, rules)
    units: list[Unit] = []
    covered = total = 0
    for word, targets in _answers(gold, rules):
        total += 1
        spelling = source_forms.get(word)
        known = tuple(target for target in targets if target in target_forms)
        query = spelling if known else None
        covered += query is not None
        if query is None and rules.uncovered == "dropped":
            continue
        rank = None if spelling is None else source_index[spelling]
        right = known if rules.uncovered == "dropped" else targets
        units.append(Unit(word, right, query, rank))
    if not covered:
        raise EmptyLexiconError(_why_empty(gold, source_forms, target_forms, rules))
    found = gold_similarities([unit.word for unit in units], [unit.gold for unit in units])
    spelled = (replace(unit, similarity=s) for unit, s in zip(units, found, strict=True))
    return ScoredUnits(tuple(spelled), covered, total)


def _answers(gold: Lexicon, rules: ScoringRules) -> Iterator[tuple[str, tuple[str, ...]]]:
    folded = Lexicon.of(
        [(rules.fold(entry.source), rules.fold(entry.target)) for entry in gold.entries]
    )
    for word, targets in folded.translations.items():
        if rules.unit == "source-word":
            yield word, targets
        else:
            yield from ((word, (target,)) for target in targets)


def _why_empty(
    gold: Lexicon,
    source: Mapping[str, str],
    target: Mapping[str, str],
    rules: ScoringRules,
) -> str:
    if not gold.entries:
        return "the gold lexicon is empty: expected at least one word and its translation"
    pairs = {(rules.fold(entry.source), rules.fold(entry.target)) for entry in gold.entries}
    words, answers = {word for word, _ in pairs}, {answer for _, answer in pairs}
    if any(answer in source and word in target for word, answer in pairs):
        hint = "the columns match the vocabularies in reverse: swap the two languages"
    elif rules.case == "exact":
        hint = (
            "check that the lexicon is for these languages and has the same upper and lower case "
            f"(the rules {rules.name!r} distinguish case)"
        )
    else:
        hint = "check that the lexicon is for these languages and in the same script"
    return (
        f"none of the {len(pairs)} gold pairs has both words in the vocabularies "
        f"({len(words & source.keys())} of {len(words)} source words and "
        f"{len(answers & target.keys())} of {len(answers)} target words are known): {hint}"
    )
