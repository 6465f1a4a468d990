from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import pytest
import torch

from bilex.embeddings import load_embeddings, text
from bilex.errors import VectorFileError
from load_reports import report_of

ROWS = "the 0.1 0.2\nof 0.3 -0.4\n"


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "vectors.vec"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        ROWS,
        "2 2\n" + ROWS,
        "2 2 \r\n" + ROWS.replace("\n", "\r\n"),
        "\ufeff2 2\n" + ROWS,
        "\ufeff" + ROWS,
        "2 2\n" + ROWS.replace("\n", " \n"),
        "2 2\n" + ROWS.replace("\n", "  \r\n"),
        "2\t2\n" + ROWS.replace(" ", "\t"),
        "2 2\n" + ROWS.replace(" ", "  "),
        "2 2\n" + ROWS + "\n \r\n\n",
        ("2 2\n" + ROWS).removesuffix("\n"),
        "2 2\n" + ROWS.replace("0.3", "3e-1").replace("0.2", "+.2"),
    ],
)
def test_all_common_spellings_of_a_file_are_read(content: str, tmp_path: Path) -> None:
    space = load_embeddings(write(tmp_path, content))
    assert space.words == ("the", "of")
    torch.testing.assert_close(space.vectors, torch.tensor([[0.1, 0.2], [0.3, -0.4]]))


def test_words_may_hold_spaces_and_other_separators(tmp_path: Path) -> None:
    words = (
        "new york",
        "a\u2028b",
        "no\u00a0break",
        "\u3000",
        "a\rb",
        "tab\tbed",
        " ",
        "x 0.5",
        "1",
    )
    rows = "".join(f"{word} 0.5 -1.0\n" for word in words)
    loaded = load_embeddings(write(tmp_path, f"{len(words)} 2\n{rows}"))
    assert loaded.words == words
    assert report_of(loaded).words_with_spaces == 3


def test_without_header_a_phrase_is_read_unless_it_ends_in_a_number(tmp_path: Path) -> None:
    path = write(tmp_path, "the 0.1 0.2\n. . . 0.3 0.4\n")
    assert load_embeddings(path).words == ("the", ". . .")
    with pytest.raises(VectorFileError, match=r"line 2: found more numbers.*'windows 95'"):
        load_embeddings(write(tmp_path, "the 0.1 0.2\nwindows 95 0.3 0.4\n"))


def test_two_whole_numbers_on_the_first_line_are_a_header_even_in_one_dimension(
    tmp_path: Path,
) -> None:
    loaded = load_embeddings(write(tmp_path, "3 1\n7 8\na 0.5\nb 2\n"))
    assert loaded.words == ("7", "a", "b")
    assert loaded.vectors.tolist() == [[8.0], [0.5], [2.0]]
    assert load_embeddings(write(tmp_path, "a 1\nb 2\n")).dim == 1


def test_a_first_line_that_only_starts_like_a_header_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_text("12 34 0.5\nthe 1 2\n")
    space = load_embeddings(path)
    assert space.words == ("12", "the")
    assert space.vectors.tolist() == [[34.0, 0.5], [1.0, 2.0]]


def test_limit_stops_before_damage_further_down_and_needs_no_full_count(tmp_path: Path) -> None:
    rows = "".join(f"w{i} 0.5 0.25\n" for i in range(100_000))
    path = write(tmp_path, f"200000 2\n{rows}broken\n")
    loaded = load_embeddings(path, limit=10)
    assert loaded.words == tuple(f"w{i}" for i in range(10))
    assert report_of(loaded).words_in_file == 200_000
    headerless = load_embeddings(write(tmp_path, rows), limit=10)
    assert report_of(headerless).words_in_file is None
    with pytest.raises(VectorFileError, match="line 100002: found 0 numbers"):
        load_embeddings(write(tmp_path, f"200000 2\n{rows}broken\n"))


def test_line_numbers_count_from_the_start_of_the_file_across_blocks(tmp_path: Path) -> None:
    rows = ["word 0.5 0.25\n"] * 60_000
    rows[50_000] = "word 0.5 x\n"
    with pytest.raises(VectorFileError, match="line 50001: found 'x'"):
        load_embeddings(write(tmp_path, "".join(rows)))


def test_blank_lines_across_blocks_are_fine_only_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "_BLOCK", 16)
    assert len(load_embeddings(write(tmp_path, "\n".join([ROWS[:-1]]) + "\n" * 90))) == 2
    with pytest.raises(VectorFileError, match="line 3: found a blank line"):
        load_embeddings(write(tmp_path, ROWS + "\n" * 90 + "and 0.5 0.5\n"))


def test_a_file_without_line_ends_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "_LONGEST_LINE", 1 << 19)
    with pytest.raises(VectorFileError, match="line 1: found more than 0 MiB without a line break"):
        load_embeddings(write(tmp_path, "the" + " 0.5" * 500_000))


def test_many_short_rows_under_a_long_first_one_reserve_no_memory(tmp_path: Path) -> None:
    content = "the" + " 1.0" * 20_000 + "\n" + "a 1\n" * 60_000
    with pytest.raises(VectorFileError, match="line 2: found 1 numbers after the word, expected 2"):
        load_embeddings(write(tmp_path, content))


def test_progress_is_reported_in_bytes_of_the_file(tmp_path: Path) -> None:
    rows = "".join(f"w{i} 0.5 0.25\n" for i in range(60_000))
    path = tmp_path / "vectors.vec.gz"
    path.write_bytes(gzip.compress(rows.encode()))
    calls: list[tuple[int, int]] = []
    load_embeddings(path, on_progress=lambda done, total: calls.append((done, total)))
    size = path.stat().st_size
    assert calls[-1] == (size, size)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


@pytest.mark.parametrize("language", ["en", "ja", "tr"])
def test_real_vectors_are_read_as_python_reads_them(language: str, shared_data: Path) -> None:
    path = shared_data / "vectors" / f"{language}.vec.gz"
    space = load_embeddings(path, limit=500)
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip("\n").split(" ") for line in islice(file, 1, 501)]
    assert space.words == tuple(fields[0] for fields in lines)
    numbers = [[float(field) for field in fields[1:]] for fields in lines]
    assert torch.equal(space.vectors, torch.tensor(numbers, dtype=torch.float64).float())
