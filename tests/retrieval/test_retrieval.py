from __future__ import annotations

import pytest
import torch

from bilex.errors import DimensionError, SettingError
from bilex.retrieval import Csls, Nearest, for_drafts
from bilex.values import Compute, Search, unit_rows


def test_nearest_is_cosine() -> None:
    candidates = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    index = Nearest().build(candidates, candidates, compute=Compute())
    found = index.forward.search(torch.tensor([[2.0, 0.1]]), k=2)
    assert found.ids.tolist() == [[0, 1]]
    assert found.scores[0, 0].item() == pytest.approx(2 / (4.01**0.5))


def test_csls_score_is_two_cosines_minus_both_means() -> None:
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    y = torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    index = Csls(neighborhood=2).build(x, y, compute=Compute())
    found = index.forward.search(x, k=1)
    # cosines: x0·y = (1, 0.6), x1·y = (0, 0.8); r_x = (0.8, 0.4), r_y = (0.5, 0.7)
    assert found.ids.tolist() == [[0], [1]]
    assert found.scores.flatten().tolist() == pytest.approx([2 - 0.8 - 0.5, 1.6 - 0.4 - 0.7])


def test_neighborhood_must_be_positive() -> None:
    with pytest.raises(SettingError, match=r"retrieval\.neighborhood is 0: give 1 or more"):
        Csls(neighborhood=0)


def test_the_state_of_csls_are_the_neighborhood_means_of_both_languages() -> None:
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    y = torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    state = Csls(neighborhood=2).build(x, y, compute=Compute()).state()
    assert state.keys() == {"source_means", "target_means"}
    assert state["source_means"].tolist() == pytest.approx([0.8, 0.4, 0.8])
    assert state["target_means"].tolist() == pytest.approx([0.8, 0.9])
    assert Nearest().build(x, y, compute=Compute()).state() == {}


def test_means_are_measured_when_first_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def watched(queries: torch.Tensor, *others: object, **settings: object) -> torch.Tensor:
        measured.append(len(queries))
        return torch.zeros(len(queries))

    monkeypatch.setattr("bilex.retrieval.csls.neighborhood_means", watched)
    x, y = torch.eye(4)[:3], torch.eye(4)
    index = Csls().build(x, y, compute=Compute())
    assert measured == []
    index.forward.search(x[:1], k=1)
    assert sorted(measured) == [1, 4]  # those of the query, and of all candidates
    index.forward.search(x[:1], k=1, rows=torch.tensor([0]))
    assert sorted(measured) == [1, 3, 4]
    index.backward.search(y[:2], k=1, rows=torch.tensor([0, 1]))
    index.state()
    assert sorted(measured) == [1, 3, 4]


def test_means_that_do_not_fit_the_vocabularies_are_refused() -> None:
    x, y = torch.eye(4)[:3], torch.eye(4)
    state = {"source_means": torch.zeros(3), "target_means": torch.zeros(3)}
    with pytest.raises(DimensionError, match=r"'target_means' has shape \(3,\), expected \(4,\)"):
        Csls().build(x, y, compute=Compute(), state=state)


def test_drafts_measure_neighborhoods_almost_exactly_under_a_similar_map() -> None:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(400, 8, generator=rng)
    y = x + 0.3 * torch.randn(400, 8, generator=rng)
    turned = x + 0.05 * torch.randn(400, 8, generator=rng)  # as a map from fewer seeds would
    drafts = for_drafts(Csls())
    for rows in (x, turned):
        exact = Csls().build(rows, y, compute=Compute()).state()
        found = drafts.build(rows, y, compute=Compute()).state()
        for name, means in exact.items():
            assert (means - found[name]).abs().mean() < 1e-4
            assert bool((found[name] <= means + 1e-5).all())  # others may be missing, never added


def test_the_first_draft_decides_which_words_may_be_neighbors() -> None:
    rng = torch.Generator().manual_seed(0)
    x, y = torch.randn(400, 8, generator=rng), torch.randn(400, 8, generator=rng)
    drafts = for_drafts(Csls())
    drafts.build(x, y, compute=Compute())
    other = drafts.build(-x, y, compute=Compute()).state()["source_means"]
    assert (other < Csls().build(-x, y, compute=Compute()).state()["source_means"]).all()


def test_drafts_of_a_few_words_work() -> None:
    x = torch.eye(4)[:3]
    state = for_drafts(Csls()).build(x, torch.eye(4), compute=Compute()).state()
    assert state["source_means"].tolist() == pytest.approx([0.25] * 3)


def test_a_retriever_without_a_faster_way_serves_drafts_itself() -> None:
    retriever = Nearest()
    assert for_drafts(retriever) is retriever


def test_a_small_vocabulary_can_be_searched_approximately() -> None:
    rows = unit_rows(torch.randn(50, 8, generator=torch.Generator().manual_seed(0)))
    kinds: tuple[Search, ...] = ("exact", "approximate")
    indexes = [Csls().build(rows, rows.flip(0), compute=Compute(search=search)) for search in kinds]
    exact, approximate = (index.forward.search(rows, k=80) for index in indexes)
    assert exact.ids.shape == (50, 50)
    assert torch.equal(exact.ids, approximate.ids)
