"""Read XML files that are not trusted, one part at a time.

Nothing is fetched and no entity is expanded: a file that declares entities is an error, so that a
small file cannot fill the memory, and a document type is not looked up. Namespaces are dropped:
formats are recognized by the names of their elements.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Container, Iterator
from pathlib import Path
from typing import IO, NoReturn
from xml.parsers import expat

from bilex.errors import DictionaryFileError
from bilex.lexicons.formats.text_lines import GZIP_START
from bilex.lexicons.formats.xml_text import unescape
from bilex.values import Progress

CHUNK = 2**16

DEEPEST = 200
"""Levels of nested elements; dictionaries need about ten."""

LONGEST_PART = 2**22
"""Characters of text and tags in one entry; a wrong file must not fill the memory."""

LANGUAGE = "lang"
_BREAKS = re.compile("[\t\n\r]+")


class Node:
    """An element: its text and elements in order, the line its part starts in, its language."""

    __slots__ = ("attributes", "content", "language", "line", "name")

    def __init__(self, name: str, attributes: dict[str, str], line: int, language: str) -> None:
        self.name = name
        self.attributes = attributes
        self.line = line
        self.language = language  # its own xml:lang, or that of the nearest element around it
        self.content: list[str | Node] = []

    @property
    def children(self) -> list[Node]:
        """Return the elements directly inside."""
        return [piece for piece in self.content if isinstance(piece, Node)]

    @property
    def text(self) -> str:
        """Return all text inside, on one line, without spaces around it."""
        first = self.content[0] if len(self.content) == 1 else None
        text = first if isinstance(first, str) else "".join(self._pieces())
        if _BREAKS.search(text):
            parts = (part.strip(" ") for part in _BREAKS.split(text))
            text = " ".join(part for part in parts if part)
        return unescape(text.strip(" "))

    def all(self, *names: str) -> Iterator[Node]:
        """Yield the elements of these names at any depth, in order."""
        for child in self.content:
            if isinstance(child, Node):
                if child.name in names:
                    yield child
                yield from child.all(*names)

    def _pieces(self) -> Iterator[str]:
        for piece in self.content:
            if isinstance(piece, Node):
                yield from piece._pieces()
            else:
                yield piece


def xml_parts(
    path: Path, names: Container[str], on_progress: Progress | None = None
) -> Iterator[Node]:
    """Yield the root without its content, then each part of these names, outermost and complete.

    Args:
        path: The file.
        names: The names of the parts.
        on_progress: Called with the bytes read so far and the size of the file.

    Raises:
        DictionaryFileError: If the file cannot be read, is not well-formed or declares entities.
    """
    builder = _Builder(path, names)
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            for parts in _built(builder, file):
                if on_progress is not None:
                    on_progress(file.tell(), size)
                yield from parts
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DictionaryFileError(
            path,
            f"the gzip archive is damaged or cut short ({error}): download or compress it again",
        ) from None
    except OSError as error:
        raise DictionaryFileError(path, f"cannot be read: {error.strerror or error}") from None


def root_name(data: bytes) -> str | None:
    """Return the name of the root element, without namespace; None if the data is not XML."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = _raise_root
    parser.EntityDeclHandler = _raise_no_root
    try:
        parser.Parse(data, False)
    except _Root as root:
        return root.name
    except (expat.ExpatError, LookupError, ValueError):
        pass
    return None


class _Root(Exception):
    """Stops the parser at the root element."""

    def __init__(self, name: str | None) -> None:
        super().__init__(name)
        self.name = name


def _raise_root(name: str, _: dict[str, str]) -> NoReturn:
    raise _Root(name[name.rfind(" ") + 1 :])


def _raise_no_root(*_: object) -> NoReturn:
    raise _Root(None)


def _built(builder: _Builder, file: IO[bytes]) -> Iterator[list[Node]]:
    """Yield the parts that each block of the file completes."""
    compressed = file.read(2) == GZIP_START
    file.seek(0)
    plain: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=file) if compressed else file
    while chunk := plain.read(CHUNK):
        yield builder.feed(chunk)
    yield builder.feed(b"", last=True)


class _Builder:
    """Turns the events of the parser into nodes."""

    def __init__(self, path: Path, names: Container[str]) -> None:
        self._path = path
        self._names = names
        self._languages = [""]  # of the elements that are open
        self._open: list[Node] = []  # those of the part that is being read
        self._size = 0  # of that part
        self._done: list[Node] = []
        parser = self._parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._refuse_declaration
        parser.SkippedEntityHandler = self._refuse_reference

    def feed(self, data: bytes, *, last: bool = False) -> list[Node]:
        """Parse further bytes and return the parts that they complete."""
        try:
            self._parser.Parse(data, last)
        except expat.ExpatError as error:
            raise DictionaryFileError(
                self._path,
                f"not well-formed XML: {expat.ErrorString(error.code)}",
                line=error.lineno,
            ) from None
        except DictionaryFileError:
            raise
        except (LookupError, ValueError) as error:  # of a codec
            self._fail(f"in an encoding that cannot be read ({error}): convert it to UTF-8")
        done, self._done = self._done, []
        return done

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._languages) > DEEPEST:
            self._fail(f"more than {DEEPEST} elements inside each other: is it a dictionary?")
        local = name[name.rfind(" ") + 1 :]
        language = self._languages[-1]
        if attributes:
            attributes = {key[key.rfind(" ") + 1 :]: value for key, value in attributes.items()}
            language = attributes.get(LANGUAGE) or language
        self._languages.append(language)
        if self._open:
            node = Node(local, attributes, self._open[0].line, language)
            self._open[-1].content.append(node)
            self._open.append(node)
            self._grow(len(name) + sum(map(len, attributes.values())) if attributes else len(name))
        elif local in self._names or len(self._languages) == 2:
            node = Node(local, attributes, self._parser.CurrentLineNumber, language)
            (self._open if local in self._names else self._done).append(node)

    def _end(self, name: str) -> None:
        self._languages.pop()
        if self._open:
            node = self._open.pop()
            if not self._open:
                self._done.append(node)
                self._size = 0

    def _characters(self, text: str) -> None:
        if self._open:
            self._open[-1].content.append(text)
            self._grow(len(text))

    def _grow(self, characters: int) -> None:
        self._size += characters
        if self._size > LONGEST_PART:
            self._fail(
                f"<{self._open[0].name}> holds more than {LONGEST_PART:,} characters: "
                "is it a dictionary?"
            )

    def _refuse_declaration(self, name: str, *_: object) -> None:
        self._fail(f"declares the entity {name!r}: replace each entity by its text")

    def _refuse_reference(self, name: str, *_: object) -> None:
        self._fail(f"the entity &{name}; is not defined: replace it by its text")

    def _fail(self, problem: str) -> NoReturn:
        raise DictionaryFileError(self._path, problem, line=self._parser.CurrentLineNumber)
