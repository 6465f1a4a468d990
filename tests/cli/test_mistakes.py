"""A user's mistake is one clear line on stderr and exit code 2."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bilex.cli import app as app_module
from bilex.cli.options import cache_folder, memory_bytes
from bilex.errors import SettingError
from bilex.lexicons import DictionaryEntry
from conftest_types import Bilex

MISTAKES = [
    (
        ["fit", "absent.vec", "t.vec", "seeds.tsv", "-o", "m"],
        "bilex: absent.vec: no such file",
    ),
    (
        ["fit", "s.vec", "t.vec", "absent.tsv", "-o", "m"],
        "bilex: absent.tsv: no such file",
    ),
    (
        ["fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--preset", "procrustis"],
        "bilex: no preset is called 'procrustis' (did you mean 'procrustes'?)",
    ),
    (
        ["fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--set", "retrieval.k=2"],
        "bilex: retrieval plugin 'csls' has no setting 'k'",
    ),
    (
        ["fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--memory", "lots"],
        "bilex: --memory is 'lots': expected a size such as 512MiB or 2GiB",
    ),
    (
        ["fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--device", "abacus"],
        "bilex: device 'abacus' cannot be used here",
    ),
    (
        ["fit", "t.vec", "s.vec", "seeds.tsv", "-o", "m"],
        "bilex: none of the 3 seed pairs has both words in the vocabularies",
    ),
    (["fit", "s.vec", "t.vec", "seeds.tsv", "-o", "."], "exists and is not a model"),
    (["translate", "absent", "word"], "bilex: absent: there is no such folder"),
    (["translate", ".", "word"], "so it is not a model: train a model with `bilex fit`"),
    (["translate", "m", "word", "--subwords", "s.vec"], "bilex: s.vec: holds no subwords"),
    (
        ["induce", "m", "-o", "d.pdf"],
        "bilex: no format has the extension of 'd.pdf'",
    ),
    (["evaluate", "m", "test.tsv", "--rules", "muze"], "(did you mean 'muse'?)"),
    (["evaluate", "m", "absent.tsv"], "bilex: absent.tsv: no such file"),
    (["convert", "s.vec", "-o", "o.doc"], "bilex: "),
    (["inspect", "seeds.tsv"], "bilex: seeds.tsv"),
    (["presets", "show", "nonsense"], "bilex: no preset is called 'nonsense'"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES, ids=lambda value: str(value)[:60])
def test_a_mistake_is_one_line(
    bilex: Bilex, model: Path, arguments: list[str], message: str
) -> None:
    done = bilex(*arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert done.err.splitlines()[-1].startswith("bilex: ")
    assert done.out == ""


def test_a_full_disk_is_one_line(
    bilex: Bilex, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(prog_name: str) -> None:
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr(app_module, "app", fail)
    done = bilex("translate", "m", "s1")
    assert (done.code, done.err) == (2, "bilex: somewhere: No space left on device\n")


def test_an_interrupt_ends_quietly(bilex: Bilex, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(prog_name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app_module, "app", interrupt)
    done = bilex("presets")
    assert done.code == 130
    assert done.err == "bilex: interrupted; no incomplete file was left\n"


@pytest.mark.parametrize(
    ("text", "expected"), [("512MiB", 2**29), ("2GiB", 2**31), ("1.5g", 3 * 2**29), ("4096", 4096)]
)
def test_sizes_are_read_as_people_write_them(text: str, expected: int) -> None:
    assert memory_bytes(text) == expected


def test_a_size_needs_a_number() -> None:
    with pytest.raises(SettingError):
        memory_bytes("GiB")


def test_the_cache_is_where_the_system_keeps_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BILEX_CACHE", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "base")
    assert cache_folder(None, False) == Path("base/bilex")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder(None, False) == Path.home() / ".cache" / "bilex"
    monkeypatch.setenv("BILEX_CACHE", "own")
    assert cache_folder(None, False) == Path("own")
    assert cache_folder(Path("given"), False) == Path("given")
    assert cache_folder(Path("given"), True) is None


@pytest.mark.slow
def test_a_closed_pipe_is_no_error(model: Path) -> None:
    command = f"{sys.executable} -m bilex induce {model} -k 50 | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    assert done.stdout == "\t".join(DictionaryEntry._fields) + "\n"
    assert done.stderr == ""


@pytest.mark.slow
def test_a_real_interrupt_leaves_nothing(tmp_path: Path) -> None:
    """Stop a real `induce` while it writes: no file, no leftover, exit code 130."""
    import torch

    from bilex import EmbeddingSpace, Lexicon, fit

    words = [f"w{i}" for i in range(40_000)]
    vectors = torch.randn(40_000, 64, generator=torch.Generator().manual_seed(0))
    space = EmbeddingSpace(tuple(words), vectors)
    seeds = Lexicon.of([(word, word) for word in words[:100]])
    fit(space, space, seeds, preset="procrustes").save(tmp_path / "m")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "bilex", "induce", str(tmp_path / "m"), "-o"]
    process = subprocess.Popen([*command, str(out / "d.tsv"), "-k", "50"])  # noqa: S603
    deadline = time.monotonic() + 60
    while not (out.is_dir() and any(out.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("windows", "error", "closed"),
    [
        (False, BrokenPipeError(errno.EPIPE, "Broken pipe"), True),
        (True, OSError(errno.EINVAL, "Invalid argument"), True),
        (False, OSError(errno.EINVAL, "Invalid argument"), False),
        (True, OSError(errno.EINVAL, "Invalid argument", "a file"), False),
        (True, OSError(errno.ENOSPC, "No space left on device"), False),
    ],
)
def test_a_closed_pipe_has_another_name_on_windows(
    monkeypatch: pytest.MonkeyPatch, windows: bool, error: OSError, closed: bool
) -> None:
    monkeypatch.setattr(app_module, "_WINDOWS", windows)
    assert app_module._is_closed_pipe(error) is closed
