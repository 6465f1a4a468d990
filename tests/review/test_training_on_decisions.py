"""What training does with decisions: seeds, forbidden pairs, negatives, and the random sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import bilex as library
from bilex.alignment.feedback import ConfidentPairs
from bilex.alignment.messages import MutualPairs
from bilex.alignment.strategies import Single
from bilex.alignment.supervised import Procrustes
from bilex.calibration.held_out import HeldOutSeeds
from bilex.calibration.labels import LabeledCandidates
from bilex.calibration.learners import LEARNERS
from bilex.calibration.learning import SMALLEST_SAMPLE, learn
from bilex.config import load_preset
from bilex.inducer import LexiconInducer
from bilex.protocols import Proposals
from bilex.retrieval import Csls
from bilex.review.events import Event, Shown
from bilex.review.log import write_log
from bilex.values import (
    Decisions,
    Entry,
    IndexedLexicon,
    Lexicon,
    LinearMap,
    Reviewed,
    SpacePair,
)
from candidates import NAMES, synthetic
from conftest_types import Bilex
from twins import Twins, make_twins

WORDS = 150
EMPTY = IndexedLexicon(
    torch.zeros(0, dtype=torch.long), torch.zeros(0, dtype=torch.long), torch.zeros(0)
)


def reviewed(twins: Twins, *rejected: tuple[str, str], sample: tuple[str, ...] = ()) -> SpacePair:
    decisions = Decisions(rejected=frozenset(rejected), sample=frozenset(sample))
    return replace(twins.spaces, reviewed=Reviewed.locate(decisions, twins.spaces))


def pairs(spaces: SpacePair, lexicon: IndexedLexicon) -> list[tuple[str, str]]:
    return [
        (spaces.source.words[i], spaces.target.words[j])
        for i, j in zip(lexicon.source_ids.tolist(), lexicon.target_ids.tolist(), strict=True)
    ]


def test_unknown_words_are_left_out_of_what_was_reviewed(twins: Twins) -> None:
    spaces = reviewed(
        twins, ("s1", "t1"), ("none", "t2"), ("s3", "none"), ("none", "none"), sample=("s2", "none")
    )
    assert spaces.reviewed is not None
    row = twins.target.index["t1"]
    assert spaces.reviewed.rejected.tolist() == [[1, row]]
    assert spaces.reviewed.sample.tolist() == [2]
    found = spaces.reviewed.rejects(torch.tensor([1, 1, 0]), torch.tensor([row, row - 1, row]))
    assert found.tolist() == [True, False, False]
    nothing = reviewed(twins).reviewed
    assert nothing is not None
    assert nothing.rejects(torch.tensor([1]), torch.tensor([1])).tolist() == [False]
    assert nothing.rejects(EMPTY.source_ids, EMPTY.target_ids).tolist() == []


@pytest.mark.parametrize("mode", ["fast", "exact"])
def test_the_lexicon_update_adds_all_but_rejected_pairs(twins: Twins, mode: str) -> None:
    update = MutualPairs(mode=mode, neighborhood=5)  # type: ignore[arg-type]
    mapping = LinearMap(twins.rotation)
    free = pairs(twins.spaces, update.extend(twins.spaces, mapping, EMPTY))
    assert ("s3", "t3") in free
    forbidden = (free[0], ("s3", "t3"), ("s3", "t4"))
    spaces = reviewed(twins, *forbidden)
    found = pairs(spaces, update.extend(spaces, mapping, EMPTY))
    assert found == [pair for pair in free if pair not in forbidden]
    few = MutualPairs(mode=mode, neighborhood=5, size=3)  # type: ignore[arg-type]
    assert pairs(spaces, few.extend(spaces, mapping, EMPTY)) == found[:3]


def test_feedback_adds_all_but_rejected_pairs(twins: Twins) -> None:
    size = len(twins.source)
    answers = twins.target.rows([f"t{n}" for n in range(size)])
    answers[7] = answers[6]  # two words with one answer: only the more probable one gets it
    chances = torch.linspace(0.9, 0.6, size)

    def propose(rows: torch.Tensor) -> Proposals:
        return Proposals(answers[rows], chances[rows])

    feedback = ConfidentPairs()
    free = pairs(twins.spaces, feedback.extend(twins.spaces, EMPTY, propose))
    assert ("s6", "t6") in free
    assert ("s7", "t6") not in free
    spaces = reviewed(twins, ("s2", "t2"), ("s6", "t6"))
    found = pairs(spaces, feedback.extend(spaces, EMPTY, propose))
    assert ("s2", "t2") not in found
    assert ("s6", "t6") not in found
    assert ("s7", "t6") in found  # the answer is free for the next word


def test_words_without_a_right_candidate_are_negatives() -> None:
    twins = make_twins(100, dim=6, noise=0.25)
    seeds = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:40]), twins.spaces)
    rejected = [(f"s{n}", f"t{n + 1}") for n in range(50, 70)]

    def words_and_right(spaces: SpacePair) -> tuple[int, float, torch.Tensor | None]:
        found = HeldOutSeeds().cross_fit(
            spaces,
            seeds,
            LinearMap(twins.rotation),
            strategy=Single(supervised=Procrustes()),
            retrieval=Csls(),
            rng=torch.Generator().manual_seed(0),
        )
        forward, backward = found._label((False, True))
        assert all(part.sampled is None for part in backward)
        assert sum(len(part.right) for part in backward) == 40
        sampled = [part.sampled for part in forward if part.sampled is not None]
        return (
            sum(len(part.right) for part in forward),
            sum(float(part.right.sum()) for part in forward),
            torch.cat(sampled) if sampled else None,
        )

    words, right, sampled = words_and_right(twins.spaces)
    assert words == 40
    assert sampled is None
    # A rejected pair of a seed word gives no further word: its right translation is known.
    spaces = reviewed(twins, *rejected, ("s1", "t2"), sample=("s3", "s55", "s99"))
    more, still, drawn = words_and_right(spaces)
    assert (more, still) == (60, right)
    assert drawn is not None
    assert int(drawn.sum()) == 2  # s99 was not decided


def test_probabilities_are_calibrated_on_the_random_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where other words are harder than the sample, only the sample tells the true level."""
    monkeypatch.delitem(LEARNERS, "boosted")  # slow
    labeled = synthetic(WORDS).labeled
    hard = LabeledCandidates(
        labeled.features, torch.zeros_like(labeled.right), labeled.frequency_ranks
    )
    both = LabeledCandidates(
        features=torch.cat([labeled.features, hard.features]),
        right=torch.cat([labeled.right, hard.right]),
        frequency_ranks=torch.cat([labeled.frequency_ranks, hard.frequency_ranks]),
    )
    sampled = torch.arange(2 * WORDS) < WORDS
    level = float(labeled.right.mean())

    def believed(words: LabeledCandidates) -> tuple[float, object]:
        model = learn(words, NAMES)
        assert model is not None
        chances = model.probabilities(labeled.features)
        return float(chances.mean()), model.report.get("sampled_words")

    without, nothing = believed(both)
    assert nothing is None
    assert without < 0.7 * level
    calibrated, count = believed(replace(both, sampled=sampled))
    assert count == WORDS
    assert calibrated == pytest.approx(level, rel=0.1)
    few = torch.arange(2 * WORDS) < SMALLEST_SAMPLE - 1
    assert believed(replace(both, sampled=few)) == (without, None)


