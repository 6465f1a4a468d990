"""Read XML of unknown origin part by part: nothing is fetched, nothing is expanded.

Entity declarations are refused, so that a small file cannot grow in memory; a document type may
be named but is not looked up. Namespaces are dropped: formats are told by their element names.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Container, Iterator
from pathlib import Path
from typing import IO, NoReturn
from xml.parsers import expat

from bilex.errors import LexiconFileError
from bilex.export.xml_text import unescape
from bilex.lexicons.lines import GZIP_START

CHUNK = 2**16

DEEPEST = 200
"""Elements inside each other; dictionaries need about ten."""

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
        """Return all text inside, on one line, without blanks around it."""
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


def xml_parts(path: Path, names: Container[str]) -> Iterator[Node]:
    """Yield the root without its content, then each part of these names, outermost and complete.

    Raises:
        LexiconFileError: If the file cannot be read, is not well-formed or declares entities.
    """
    builder = _Builder(path, names)
    try:
        with path.open("rb") as file:
            yield from _built(builder, file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise LexiconFileError(
            path, f"the gzip archive is damaged or cut short ({error}): get it again"
        ) from None
    except OSError as error:
        raise LexiconFileError(path, f"cannot be read: {error.strerror or error}") from None


def _built(builder: _Builder, file: IO[bytes]) -> Iterator[Node]:
    zipped = file.read(2) == GZIP_START
    file.seek(0)
    plain: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=file) if zipped else file
    while chunk := plain.read(CHUNK):
        yield from builder.feed(chunk)
    yield from builder.feed(b"", last=True)


class _Builder:
    """Turns what the parser tells into nodes."""

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
            raise LexiconFileError(
                self._path,
                f"not well-formed XML: {expat.ErrorString(error.code)}",
                line=error.lineno,
            ) from None
        except LexiconFileError:
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
        self._fail(f"declares the entity {name!r}: replace entities by what they stand for")

    def _refuse_reference(self, name: str, *_: object) -> None:
        self._fail(f"the entity &{name}; is not defined here: replace it by what it stands for")

    def _fail(self, problem: str) -> NoReturn:
        raise LexiconFileError(self._path, problem, line=self._parser.CurrentLineNumber)
