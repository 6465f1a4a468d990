from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.alignment.supervised import Procrustes
from bilex.alignment.transport import WassersteinProcrustes
from bilex.config import (
    OPTIONAL_ROOTS,
    ROOTS,
    Tables,
    build_parts,
    describe_parts,
    in_mode,
    load_preset,
    override,
    preset_names,
    to_toml,
)
from bilex.errors import InputFileError, SettingError, UnknownPluginError
from bilex.inducer import Parts
from bilex.retrieval import Csls
from bilex.values import Mode


def part(kind: str, tables: Tables) -> Any:  # noqa: ANN401 - a plugin of any kind
    return build_parts(tables)[kind]


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_builds_and_describes_itself(name: str) -> None:
    tables = load_preset(name)
    described = describe_parts(build_parts(tables))
    assert described == describe_parts(build_parts(described))
    assert build_parts(tomllib.loads(to_toml(described))) == build_parts(tables)
    assert set(tables) == set(described)


def test_a_setting_can_be_changed() -> None:
    tables = override(load_preset("procrustes"), "retrieval.neighborhood=5")
    assert build_parts(tables)["retrieval"] == Csls(neighborhood=5)
    assert build_parts(load_preset("procrustes"))["retrieval"] == Csls(neighborhood=10)


def test_lists_and_bare_words_can_be_given() -> None:
    tables = override(load_preset("procrustes"), "preprocessing.steps=['unit']")
    assert part("preprocessing", tables).steps == ("unit",)
    tables = override(tables, "supervised.name=procrustes")
    assert part("strategy", tables).supervised == Procrustes()


def test_another_plugin_does_not_inherit_settings_it_lacks() -> None:
    tables = override(load_preset("procrustes"), "retrieval.name=nearest")
    assert tables["retrieval"] == {"name": "nearest"}
    build_parts(tables)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("neighborhood=5", r"cannot understand 'neighborhood=5': expected PART\.KEY=VALUE"),
        ("retrieval.neighborhood", "cannot understand"),
        ("retreival.neighborhood=5", r"no part 'retreival'.*did you mean 'retrieval'"),
        ("retrieval.neighbourhood=5", r"no setting 'neighbourhood' \(did you mean 'neighborhood'"),
        ("retrieval.neighborhood=few", r"retrieval\.neighborhood is 'few': expected .* type int"),
        ("retrieval.neighborhood=true", "expected a value of type int"),
        ("retrieval.neighborhood=0", "give 1 or more"),
        ("retrieval.name=cslss", r"no retrieval plugin is called 'cslss' \(did you mean 'csls'"),
        ("preprocessing.steps=unit", r"preprocessing\.steps is 'unit': expected a .* type list"),
        ("supervised.rate=1", r"'procrustes' has no setting 'rate'; it has: none"),
        ("strategy.supervised=x", "'single' has no setting 'supervised'"),
    ],
)
def test_wrong_settings_are_errors_that_say_what_is_wrong(assignment: str, message: str) -> None:
    with pytest.raises((SettingError, UnknownPluginError), match=message):
        build_parts(override(load_preset("procrustes"), assignment))


def test_unknown_presets_are_errors_with_the_closest_name() -> None:
    with pytest.raises(SettingError, match=r"'procrustis' \(did you mean 'procrustes'"):
        load_preset("procrustis")


def test_tables_must_be_complete_and_used() -> None:
    tables = load_preset("procrustes")
    with pytest.raises(SettingError, match=r"uses the table \[superwised\]"):
        build_parts({**tables, "superwised": {"name": "procrustes"}})
    with pytest.raises(SettingError, match=r"has no \[retrieval\] table"):
        build_parts({name: table for name, table in tables.items() if name != "retrieval"})
    with pytest.raises(SettingError, match=r"table \[retrieval\] has no name"):
        build_parts({**tables, "retrieval": {}})


def test_a_preset_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(to_toml(load_preset("procrustes")), encoding="utf-8")
    assert load_preset(str(path)) == load_preset("procrustes")
    path.write_text("[retrieval\n", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"mine\.toml: is not valid TOML"):
        load_preset(str(path))
    path.write_text("loose = 1\n", encoding="utf-8")
    with pytest.raises(InputFileError, match="'loose' is outside any table"):
        load_preset(str(path))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputFileError, match="cannot be read as UTF-8"):
        load_preset(str(path))
    with pytest.raises(InputFileError, match="no such file"):
        load_preset(str(tmp_path / "absent.toml"))


VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8")),
    lambda children: st.lists(children, max_size=3),
    max_leaves=4,
)