def test_decisions_take_the_place_of_seeds(twins: Twins) -> None:
    known = Lexicon(twins.lexicon.entries[:20])
    from_seeds = library.fit(twins.source, twins.target, known, preset="procrustes")
    from_decisions = library.fit(
        twins.source, twins.target, decisions=Decisions(known), preset="procrustes"
    )
    assert torch.equal(from_seeds.mapping.weight, from_decisions.mapping.weight)


def test_the_weight_of_a_decision_counts_and_rejected_seeds_do_not(twins: Twins) -> None:
    wrong = Lexicon.of([(f"s{n}", f"t{n + 1}") for n in range(20)])
    rejected = frozenset((pair.source, pair.target) for pair in wrong.entries)
    right = Lexicon(tuple(Entry(f"s{n}", f"t{n}", 2.0) for n in range(20)))

    def precision(decisions: Decisions) -> float:
        model = library.fit(
            twins.source, twins.target, wrong, decisions=decisions, preset="procrustes"
        )
        words = [f"s{n}" for n in range(30, 60)]
        answers = model.translate(words, k=1)
        return sum(a.candidates[0].word[1:] == a.word[1:] for a in answers) / len(words)

    assert precision(Decisions(right, rejected)) == 1
    heavy = Lexicon(tuple(pair._replace(weight=1_000.0) for pair in right.entries))
    light = Lexicon(tuple(pair._replace(weight=0.001) for pair in right.entries))
    assert precision(Decisions(heavy)) == 1
    assert precision(Decisions(light)) < 0.5


