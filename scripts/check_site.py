"""Check a built documentation site: links, anchors, images, and nothing fetched from elsewhere.

    zensical build --strict && python scripts/check_site.py site

Prints one line for each problem; the exit code is 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

HOST = "http://site"
FETCHED = {
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "script": ("src",),
    "iframe": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
}
"""Attributes whose address a browser fetches; `link` is one of them for these values of `rel`:"""
FETCHED_RELATIONS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "manifest"}
STYLE_ADDRESS = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^"')\s]+""")


class Page(HTMLParser):
    """The anchors of a page, and the addresses that it links to or fetches."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what an element names or refers to."""
        found = {name: value for name, value in attrs if value}
        self.anchors.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        for name in FETCHED.get(tag, ()):
            if name in found:
                self.fetched += [one.split()[0] for one in found[name].split(", ")]
        if tag == "link" and FETCHED_RELATIONS & set(found.get("rel", "").split()):
            self.fetched.append(found.get("href", ""))


def problems(site: Path) -> Iterator[str]:
    """Yield a line for each broken or foreign address."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site} has no page: build the documentation first"
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        if name == "404.html":  # shown at any address, so that its links are absolute
            continue
        for address in page.fetched:
            if _is_foreign(address):
                yield f"{name}: fetches {address} from another host: keep a copy in docs/"
        for address in dict.fromkeys([*page.links, *page.fetched]):
            if not _is_foreign(address):
                yield from _missing(site, pages, name, address)
    for style in sorted(site.rglob("*.css")):
        for found in STYLE_ADDRESS.findall(style.read_text(encoding="utf-8")):
            yield f"{style.relative_to(site)}: fetches {found}"


def _missing(site: Path, pages: dict[Path, Page], name: str, address: str) -> Iterator[str]:
    parts = urlsplit(urljoin(f"{HOST}/{name}", address))
    target = site / unquote(parts.path).lstrip("/")
    if parts.path.endswith("/"):
        target /= "index.html"
    if not target.is_file():
        yield f"{name}: {address} does not exist"
    elif parts.fragment and unquote(parts.fragment) not in pages[target].anchors:
        yield f"{name}: {address} has no such anchor"


def _is_foreign(address: str) -> bool:
    """Return whether an address is not one of this site."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "http", "https")


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1])))
    print("\n".join(found) or "every link, anchor and image exists; nothing is fetched elsewhere")
    sys.exit(bool(found))
