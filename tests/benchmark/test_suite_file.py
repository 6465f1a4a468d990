"""Suites: what a file may say, and what is said about one that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmark_data import SUITE, write_suite
from bilex.benchmark import expand, load_suite, suite_names
from bilex.config import load_preset
from bilex.errors import InputFileError, SettingError


def refusal(folder: Path, text: str) -> str:
    path = write_suite(folder, text)
    with pytest.raises(InputFileError) as raised:
        load_suite(path)
    assert str(raised.value).startswith(f"{path}: ")
    return str(raised.value).removeprefix(f"{path}: ")


def test_a_suite_is_read_with_all_its_defaults(tmp_path: Path) -> None:
    suite = load_suite(write_suite(tmp_path))
    assert (suite.name, suite.description, suite.root) == ("twins", "twins", tmp_path)
    assert (suite.limit, suite.lowercase) == (None, False)
    files = suite.lexicons["twins"]
    assert (files.rules.name, files.reverse, files.sampling) == (
        "vecmap",
        "swap",
        "first-then-random",
    )
    assert suite.tasks[0].directions == "forward"


def test_settings_are_filled_in_and_overridden(tmp_path: Path) -> None:
    suite = load_suite(write_suite(tmp_path))
    tables = suite.methods["short"].tables
    assert tables is not None
    assert tables["strategy"]["rounds"] == 2
    assert tables["lexicon_update"]["neighborhood"] == 10  # a default that no preset spells out
    assert suite.methods["procrustes"].tables is not None


def test_a_method_may_be_spelled_out_or_kept_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[preprocessing]\nname = "unit"\n[strategy]\nname = "single"\n'
        '[supervised]\nname = "procrustes"\n[retrieval]\nname = "nearest"\n'
    )
    text = SUITE + (
        '[methods.filed]\npreset = "mine.toml"\n'
        '[methods.spelled.settings.preprocessing]\nname = "unit"\n'
        '[methods.spelled.settings.strategy]\nname = "single"\n'
        '[methods.spelled.settings.supervised]\nname = "procrustes"\n'
        '[methods.spelled.settings.retrieval]\nname = "nearest"\n'
    )
    methods = load_suite(write_suite(tmp_path, text)).methods
    assert methods["filed"].tables == methods["spelled"].tables


WRONG = [
    ("[data]\nrooot = 'x'\n", "[data] has no setting 'rooot' (did you mean 'root'?)"),
    ("[data]\nlimit = 0\n", "[data] has limit = 0: expected a whole number, 1 or more"),
    ("[data]\nlimit = true\n", "[data] has limit = True: expected a whole number, 1 or more"),
    ("[data]\nlowercase = 1\n", "[data] has lowercase = 1: expected true or false"),
    ("[lexicons.x]\ntest = 3\n", "[lexicons.x] has test = 3: expected a text in quotes"),
    ("[lexicons.x]\ntain = 'a'\n", "[lexicons.x] has no setting 'tain' (did you mean 'train'?)"),
    ("[lexicons.x]\n", "[lexicons.x] has no 'test': add test = \"{pair}/test.tsv\""),
    ("[lexicons.x]\ntest = '{pear}'\n", "an unknown placeholder {pear} (did you mean 'pair'?)"),
    ("[lexicons.x]\ntest = '{pair'\n", "cannot be parsed"),
    ("[lexicons.x]\ntest = 'a'\nrules = 'vecmop'\n", "(did you mean 'vecmap'?)"),
    ("[lexicons.x]\ntest = 'a'\nprotocol = 'vecmap'\n", "which was renamed to 'rules'"),
    ("[lexicons.x]\ntest = 'held-out'\n", 'has test = "held-out" but no train file'),
    ("[lexicons.x]\ntest = 'a'\nwrong = 1.5\n", "wrong = 1.5: expected a share between 0 and 1"),
    ("[lexicons.x]\ntest = 'a'\nwrong = 1\n", "wrong = 1: expected a share between 0 and 1"),
    ("[lexicons.x]\ntest = 'a'\ntrain = { some = 'b' }\n", "has a size 'some'"),
    ("[lexicons.x]\ntest = 'a'\ntrain = { 1 = 'b', 2 = 'c' }\n", "draws only from the largest"),
    ("[methods.x]\npreset = 'procrustus'\n", "did you mean 'procrustes'?"),
    ("[methods.procrustes]\nset = ['strategy.roundz=3']\n", "has no setting 'roundz'"),
    ("[methods.x]\npreset = 'rcsls'\nsettings = {}\n", "has both a preset and settings"),
    ("[methods.x]\nsource = 'a.vec'\n", "[methods.x] has no 'target'"),
    ("[methods.x]\nsource = 'a'\ntarget = 'b'\nset = []\n", "has aligned vectors and 'set'"),
    ("[methods.x]\nsource = 'a'\ntarget = 'b'\nmode = 'fast'\n", "aligned vectors and 'mode'"),
    ("[methods.rcsls]\nmode = 'quick'\n", "has mode = 'quick': expected one of fast, exact"),
    ("[methods.procrustes]\nmode = 'exact'\n", "no part has a mode: leave it out"),
    ("[methods.x.settings]\nstrategy = 3\n", "[methods.x.settings.strategy] is 3"),
    ("[methods.rcsls]\nstart = 'automatic'\n", "no start plugin is called 'automatic'"),
    ("[[tasks]]\nlexicon = 'twin'\n", "has lexicon = 'twin' (did you mean 'twins'?)"),
    ("[[tasks]]\nlexicon = 'twins'\nseed = [1]\n", "has no setting 'seed' (did you mean 'seeds'?)"),
    ("[[tasks]]\nlexicon = 'twins'\nseeds = [40]\npairs = ['s-t']\n", "the largest training file"),
    ("[[tasks]]\nlexicon = 'twins'\nseeds = []\npairs = ['s-t']\n", "has seeds = []"),
    ("[[tasks]]\nlexicon = 'twins'\nseeds = [-1]\npairs = ['s-t']\n", "whole numbers, 0 or more"),
    ("[[tasks]]\nlexicon = 'twins'\nseeds = ['1k']\npairs = ['s-t']\n", "a list of whole numbers"),
    ("[[tasks]]\nlexicon = 'twins'\nseeds = [10]\n", "has no 'pairs': add pairs = [\"en-fr\"]"),
    ("[[tasks]]\nlexicon = 'twins'\nseeds = [10]\npairs = ['st']\n", "has the pair 'st'"),
    (
        "[[tasks]]\nlexicon = 'twins'\nseeds = [10]\npairs = ['s-t']\nmethods = ['shrot']\n",
        "names method 'shrot' (did you mean 'short'?)",
    ),
    (
        "[[tasks]]\nlexicon = 'twins'\nseeds = [10]\npairs = ['s-t']\ndirections = 'back'\n",
        "expected one of forward, reverse, both",
    ),
]


HELD_OUT = "[lexicons.x]\ntest = 'held-out'\ntrain = { 30 = 'train.30.tsv' }\n"
NOISY = HELD_OUT + "wrong = 0.1\n"
TASK = "[[tasks]]\nlexicon = 'x'\npairs = ['s-t']\nseeds = "
WRONG += [
    (HELD_OUT + TASK + "[30]\n", "needs words that are not seeds: use fewer"),
    (NOISY + TASK + "[0]\n", "fewer than two of them wrong: use more seeds, or leave out wrong"),
    (NOISY + TASK + "[10]\n", "fewer than two of them wrong: use more seeds, or leave out wrong"),
]


@pytest.mark.parametrize(("addition", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_mistake_is_an_error_with_a_fix(tmp_path: Path, addition: str, message: str) -> None:
    assert message in refusal(tmp_path, SUITE + addition)


def test_a_key_that_was_renamed_is_reported_with_its_new_name(tmp_path: Path) -> None:
    message = refusal(tmp_path, 'protocol = "muse"\n' + SUITE)
    assert message == "the suite has 'protocol', which was renamed to 'rules': change the key"


def test_a_mode_is_set_in_all_parts_and_settings_are_changed_after_it(tmp_path: Path) -> None:
    text = SUITE + (
        "[methods.exact]\npreset = 'css-paper'\n"
        "[methods.fast]\npreset = 'css-paper'\nmode = 'fast'\n"
        "[methods.mixed]\npreset = 'css-paper'\nmode = 'fast'\n"
        "set = ['lexicon_update.mode=exact']\n"
        "[methods.back]\npreset = 'css'\nmode = 'exact'\nset = ['unsupervised.batch=500']\n"
    )
    methods = load_suite(write_suite(tmp_path, text)).methods
    modes = {
        name: [
            (method.tables or {})[part]["mode"]
            for part in ("supervised", "unsupervised", "lexicon_update")
        ]
        for name, method in methods.items()
        if name not in ("short", "procrustes")
    }
    assert modes == {
        "exact": ["exact", "exact", "exact"],
        "fast": ["fast", "fast", "fast"],
        "mixed": ["fast", "fast", "exact"],
        "back": ["exact", "exact", "exact"],
    }
    assert "batch" not in (methods["fast"].tables or {})["unsupervised"]  # for exact mode only
    assert (methods["back"].tables or {})["unsupervised"]["batch"] == 500


def test_what_is_missing_or_no_suite_at_all_is_reported(tmp_path: Path) -> None:
    assert "has no setting 'task' (did you mean 'tasks'?)" in refusal(tmp_path, "task = 1")
    assert "has no [[tasks]]" in refusal(tmp_path, "")
    assert "is not valid TOML" in refusal(tmp_path, "a =")
    assert "[vectors] is 3: expected a table" in refusal(
        tmp_path,
        SUITE.replace('[vectors]\ndefault = "{language}.vec"', "vectors = 3").replace(
            'description = "twins"', ""
        ),
    )
    lonely = SUITE.replace('default = "{language}.vec"', 's = "s.vec"')
    assert "has no file for language 't'" in refusal(tmp_path, lonely)
    nameless = SUITE.replace('methods = ["procrustes", "short"]', "")
    assert len(load_suite(write_suite(tmp_path, nameless)).tasks[0].methods) == 1
    seedless = SUITE.replace('train = { 10 = "train.10.tsv", 30 = "train.30.tsv" }', "")
    assert "has no train file" in refusal(tmp_path, seedless)


def test_a_missing_file_or_an_unknown_name_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="no such file"):
        load_suite(str(tmp_path / "none.toml"))
    (tmp_path / "latin.toml").write_bytes(b"description = '\xe9'")
    with pytest.raises(InputFileError, match="cannot be read as UTF-8 text"):
        load_suite(str(tmp_path / "latin.toml"))
    with pytest.raises(SettingError, match=r"no suite is called 'corr' \(did you mean 'core'\?\)"):
        load_suite("corr")
    with pytest.raises(SettingError, match="give the folder with --data"):
        expand(load_suite("core"))


def test_the_suites_of_the_package_can_be_read() -> None:
    assert suite_names() == ["core", "full", "muse", "panlex", "smoke", "vecmap", "xling"]
    for name in suite_names():
        suite = load_suite(name)
        assert suite.description
        jobs = expand(suite, Path("data"))
        assert len({str(job.identity) for job in jobs}) == len(jobs) > 0


def test_the_smallest_suite_brings_its_data_along() -> None:
    jobs = expand(load_suite("smoke"))
    assert {job.identity["method"] for job in jobs} >= {"bilex", "procrustes"}


@pytest.mark.parametrize("name", ["core", "full", "muse", "panlex", "smoke", "vecmap", "xling"])
def test_the_suites_of_the_package_take_no_exact_steps_but_in_the_lexicon_update(name: str) -> None:
    for method in load_suite(name).methods.values():
        for part, settings in (method.tables or {}).items():
            usual = "exact" if part == "lexicon_update" and method.name != "bilex" else "fast"
            assert settings.get("mode", usual) == usual, method.name


STUDIES = Path(__file__).parents[2] / "benchmarks" / "studies"


@pytest.mark.skipif(not STUDIES.is_dir(), reason="not in a source distribution")
def test_the_studies_can_be_read() -> None:
    found = {path.stem: load_suite(str(path)) for path in STUDIES.glob("*.toml")}
    assert found.keys() == {
        "bilex-parts",
        "css-parts",
        "paper",
    }
    for suite in found.values():
        assert expand(suite, Path("data"))
    for name in ("bilex-parts", "css-parts"):  # settings are not chosen on test words
        assert all(lexicon.test is None for lexicon in found[name].lexicons.values())


def test_the_core_suite_has_the_jobs_it_should() -> None:
    jobs = expand(load_suite("core"), Path("data"))
    draws = {
        (job.lexicon, job.target, job.seeds, job.method.name): {
            other.draw
            for other in jobs
            if (other.pair, other.seeds, other.method.name)
            == (job.pair, job.seeds, job.method.name)
        }
        for job in jobs
    }
    lexicons = {"fr": "xling", "ru": "xling", "fi": "xling", "tr": "xling", "ja": "muse"}
    for language, lexicon in {**lexicons, "zh": "muse"}.items():
        for method in ("bilex", "css", "self-learning", "procrustes", "rcsls"):
            wanted = {500: 1, 1000: 4 if method == "bilex" else 2, 5000: 1}
            for seeds, n_draws in wanted.items():
                assert len(draws.pop((lexicon, language, seeds, method))) == n_draws
            assert draws.pop((f"{lexicon}-frequent", language, 1000, method)) == {0}
        assert draws.pop((f"{lexicon}-frequent", language, 500, "bilex")) == {0}
    assert not draws
    assert len(jobs) == 168


def test_a_test_set_that_could_be_two_is_named_with_its_lexicon() -> None:
    pairs = {job.pair for job in expand(load_suite("full"), Path("data"))}
    assert {"en-fr", "xling:en-ru", "muse:en-ru", "muse:ru-en", "en-zh"} <= pairs
    assert "en-ru" not in pairs
    assert load_suite("full").methods.keys() == set(load_presets())


def load_presets() -> list[str]:
    from bilex.config import preset_names

    return [name for name in preset_names() if load_preset(name)]