def test_without_decisions_nothing_changes(twins: Twins) -> None:
    tables = load_preset("self-learning")
    tables["calibration"] = {"name": "held-out-seeds"}
    seeds = Lexicon(twins.lexicon.entries[:30])
    plain, reviewed_ = (
        LexiconInducer(tables).fit(twins.source, twins.target, seeds, decisions=decisions).model_
        for decisions in (None, Decisions())
    )
    assert torch.equal(plain.mapping.weight, reviewed_.mapping.weight)
    assert plain.translate(["s40"])[0].candidates == reviewed_.translate(["s40"])[0].candidates


def test_a_checkpoint_belongs_to_the_decisions_it_was_made_with(
    twins: Twins, tmp_path: Path
) -> None:
    inducer = LexiconInducer("self-learning")
    seeds = Lexicon(twins.lexicon.entries[:30])
    runs = {
        inducer.checkpoint(tmp_path / "c", twins.source, twins.target, seeds, decisions).run
        for decisions in (
            None,
            Decisions(rejected=frozenset({("s50", "t51")})),
            Decisions(Lexicon(twins.lexicon.entries[30:31])),
        )
    }
    assert len(runs) == 3


def test_the_command_learns_from_a_log(bilex: Bilex, twins: Twins, tmp_path: Path) -> None:
    for name, space in (("a.vec", twins.source), ("b.vec", twins.target)):
        library.save_embeddings(space, tmp_path / name)
    log = [
        Event(
            id=f"e{n}",
            at="2026-01-01T00:00:00.000000Z",
            reviewer="ann",
            word=f"s{n}",
            kind="accept",
            targets=(f"t{n}",),
            shown=(Shown(f"t{n + 1}", 0.5), Shown(f"t{n}", 0.3)),
        )
        for n in range(20)
    ]
    write_log(log, tmp_path / "log.jsonl")
    arguments = ["fit", "a.vec", "b.vec", "-o", "model", "--preset", "procrustes"]
    done = bilex(*arguments, "--decisions", "log.jsonl", "--decision-weight", "2")
    assert done.code == 0, done.err
    assert "20 accepted pairs become seeds, 20 pairs are rejected" in done.err
    model = library.load(tmp_path / "model")
    assert model.translate(["s44"], k=1)[0].candidates[0].word == "t44"
    assert {entry.provenance for entry in model.seeds.entries} == {"reviewed"}
    missing = bilex(*arguments, "--decisions", "nothing.jsonl")
    assert missing.code == 2
    assert "no such file" in missing.err
    alone = bilex(*arguments, "--decision-weight", "2")
    assert "--decision-weight is for --decisions" in alone.err
    both = bilex(*arguments, "--decisions", "log.jsonl", "--start", "auto")
    assert "--start is for training without seeds" in both.err
