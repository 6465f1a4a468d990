"""Aligned vectors of other tools: scored as an evaluator written anew scores them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from benchmark_results import read
from bilex.benchmark import FileHashes, ResultStore, external_job, load_suite, run_jobs
from bilex.benchmark.hubness import measure_hubness
from bilex.embeddings import save_embeddings
from bilex.errors import SettingError
from bilex.jobs import InlineEngine
from bilex.values import unit_rows
from twins import make_twins

DEPTH = 100


def parse(path: Path) -> tuple[list[str], np.ndarray]:
    """Read a text file of vectors the plain way."""
    rows = [line.split(" ") for line in path.read_text(encoding="utf-8").split("\n")[1:] if line]
    return [row[0] for row in rows], np.array([[float(cell) for cell in row[1:]] for row in rows])


def brute_force(source: Path, target: Path, test: Path, ranker: str) -> dict[str, float]:
    """Score by sorting the whole matrix of similarities, in float64."""
    (source_words, x), (target_words, y) = parse(source), parse(target)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    scores = x @ y.T
    if ranker == "csls":
        r_x = np.sort(scores, axis=1)[:, -10:].mean(1)
        r_y = np.sort(scores, axis=0)[-10:].mean(0)
        scores = 2 * scores - r_x[:, None] - r_y
    gold: dict[str, set[str]] = {}
    for line in test.read_text(encoding="utf-8").splitlines():
        word, translation = line.split("\t")
        if word in source_words and translation in target_words:
            gold.setdefault(word, set()).add(translation)
    ranks = []
    for word, right in gold.items():
        order = np.argsort(-scores[source_words.index(word)], kind="stable")[:DEPTH]
        hits = [rank for rank, i in enumerate(order, start=1) if target_words[i] in right]
        ranks.append(hits[0] if hits else None)
    found = {
        f"p_at_{k}": sum(rank is not None and rank <= k for rank in ranks) / len(ranks)
        for k in (1, 5, 10)
    }
    return {**found, "mrr": sum(1 / rank for rank in ranks if rank) / len(ranks)}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write a suite of 300 words, and vectors as another tool would have aligned them."""
    data = write_data(tmp_path / "data", size=300, noise=0.2)
    twins = make_twins(300, dim=8, noise=0.2)
    moved = twins.source.with_vectors(twins.source.vectors @ twins.rotation * 3)
    save_embeddings(moved, data / "aligned.s.vec")
    save_embeddings(twins.target, data / "aligned.t.vec")
    with (data / "test.tsv").open("a") as file:
        file.write("s31\tt99\ns70\tt70\nunknown\tt5\ns71\tunknown\n")
    return data


def score(data: Path, results: Path, **options: object) -> dict[str, object]:
    suite = load_suite(write_suite(data, SUITE.replace("seeds = [10, 30]", "seeds = [10]")))
    vectors = (data / "aligned.s.vec", data / "aligned.t.vec")
    job = external_job(
        suite,
        "other",
        vectors,
        "s-t",
        data=None,
        hashes=FileHashes(),
        **options,  # type: ignore[arg-type]
    )
    run_jobs([job], ResultStore(results), InlineEngine())
    return read(results)[job.key]


def test_scores_equal_a_brute_force_evaluator_to_the_last_digit(data: Path, tmp_path: Path) -> None:
    result = score(data, tmp_path / "r")
    files = (data / "aligned.s.vec", data / "aligned.t.vec", data / "test.tsv")
    for ranker in ("csls", "nearest"):
        expected = brute_force(*files, ranker)
        assert 0.1 < expected["p_at_1"] < 0.9  # neither trivial nor hopeless
        found = result["scores"][ranker]  # type: ignore[index]
        assert {name: found[name] for name in expected} == expected
    assert result["coverage"] == {"covered": 31, "total": 33}


def test_the_result_is_one_like_any_other_and_says_that_nothing_was_trained(
    data: Path, tmp_path: Path
) -> None:
    result = score(data, tmp_path / "r", draw=1)
    assert result["job"] == {
        "pair": "s-t",
        "source": "s",
        "target": "t",
        "method": "other",
        "seeds": 10,
        "draw": 1,
        "lexicon": "twins",
    }
    assert result["status"] == "done"
    assert result["external"] is True
    assert (result["settings"], result["seed_pairs"], result["leakage_removed"]) == ({}, None, None)


def test_other_vectors_under_the_same_name_take_the_place_of_the_first(
    data: Path, tmp_path: Path
) -> None:
    first = score(data, tmp_path / "r")
    (data / "aligned.s.vec").write_bytes((data / "s.vec").read_bytes())
    second = score(data, tmp_path / "r")
    assert first["key"] != second["key"]
    assert read(tmp_path / "r").keys() == {second["key"]}


