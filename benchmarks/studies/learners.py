"""Which learner of probabilities orders candidates best, on words that are not like the seeds?

    python benchmarks/studies/learners.py DATA [--languages ru fi fr] [--labels 50 200]

Seeds are the 1,000 most frequent words of XLING. Learners see the candidates of held-out seeds, as
in `bilex fit`. They are scored on all other words of the training list, which are rarer, never on
test words. `--labels` gives them only so many held-out words, four times. Takes about five minutes
of one core for a language.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from unittest.mock import patch

import torch

from bilex import Lexicon, LexiconInducer, load_embeddings, read_lexicon
from bilex.calibration.calibration_error import calibration_error, log_loss
from bilex.calibration.cross_fitting import CrossFit
from bilex.calibration.labels import Gold, LabeledCandidates, join, label_candidates
from bilex.calibration.learners import LEARNERS, Boosted
from bilex.calibration.learning import learned_by_each
from bilex.calibration.logistic import fit_logistic
from bilex.candidates.model import CandidateModels
from bilex.candidates.scorers import KINDS, LinearScorer, Scorer, TreeScorer
from bilex.values import IndexedLexicon, Matrix

LANGUAGES, SEEDS, DRAWS = ("ru", "fi", "fr"), 1_000, 4


@dataclass(frozen=True)
class Logistic:
    """Logistic regression over all candidates of all words, for comparison."""

    smallest: int = 20
    strength: float = 10.0

    def learn(self, features: Matrix, right: Matrix, names: Sequence[str]) -> Scorer:
        """Return the weighted sum of features."""
        rows = features.flatten(0, 1)
        mean, scale = rows.mean(0), rows.std(0).clamp_min(1e-6)
        design = torch.nn.functional.pad(((rows - mean) / scale).double(), (0, 1), value=1.0)
        penalty = design.new_full((design.shape[1],), self.strength)
        penalty[-1] = 0
        found = fit_logistic(
            design, right.flatten().double(), penalty=penalty, center=torch.zeros_like(penalty)
        ).float()
        return LinearScorer(mean, scale, found[:-1], found[-1])


@dataclass(frozen=True)
class Apart:
    """Boosted trees that do not compare the candidates of a word, for comparison."""

    smallest: int = 100

    def learn(self, features: Matrix, right: Matrix, names: Sequence[str]) -> Scorer:
        """Return the trees."""
        with patch("bilex.calibration.learners.with_differences", lambda values: values):
            return Boosted().learn(features, right, names)


@dataclass(frozen=True, eq=False)
class Problem:
    """Labeled candidates of held-out seeds, and of words of the training list that are no seeds."""

    seeds: LabeledCandidates
    others: LabeledCandidates
    names: tuple[str, ...]

    @classmethod
    def make(cls, data: Path, language: str) -> Problem:
        """Train the default method and keep what its probabilities would be learned from."""
        source = load_embeddings(data / "vectors/en.vec.gz")
        target = load_embeddings(data / f"vectors/{language}.vec.gz")
        pairs = read_lexicon(data / f"dictionaries/xling/en-{language}/train.5k.tsv")
        frequent = set(list(dict.fromkeys(entry.source for entry in pairs.entries))[:SEEDS])
        seeds = Lexicon(tuple(entry for entry in pairs.entries if entry.source in frequent))
        others = Lexicon(tuple(entry for entry in pairs.entries if entry.source not in frequent))
        kept: list[CrossFit] = []
        learn = CrossFit.learn

        def keep(fit: CrossFit) -> CandidateModels:
            kept.append(fit)
            return learn(fit)

        with patch.object(CrossFit, "learn", keep):
            LexiconInducer("bilex", random_state=0).fit(source, target, seeds)
        fit = kept[-1]
        located = IndexedLexicon.locate(others, fit.spaces)
        gold: Gold = {
            row: right
            for row, right in located.answers.items()
            if row not in set(fit.seeds.source_ids.tolist())
        }
        ranking = fit._ranking(fit._direction(), None)
        (labeled,) = fit._label((False,))
        return cls(join(labeled), label_candidates(ranking, gold, fit.features), fit.features)

    def with_labels(self, words: int, draw: int) -> Problem:
        """Return the problem with some of the held-out seeds only."""
        rng = torch.Generator().manual_seed(draw)
        rows = torch.randperm(len(self.seeds.right), generator=rng)[:words]
        seeds = replace(
            self.seeds,
            features=self.seeds.features[rows],
            right=self.seeds.right[rows],
            frequency_ranks=self.seeds.frequency_ranks[rows],
        )
        return replace(self, seeds=seeds)

    def scores(self) -> dict[str, tuple[float, ...]]:
        """Return P@1, log-loss and calibration error of each learner, and the loss on seeds."""
        found: dict[str, tuple[float, ...]] = {}
        for model, loss in learned_by_each(self.seeds, self.names):
            chances = model.probabilities(self.others.features)
            first = chances.argmax(1, keepdim=True)
            right = self.others.right.gather(1, first)[:, 0]
            found[model.learner] = (
                100 * float(right.mean()),
                log_loss(chances, self.others.right),
                calibration_error(chances.gather(1, first)[:, 0], right),
                loss,
            )
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--languages", nargs="+", default=LANGUAGES)
    parser.add_argument("--labels", nargs="*", type=int, default=[])
    given = parser.parse_args()
    LEARNERS["logistic"], KINDS["logistic"] = Logistic(), LinearScorer  # type: ignore[index]
    LEARNERS["boosted apart"], KINDS["boosted apart"] = Apart(), TreeScorer  # type: ignore[index]
    print("| | labeled words | learner | P@1 | log-loss | calibration error | log-loss, seeds |")
    print("|---" * 7 + "|")
    for language in given.languages:
        problem = Problem.make(given.data, language)
        everything = len(problem.seeds.right)
        for words in (*given.labels, everything):
            draws = 1 if words >= everything else DRAWS
            runs = [problem.with_labels(words, draw).scores() for draw in range(draws)]
            for learner in runs[0]:
                means = [
                    fmean(values) for values in zip(*(run[learner] for run in runs), strict=True)
                ]
                row = f"{means[0]:.2f} | {means[1]:.3f} | {means[2]:.3f} | {means[3]:.3f}"
                print(f"| en→{language} | {words} | {learner} | {row} |", flush=True)


if __name__ == "__main__":
    main()