@given(st.dictionaries(st.from_regex(r"\A[a-z_]{1,8}\Z"), VALUES, max_size=4))
def test_what_is_written_as_toml_reads_back(table: dict[str, object]) -> None:
    assert tomllib.loads(to_toml({"part": table})) == {"part": table}


def test_other_values_cannot_be_written() -> None:
    with pytest.raises(SettingError, match="cannot be written to a TOML file"):
        to_toml({"part": {"key": object()}})


WITH_MODES = ("supervised", "unsupervised", "lexicon_update")


@pytest.mark.parametrize("preset", ["css", "css-paper"])
@pytest.mark.parametrize("mode", ["exact", "fast"])
def test_a_mode_is_set_where_there_is_a_choice(preset: str, mode: Mode) -> None:
    tables = in_mode(load_preset(preset), mode)
    modes = {part: table.get("mode") for part, table in tables.items()}
    assert [modes.pop(part) for part in WITH_MODES] == [mode] * 3
    assert set(modes.values()) == {None}
    strategy = part("strategy", tables)
    assert [getattr(strategy, part).mode for part in WITH_MODES] == [mode] * 3
    assert in_mode(load_preset("procrustes"), mode) == load_preset("procrustes")


def test_the_presets_of_the_paper_and_its_code_set_every_mode() -> None:
    modes = {
        name: {part: load_preset(name)[part].get("mode") for part in WITH_MODES}
        for name in preset_names()
        if name.endswith(("-paper", "-code"))
    }
    assert sorted(modes) == ["css-code", "css-paper", "pss-code", "pss-paper"]
    for name, found in modes.items():
        assert found == dict.fromkeys(WITH_MODES, "exact")
        # These are all parts that have a choice: setting the same mode again changes nothing.
        assert in_mode(load_preset(name), "exact") == load_preset(name)
    assert part("strategy", load_preset("css")).supervised.mode == "fast"


def test_the_fast_mode_drops_settings_of_the_exact_mode_alone() -> None:
    tables = load_preset("css-paper")
    assert tables["unsupervised"]["batch"] == 8000
    assert WassersteinProcrustes.exact_only == ("batch",)
    fast = in_mode(tables, "fast")
    expected = {**tables["unsupervised"], "mode": "fast"}
    del expected["batch"]
    assert fast["unsupervised"] == expected
    # RCSLS takes batches in either mode.
    assert fast["supervised"] == {**tables["supervised"], "mode": "fast"}
    assert part("strategy", fast).unsupervised.batch is None
    assert in_mode(tables, "exact")["unsupervised"] == tables["unsupervised"]
    assert tables == load_preset("css-paper")


@pytest.mark.parametrize("name", preset_names())
def test_no_preset_sets_what_its_mode_ignores(name: str) -> None:
    tables = load_preset(name)
    build_parts(tables)
    if tables.get("unsupervised", {}).get("name") != "wasserstein-procrustes":
        return
    fast = override(in_mode(tables, "fast"), "unsupervised.batch=100")
    with pytest.raises(SettingError, match=r"unsupervised\.batch has no effect with mode = 'fast'"):
        build_parts(fast)
    build_parts(override(in_mode(tables, "exact"), "unsupervised.batch=100"))


def test_calibration_and_feedback_may_be_left_out() -> None:
    tables = load_preset("bilex")
    assert OPTIONAL_ROOTS == ("calibration", "feedback")
    assert set(build_parts(tables)) == {*ROOTS, *OPTIONAL_ROOTS}
    for name in OPTIONAL_ROOTS:
        assert name not in build_parts(override(tables, f"{name}.name=none"))
    bare = override(override(tables, "feedback.name=none"), "calibration.name=none")
    assert set(build_parts(bare)) == set(ROOTS)


def test_feedback_without_calibration_is_an_error() -> None:
    tables = override(load_preset("bilex"), "calibration.name=none")
    with pytest.raises(
        SettingError, match=r"\[feedback\] needs the probabilities.*remove \[feedback\]"
    ):
        Parts.build(tables)
    parts = Parts.build(override(tables, "feedback.name=none"))
    assert (parts.calibration, parts.feedback) == (None, None)
    assert parts.describe(without=("retrieval",)) == {
        name: table for name, table in parts.describe().items() if name != "retrieval"
    }


def test_setting_a_mode_leaves_mistakes_to_be_found_later() -> None:
    tables: dict[str, dict[str, object]] = {"sea": {"name": "blue"}, "supervised": {"steps": 3}}
    assert in_mode(tables, "exact") == tables
