"""The files in `deploy/` name settings, commands and files that there are."""

from __future__ import annotations

import configparser
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from bilex.service.api.settings import ConfigFile, ServerSettings, make_settings

FOLDER = Path(__file__).parents[3] / "deploy"
DOCS = FOLDER.parent / "docs" / "software" / "operating.md"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="deploy/ is not in the package")


def compose() -> Any:  # noqa: ANN401
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))


def test_the_settings_are_read_and_are_the_defaults_where_they_say_so() -> None:
    config = ConfigFile.read(FOLDER / "serve.toml")
    made = make_settings(config, {}, {})
    default = ServerSettings()
    for name in ("port", "body_bytes", "body_seconds", "answer_seconds", "idle_seconds", "at_once"):
        assert getattr(made, name) == getattr(default, name)
    assert made.stop_seconds == default.stop_seconds
    assert made.drain == ServerSettings(host="192.0.2.1").drain
    assert [pair.name for pair in config.pairs] == ["en-es"]


def test_variables_of_the_container_and_of_compose_are_settings() -> None:
    lines = (FOLDER / "Containerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    found = dict(re.findall(r"(BILEX_SERVE_\w+)=(\S+)", text))
    assert found["BILEX_SERVE_FOLDER"] == "/models"
    make_settings(None, found, {})
    services = compose()["services"]
    make_settings(
        ConfigFile.read(FOLDER / "serve.toml"),
        {k: v for k, v in services["api"]["environment"].items() if k.startswith("BILEX_SERVE_")},
        {},
    ).check_exposure()


def test_compose_opens_no_port_to_others_and_gives_the_servers_few_rights() -> None:
    services = compose()["services"]
    for name, service in services.items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        if name != "db":
            assert service["read_only"]
            assert service["cap_drop"] == ["ALL"]
    assert "ports" not in services["db"]
    mounted = [one.split(":")[1] for one in services["api"]["volumes"]]
    assert services["api"]["command"][-1] in mounted
    stop = int(services["api"]["stop_grace_period"].removesuffix("s"))
    assert stop > ServerSettings(host="192.0.2.1").drain + ServerSettings().stop_seconds


def test_the_unit_gives_the_server_time_to_stop() -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(FOLDER / "bilex-serve.service", encoding="utf-8")
    service = dict(unit["Service"])
    settings = make_settings(ConfigFile.read(FOLDER / "serve.toml"), {}, {})
    assert int(service["TimeoutStopSec"]) > settings.drain + settings.stop_seconds
    assert service["KillMode"] == "mixed"
    assert service["NoNewPrivileges"] == "true"


def test_nginx_takes_the_same_bodies_and_shows_no_metrics() -> None:
    text = (FOLDER / "nginx.conf").read_text(encoding="utf-8")
    assert text.count("{") == text.count("}")
    most = re.search(r"client_max_body_size (\d+)m;", text)
    assert most is not None
    assert int(most[1]) * 1_000_000 >= ServerSettings().body_bytes
    assert re.search(r"location = /metrics \{\s*deny all;", text)


def test_the_page_on_operating_lists_every_setting_and_its_example_is_read(tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    table = text.partition("| `[server]` |")[2].partition("\n\n")[0]
    listed = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row[:60])}
    assert {field.name for field in fields(ServerSettings)} <= listed
    example = text.partition("```toml\n")[2].partition("```")[0]
    path = tmp_path / "serve.toml"
    path.write_text(example, encoding="utf-8")
    assert [pair.name for pair in ConfigFile.read(path).pairs] == ["en-es", "medicine"]
    assert tomllib.loads(example)["server"]["workers"] == 2