def test_a_suite_may_name_aligned_vectors_itself(data: Path, tmp_path: Path) -> None:
    listed = SUITE.replace('"procrustes", "short"', '"other"').replace(
        "[methods.short]",
        '[methods.other]\nsource = "aligned.{source}.vec"\ntarget = "aligned.{target}.vec"\n'
        "[methods.short]",
    )
    jobs = jobs_of(write_suite(data, listed))
    assert run_jobs(jobs, ResultStore(tmp_path / "r"), InlineEngine()).done == 4
    scores = [result["scores"] for result in read(tmp_path / "r").values()]
    assert scores[0] == score(data, tmp_path / "r2")["scores"]


def test_files_that_cannot_be_aligned_are_a_failure_with_a_reason(
    data: Path, tmp_path: Path
) -> None:
    save_embeddings(make_twins(50, dim=5).source, data / "aligned.s.vec")
    error = score(data, tmp_path / "r")["error"]
    assert "the source vectors have 5 dimensions, the target vectors 8" in str(error)


def test_what_the_suite_does_not_have_is_reported(data: Path) -> None:
    suite = load_suite(write_suite(data))
    files = (data / "s.vec", data / "t.vec")
    hashes = FileHashes()
    with pytest.raises(SettingError, match=r"does not have the pair 's-u' \(did you mean"):
        external_job(suite, "o", files, "s-u", data=None, hashes=hashes)
    with pytest.raises(SettingError, match="give the number of seeds that the system was trained"):
        external_job(suite, "o", files, "s-t", data=None, hashes=hashes)
    with pytest.raises(SettingError, match="choose another name for the system"):
        external_job(suite, "short", files, "s-t", data=None, hashes=hashes, seeds=10)
    with pytest.raises(SettingError, match="does not have 's-t' in lexicon 'muse'"):
        external_job(suite, "o", files, "s-t", data=None, hashes=hashes, lexicon="muse")
    full = load_suite("full")
    with pytest.raises(SettingError, match="give the folder with --data"):
        external_job(full, "o", files, "en-ru", data=None, hashes=hashes)
    with pytest.raises(SettingError, match="choose one with --lexicon: muse, xling"):
        external_job(full, "o", files, "ru-en", data=data, hashes=hashes)


def test_the_other_direction_of_a_pair_is_there_too(data: Path, tmp_path: Path) -> None:
    suite = load_suite(write_suite(data))
    files = (data / "aligned.t.vec", data / "aligned.s.vec")
    job = external_job(suite, "o", files, "t-s", data=None, hashes=FileHashes(), seeds=0)
    assert (job.pair, job.swapped, job.seeds) == ("t-s", True, 0)
    assert run_jobs([job], ResultStore(tmp_path / "r"), InlineEngine()).done == 1


def test_hubness_counts_how_often_words_are_chosen() -> None:
    twins = make_twins(60, noise=0.3)
    mapped = twins.source.vectors @ twins.rotation
    found = measure_hubness(mapped, twins.target.vectors)
    similar = (unit_rows(mapped).double() @ unit_rows(twins.target.vectors).double().T).numpy()
    chosen = np.bincount(np.argsort(-similar, axis=1)[:, :10].ravel(), minlength=60)
    centered = chosen - chosen.mean()
    assert found["skewness"] == pytest.approx((centered**3).mean() / chosen.std() ** 3)
    assert found["share_unreached"] == (chosen == 0).mean()
    even = measure_hubness(mapped[:1], twins.target.vectors[:5])
    assert even == {"skewness": 0.0, "share_unreached": 0.0}


def test_a_held_out_test_set_leaves_out_the_seeds_of_the_other_system(
    data: Path, tmp_path: Path
) -> None:
    held_out = SUITE.replace('test = "test.tsv"', 'test = "held-out"').replace("[10, 30]", "[10]")
    suite = load_suite(write_suite(data, held_out))
    vectors = (data / "aligned.s.vec", data / "aligned.t.vec")
    job = external_job(suite, "other", vectors, "s-t", data=None, hashes=FileHashes(), draw=1)
    ours = next(j for j in jobs_of(write_suite(data, held_out)) if j.draw == 1)
    assert job.read_pairs().gold == ours.read_pairs().gold
    run_jobs([job], ResultStore(tmp_path), InlineEngine())
    result = read(tmp_path)[job.key]
    assert result["coverage"] == {"covered": 20, "total": 20}
    assert result["held_out"] is True
