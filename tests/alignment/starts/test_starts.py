"""Starts: which strings count, what is chosen, and what is refused."""

from __future__ import annotations

import pytest
import torch

from bilex.alignment.orthogonal import nearest_semi_orthogonal
from bilex.alignment.starts import Automatic, ConvexRelaxation, GromovWasserstein, IdenticalStrings
from bilex.alignment.starts.similarities import on_common_scale
from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import EmbeddingSpace, SpacePair
from twins import make_twins


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def pair_of(letters: int, numerals: int, apart: int = 20) -> SpacePair:
    """Return twins of which so many strings with letters, and numerals, are spelled alike."""
    twins = make_twins(letters + numerals + apart)
    spaces = []
    for space in (twins.source, twins.target):
        rows = [int(word[1:]) for word in space.words]
        alike = [f"w{row}" if row < letters else f"{row:,}" for row in rows]
        words = [
            spelled if row < letters + numerals else space.words[i]
            for i, (row, spelled) in enumerate(zip(rows, alike, strict=True))
        ]
        spaces.append(EmbeddingSpace(tuple(words), space.vectors))
    return SpacePair(spaces[0], spaces[1])


@pytest.mark.parametrize(("numerals", "pairs"), [("include", 42), ("only", 12), ("exclude", 30)])
def test_numerals_can_be_chosen(numerals: str, pairs: int) -> None:
    start = IdenticalStrings(numerals=numerals)  # type: ignore[arg-type]
    found = start.begin(pair_of(30, 12), rng=rng())
    assert found.report == {"start": "identical", "pairs": pairs}
    torch.testing.assert_close(found.weight, make_twins(62).rotation, atol=1e-5, rtol=0)


def test_too_few_strings_alike_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(EmptyLexiconError, match=r"only 3 strings are spelled the same.*'convex'"):
        IdenticalStrings().begin(pair_of(2, 1), rng=rng())
    with pytest.raises(EmptyLexiconError, match=r"only 1 numerals.*expected 2 or more"):
        IdenticalStrings(numerals="only", minimum=2).begin(pair_of(30, 1), rng=rng())


@pytest.mark.parametrize(("letters", "chosen"), [(100, "identical"), (99, "convex")])
def test_automatic_wants_enough_strings_with_letters(letters: int, chosen: str) -> None:
    report = Automatic().begin(pair_of(letters, 50), rng=rng()).report
    assert (report["start"], report["strings_alike"]) == (chosen, letters)


def test_the_convex_start_lowers_the_mismatch() -> None:
    twins = make_twins(200, dim=20)
    report = ConvexRelaxation(words=150).begin(twins.spaces, rng=rng()).report
    assert report["words"] == [150, 150]
    assert float(str(report["mismatch"])) < 0.7 * float(str(report["mismatch_before"]))


@pytest.mark.parametrize("start", [ConvexRelaxation(), GromovWasserstein()])
@pytest.mark.parametrize("size", [1, 2, 50])
def test_tiny_and_zero_vectors_stay_finite(
    start: ConvexRelaxation | GromovWasserstein, size: int
) -> None:
    twins = make_twins(size)
    empty = SpacePair(
        twins.source.with_vectors(torch.zeros(size, 8)),
        twins.target.with_vectors(torch.zeros(size, 8)),
    )
    for spaces in (twins.spaces, empty):
        weight = start.begin(spaces, rng=rng()).weight
        torch.testing.assert_close(weight.T @ weight, torch.eye(8))


def test_the_gromov_start_agrees_with_another_solver() -> None:
    ot = pytest.importorskip("ot")
    twins = make_twins(30, dim=6, noise=0.3)
    x, y = (on_common_scale(space.vectors).double() for space in (twins.source, twins.target))
    uniform = torch.full((30,), 1 / 30, dtype=torch.float64)
    plan, log = ot.gromov.entropic_gromov_wasserstein(
        x @ x.T, y @ y.T, uniform, uniform, epsilon=0.5, max_iter=100, tol=1e-8, log=True
    )
    found = GromovWasserstein(epsilon=0.5).begin(twins.spaces, rng=rng())
    torch.testing.assert_close(
        found.weight, nearest_semi_orthogonal(x.T @ plan @ y).float(), atol=1e-3, rtol=0
    )
    assert found.report["distance"] == pytest.approx(float(log["gw_dist"]), abs=1e-3)
    assert found.report["converged"]


@pytest.mark.parametrize(
    ("part", "given", "message"),
    [
        (IdenticalStrings, {"minimum": 0}, "start.minimum is 0"),
        (Automatic, {"minimum": 0}, "start.minimum is 0"),
        (ConvexRelaxation, {"words": 0}, "start.words is 0"),
        (ConvexRelaxation, {"steps": 0}, "start.steps is 0"),
        (ConvexRelaxation, {"epsilon": 0.0}, "start.epsilon is 0.0"),
        (GromovWasserstein, {"iterations": 0}, "start.iterations is 0"),
        (GromovWasserstein, {"epsilon": -1.0}, "start.epsilon is -1.0"),
    ],
)
def test_settings_out_of_bounds_are_errors(
    part: type, given: dict[str, float], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        part(**given)
