"""Damage files by their structure: keys and values, opcodes, elements, columns, numbers.

A mutation takes a random generator and the content of a valid file, and returns another content.
The same generator state gives the same content, so the seed of a finding repeats it.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import pickle
import pickletools
import random
import re
import struct
import tomllib
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as arrow
from pyarrow import parquet

Mutation = Callable[[random.Random, bytes], bytes]

Tree = Any
"""Nested dicts and lists."""

_RAW, _SAME_KEY = "\ue000", "\ue001"  # marks of text written without quotes, and of a second key

INTEGERS = (0, 1, -1, 2, 3, 7, 255, 2**16, 2**31 - 1, 2**31, -(2**31), 2**32, 2**62, 2**63, 2**64)
TEXTS = (
    "", " ", "x", "\0", "\n", "\t", "\ud800", "1", "-1", "nan", "F32", "U8", "BF16", "F8_E4M3",
    "../x", "a" * 10_000, "\x1b[31m", "{0}", "%s", "{", "été", "9" * 5_000, "1e999", "None",
)  # fmt: skip
VALUES: tuple[object, ...] = (
    *INTEGERS, *TEXTS, None, True, False, 0.5, -0.0, 10**30, [], {}, [[]], [None], [0, 0], [1, 2],
    {"": None}, {"name": "x"}, ["x", "x"], [["a", "b"]],
)  # fmt: skip
RAW = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-999", "9" * 5_000, "-" + "9" * 5_000,
    "[" * 3_000 + "]" * 3_000, "[" * 100_000, '{"a":' * 3_000 + "1" + "}" * 3_000, '"\\ud800"',
)  # fmt: skip
RAW_TOML = (
    "nan", "inf", "-inf", "1e999", "9" * 5_000, "0x" + "f" * 5_000, "1979-05-27", "07:32:00",
    "[" * 3_000 + "]" * 3_000, "'''\n'''", "{a={a={a=1}}}", "[1, 'x']",
)  # fmt: skip


# Trees, as in JSON, TOML and pickles.


def mutate_tree(rng: random.Random, tree: Tree, pool: Sequence[object] = VALUES) -> Tree:
    """Return a copy with one to four random changes; new values are from the pool."""
    holder = [copy.deepcopy(tree)]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(_TREE_CHANGES)(rng, holder, pool)
    return holder[0]


def _random_place(rng: random.Random, holder: list[Tree]) -> tuple[Any, Any]:
    """Return a container and the key of a random value in it."""
    container: Any = holder
    key: Any = 0
    for _ in range(30):
        inner = container[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.2:
            break
        container = inner
        key = rng.choice(list(inner)) if isinstance(inner, dict) else rng.randrange(len(inner))
    return container, key


def _one_of(rng: random.Random, pool: Sequence[object]) -> object:
    """Return a copy, since a later change must not reach the pool."""
    return copy.deepcopy(rng.choice(pool))


def _replace(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    container, key = _random_place(rng, holder)
    container[key] = _one_of(rng, pool)


def _nudge(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    """Change a number a little, or a text by one character."""
    container, key = _random_place(rng, holder)
    value = container[key]
    if isinstance(value, int | float):
        container[key] = value + rng.choice((-8, -4, -1, 1, 4, 8))
    elif isinstance(value, str) and value:
        position = rng.randrange(len(value))
        container[key] = value[:position] + rng.choice("0aA \0\n=") + value[position + 1 :]


def _delete(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    container, key = _random_place(rng, holder)
    if container is not holder:
        del container[key]


def _rename(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    container, key = _random_place(rng, holder)
    if isinstance(container, dict):
        container[rng.choice((*TEXTS, f"{key}x", *map(str, container)))] = container.pop(key)


def _duplicate(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    container, key = _random_place(rng, holder)
    if isinstance(container, dict):
        container[f"{_SAME_KEY}{key}"] = rng.choice((container[key], _one_of(rng, pool)))
    elif container is not holder:
        container.insert(key, container[key])


def _add(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    container, _ = _random_place(rng, holder)
    if isinstance(container, dict):
        container[rng.choice(TEXTS)] = _one_of(rng, pool)
    elif container is not holder:
        container.append(_one_of(rng, pool))


def _swap(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    """Exchange two values, or copy one to the place of the other."""
    (one, first), (other, second) = _random_place(rng, holder), _random_place(rng, holder)
    left, right = copy.deepcopy(one[first]), copy.deepcopy(other[second])
    one[first] = right
    if rng.random() < 0.5 and (second in other if isinstance(other, dict) else True):
        other[second] = left


def _wrap(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    container, key = _random_place(rng, holder)
    value = container[key]
    container[key] = rng.choice(([value], {"x": value}, [value, value], {"name": value}))


def _unwrap(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    container, key = _random_place(rng, holder)
    value = container[key]
    if isinstance(value, dict | list) and value:
        container[key] = next(iter(value.values() if isinstance(value, dict) else value))


def _as_text(rng: random.Random, holder: list[Tree], pool: Sequence[object]) -> None:
    container, key = _random_place(rng, holder)
    if isinstance(container[key], int | float):
        with suppress(ValueError):  # more digits than Python writes
            container[key] = str(container[key])


_TREE_CHANGES = (
    _replace, _replace, _replace, _nudge, _delete, _rename, _duplicate, _add, _swap, _wrap,
    _unwrap, _as_text,
)  # fmt: skip


def _with_raw(pool: Sequence[str]) -> tuple[object, ...]:
    return (*VALUES, *(f"{_RAW}{number}{_RAW}" for number in range(len(pool))))


def json_text(tree: Tree) -> bytes:
    """Return the tree as JSON: with the raw values without quotes, and with repeated keys."""
    text = json.dumps(tree).replace(json.dumps(_SAME_KEY)[1:-1], "")
    mark = json.dumps(_RAW)[1:-1]
    pattern = f'"{re.escape(mark)}(\\d+){re.escape(mark)}"'
    return re.sub(pattern, lambda found: RAW[int(found[1])], text).encode()


def json_file(rng: random.Random, data: bytes) -> bytes:
    return json_text(mutate_tree(rng, json.loads(data), _with_raw(RAW)))


def json_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.splitlines()
    row = rng.randrange(len(lines))
    lines[row] = json_file(rng, lines[row])
    return b"\n".join(lines) + b"\n"


def toml_text(tree: Tree) -> bytes:
    """Return the tree as TOML, all tables inline."""
    if not isinstance(tree, dict):
        return b"value = " + _toml_value(tree).encode("utf-8", "replace")
    lines = [f"{_toml_value(str(key))} = {_toml_value(value)}" for key, value in tree.items()]
    return "\n".join(lines).replace(_SAME_KEY, "").encode("utf-8", "replace")


def _toml_value(value: object) -> str:
    if isinstance(value, dict):
        inner = (f"{_toml_value(str(key))} = {_toml_value(item)}" for key, item in value.items())
        return f"{{{', '.join(inner)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, str):
        if value.startswith(_RAW) and value.endswith(_RAW) and value.strip(_RAW).isdigit():
            return RAW_TOML[int(value.strip(_RAW))]
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "")
    return "''" if value is None else json.dumps(value)


def toml_file(rng: random.Random, data: bytes) -> bytes:
    return toml_text(mutate_tree(rng, tomllib.loads(data.decode()), _with_raw(RAW_TOML)))


def safetensors_header(rng: random.Random, data: bytes) -> bytes:
    """Change the JSON header; now and then also its length or the tensors behind it."""
    length = int.from_bytes(data[:8], "little")
    header, tensors = json.loads(data[8 : 8 + length]), data[8 + length :]
    if rng.random() < 0.3:
        _consistent_tensor_change(rng, header)
    if rng.random() < 0.8:
        text = json_text(mutate_tree(rng, header, _with_raw(RAW)))
    else:
        text = json_text(header)
    if rng.random() < 0.2:
        tensors = some_bytes(rng, tensors)
    claimed = rng.choice(INTEGERS) % 2**64 if rng.random() < 0.05 else len(text)
    return claimed.to_bytes(8, "little") + text + tensors


def _consistent_tensor_change(rng: random.Random, header: Tree) -> None:
    """Give a tensor another type or shape of the same size in bytes, so that the file is valid."""
    name = rng.choice([name for name in header if name != "__metadata__"])
    start, end = header[name]["data_offsets"]
    kind = rng.choice(("F64", "F32", "F16", "BF16", "I64", "I32", "I8", "U8", "BOOL", "F8_E4M3"))
    size = {"64": 8, "32": 4, "16": 2}.get(kind[-2:], 1)
    count = (end - start) // size
    shapes = [[count], [count, 1], [1, count], [1, 1, count], [0, count], [count, 0], []]
    header[name] |= {"dtype": kind, "shape": rng.choice(shapes)}


# Pickles.


class _Reduced:
    """Pickled as any call with any state: a damaged array, for instance."""

    def __init__(self, *parts: Any) -> None:  # noqa: ANN401
        self.parts = parts

    def __reduce__(self) -> tuple[Any, ...]:
        return self.parts

    def __deepcopy__(self, memo: object) -> _Reduced:
        return self


def _hostile_objects() -> tuple[object, ...]:
    """Return what no file of vectors has: loops, graphs that explode if printed, odd arrays."""
    loop: list[object] = []
    loop.append(loop)
    own: dict[str, object] = {}
    own["self"] = own
    graph: object = "x" * 10
    for _ in range(60):
        graph = [graph, graph]
    mapping: object = {}
    for _ in range(60):
        mapping = {"a": mapping, "b": mapping}
    array = np.zeros((3, 4), np.float32)
    reduced: tuple[Any, ...] = tuple(array.__reduce__())
    function, arguments, (version, shape, dtype, order, data) = reduced
    states: tuple[tuple[object, ...], ...] = (
        (version, (2**40, 2**40), dtype, order, data),
        (version, (-1, 4), dtype, order, data),
        (version, (3, True), dtype, order, data),
        (version, (0, 2**62), dtype, order, b""),
        (version, (2**62, 0), dtype, order, b""),
        (version, (1,) * 70, dtype, order, data[:4]),
        (version, graph, dtype, order, data),
        (version, shape, graph, order, data),
        (version, shape, dtype, order, graph),
        (version, shape, dtype, loop, data),
        (version, shape, np.dtype("f2"), order, data[:24]),
        (version, shape, np.dtype(">f8"), True, data * 2),
        (version, shape, dtype),
        (),
    )
    arrays = (_Reduced(function, arguments, state) for state in states)
    return (
        loop, own, graph, mapping, (graph, graph), {1, 2}, frozenset(("x",)), b"bytes",
        bytearray(b"x"), 10**5_000, 1j, range(3), OrderedDict(a=1), float("nan"), np.float32(1),
        np.dtype("f4"), np.dtype([("a", "f4")]), array, array.T, array[:0], array[:, :0],
        array.astype("O"), array.astype("U3"), array.astype("i8"), array.astype("c8"),
        np.zeros((), np.float32), np.full((3, 4), np.inf, np.float32), np.full((3, 4), 1e300),
        ["x"] * 10_000, [["x"]] * 3, ("a", "b"), *arrays,
    )  # fmt: skip


HOSTILE_OBJECTS = _hostile_objects()


def gensim_state(rng: random.Random, data: bytes) -> bytes:
    """Change the state of a `KeyedVectors`; `data` is the pickle of the state alone."""
    state = pickle.loads(data)
    if rng.random() < 0.5:
        key = rng.choice(list(state))
        state[key] = rng.choice((*HOSTILE_OBJECTS, *VALUES))
    else:
        state = mutate_tree(rng, state, (*HOSTILE_OBJECTS, *VALUES))
    return keyed_vectors(state)


def keyed_vectors(state: object) -> bytes:
    """Return the pickle of a gensim `KeyedVectors` with this state."""
    plain = pickle.dumps(state, protocol=2)
    new = b"cgensim.models.keyedvectors\nKeyedVectors\n)\x81"
    return plain[:2] + new + plain[2:-1] + b"b."


_OPCODES = (
    b"]", b"}", b")", b"N", b"\x88", b"(", b"0", b"1", b"2", b"a", b"e", b"s", b"u", b"t", b"l",
    b"d", b"R", b"b", b"\x81", b"\x85", b"\x86", b"\x87", b"\x92", b"\x93", b"\x90", b"\x91",
    b"\x8f", b".", b"\x94", b"Q", b"o", b"K\x07", b"h\x00", b"h\x05", b"q\x01",
    b"j\xff\xff\xff\x7f", b"r\xff\xff\xff\xff", b"J\xff\xff\xff\x7f",
    b"\x8a\x09" + b"\xff" * 9, b"G" + b"\x7f" * 8,
    b"X\xff\xff\xff\x7f", b"\x8d" + b"\xff" * 8, b"\x8e" + b"\x7f" * 8, b"\x96" + b"\xff" * 8,
    b"\x95" + b"\xff" * 8, b"T\xff\xff\xff\x7f", b"\x8b\xff\xff\xff\x7f", b"U\x03abc", b"I9\n",
    b"L" + b"9" * 5_000 + b"L\n", b"F1e999\n", b"V\\ud800\n", b"S'x'\n", b"P1\n", b"\x97", b"\x98",
    b"cbuiltins\neval\n", b"cnumpy\nndarray\n", b"cbuiltins\nlist\n", b"ccollections\ndeque\n",
    b"(cnumpy\nx\no", b"c_codecs\nencode\n", b"\x82\x01", b"\x84\xff\xff\xff\x7f",
    b"g99\n", b"p-1\n",
)  # fmt: skip


def pickle_opcodes(rng: random.Random, data: bytes) -> bytes:
    """Delete, repeat, exchange, replace and insert opcodes; now and then cut the file short."""
    starts = [position for _, _, position in pickletools.genops(data)]
    ends = [*starts[1:], len(data)]
    pieces = [data[start:end] for start, end in zip(starts, ends, strict=True)]
    for _ in range(rng.choice((1, 1, 2, 5))):
        position, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        change = rng.randrange(6)
        if change == 0:
            pieces[position] = b""
        elif change == 1:
            pieces[position] *= rng.choice((2, 2, 3, 1_000))
        elif change == 2:
            pieces[position], pieces[other] = pieces[other], pieces[position]
        elif change == 3:
            pieces[position] = rng.choice(_OPCODES)
        elif change == 4:
            pieces.insert(position, b"".join(rng.choices(_OPCODES, k=rng.randint(1, 4))))
        else:
            pieces[position] = some_bytes(rng, pieces[position])
    return b"".join(pieces)


# Text, XML, tables, bytes.


def words_and_numbers(rng: random.Random, data: bytes) -> bytes:
    """Change cells of a text file: delimited, key=value, or a header of two numbers."""
    pieces = re.split(rb"([\t\n ,;=]+)", data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        position, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        if rng.random() < 0.5:  # where headers are
            position = rng.randrange(min(len(pieces), 12))
        texts = (*TEXTS, *map(str, INTEGERS), "9" * 5_000, "1e999", "weight", "source", "target")
        value = rng.choice(texts).encode("utf-8", "surrogatepass")
        pieces[position] = rng.choice(
            (value, value, value, b"", pieces[other], pieces[position] * 2)
        )
    return b"".join(pieces)


_XML_PIECES = (
    b"<x>" * 100_000, b"<x>" * 300, b"<x>", b"</x>", b"<x/>", b"&lol;", b"&#0;", b"&#xD800;",
    b"&amp;", b"&#99999999999999;", b"<![CDATA[x]]>", b"<!--x-->", b"<?x y?>", b"]]>",
    b"<?xml version='1.0'?>",
    b'<!DOCTYPE a [<!ENTITY lol "lol">]>', b'<!DOCTYPE a SYSTEM "file:///etc/passwd">', b"x:y ",
    b"\0", b"\xff", b"a" * 10_000, b' xml:lang=""', b' lang="fr"', b"", b" ", b"9" * 5_000,
    b"1e999", b' encoding="utf-16"', b' encoding="x"', b' encoding="idna"', b' encoding="utf-7"',
)  # fmt: skip


def xml_file(rng: random.Random, data: bytes) -> bytes:
    """Change tags, attributes and texts: delete, repeat, exchange, replace, nest."""
    pieces = re.split(rb"(<[^\s>]+|>|\s[\w:]+=|\"[^\"]*\")", data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        position, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        piece = rng.choice(_XML_PIECES)
        changes = (b"", piece, pieces[other], pieces[position] * 2, pieces[position] + piece)
        pieces[position] = rng.choice((*changes, piece + pieces[position], b'"' + piece + b'"'))
        if rng.random() < 0.1:
            first, last = sorted((position, other))
            pieces[first:first] = pieces[first:last]
    return b"".join(pieces)


def stardict_index(rng: random.Random, data: bytes) -> bytes:
    """Change words, offsets and lengths of the index."""
    places = re.findall(rb"([^\0]*)\0(.{8})", data, re.DOTALL)
    rows = [[word, *struct.unpack(">II", numbers)] for word, numbers in places]
    numbers = tuple(number % 2**32 for number in INTEGERS)
    for _ in range(rng.choice((1, 1, 2, 4))):
        row = rng.choice(rows)
        column = rng.randrange(3)
        if column:
            row[column] = rng.choice((*numbers, row[column] + 1, row[column] - 1)) % 2**32
        else:
            row[0] = rng.choice((b"", b"\xff", b" ", b"\n", b"\t", b"a" * 10_000, b"\x1b[31m"))
    wide = rng.random() < 0.1
    return b"".join(w + b"\0" + struct.pack(">QI" if wide else ">II", s, n) for w, s, n in rows)


def gzipped(mutation: Mutation) -> Mutation:
    """Return the mutation for a compressed file: of its content, or now and then of the archive."""

    def changed(rng: random.Random, data: bytes) -> bytes:
        if rng.random() < 0.2:
            return some_bytes(rng, data)
        return gzip.compress(mutation(rng, gzip.decompress(data)), 1, mtime=0)

    return changed


def zipped(mutations: dict[str, Mutation]) -> Mutation:
    """Return the mutation for an archive: of one of these files inside, or now and then of it."""

    def changed(rng: random.Random, data: bytes) -> bytes:
        if rng.random() < 0.2:
            return some_bytes(rng, data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        for name, mutation in mutations.items():
            if name in files and rng.random() < 1.5 / len(mutations):
                files[name] = mutation(rng, files[name])
        if rng.random() < 0.1:
            files.pop(rng.choice(sorted(files)))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(name), content)
        return buffer.getvalue()

    return changed


def sheet_file(rng: random.Random, data: bytes) -> bytes:
    """Change elements, attributes and texts of a sheet: references, repeats, types, lengths."""
    pieces = re.split(rb'("[^"]*"|>[^<]+<)', data)
    values = (
        b"1048576", b"XFD1048576", b"ZZZZZZ9", b"A0", b"-1", b"99999999999", b"2000000000", b"",
        b"s", b"b", b"e", b"str", b"inlineStr", b"float", b"x" * 40_000, b"a;b" * 1_000, b"=1+1",
        b"&amp;#10;", b"_x0000_", b"_xD800_", b"1e999", b"nan", b"# x", b"source", b"English",
    )  # fmt: skip
    for _ in range(rng.choice((1, 1, 2, 5))):
        places = [place for place in range(1, len(pieces), 2) if pieces[place]]
        if not places:
            break
        place, value = rng.choice(places), rng.choice(values)
        start, end = pieces[place][:1], pieces[place][-1:]
        pieces[place] = start + rng.choice((value, value, pieces[place][1:-1] * 2)) + end
    return xml_file(rng, b"".join(pieces)) if rng.random() < 0.3 else b"".join(pieces)


def encoded(encoding: str, mutation: Mutation) -> Mutation:
    """Return the mutation for a text in an encoding: of the text, or now and then of the bytes."""

    def changed(rng: random.Random, data: bytes) -> bytes:
        if rng.random() < 0.3:
            return some_bytes(rng, data)
        text = mutation(rng, data.decode(encoding).encode()).decode("utf-8", "ignore")
        return text.encode(encoding, "ignore")

    return changed


def binary_numbers(rng: random.Random, data: bytes) -> bytes:
    """Overwrite numbers of the header of a binary file, of 4 or 8 bytes, or any bytes."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = 4 * rng.randrange(min(len(data) // 4, rng.choice((24, 24, len(data)))))
        width, value = rng.choice((1, 4, 8)), rng.choice((*INTEGERS, rng.randrange(2**16)))
        changed[start : start + width] = (value % 2 ** (8 * width)).to_bytes(width, "little")
    return bytes(changed)


_COLUMNS: tuple[Callable[[int], Any], ...] = (
    lambda n: arrow.array([1] * n),
    lambda n: arrow.array([2**63] * n, arrow.uint64()),
    lambda n: arrow.array([1.5] * n),
    lambda n: arrow.array([float("nan")] * n),
    lambda n: arrow.array([None] * n),
    lambda n: arrow.array([True] * n),
    lambda n: arrow.array(["x"] * n, arrow.large_string()),
    lambda n: arrow.array(["1e999"] * n),
    lambda n: arrow.array(["\0\n"] * n),
    lambda n: arrow.array([b"\xff"] * n),
    lambda n: arrow.array([["x", "y"]] * n),
    lambda n: arrow.array([{"a": 1}] * n),
    lambda n: arrow.array([0] * n, arrow.timestamp("ns")),
    lambda n: arrow.array([0] * n, arrow.date32()),
    lambda n: arrow.array([0] * n, arrow.time64("us")),
    lambda n: arrow.array(["x"] * n).dictionary_encode(),
    lambda n: arrow.array([None, *[1] * (n - 1)], arrow.decimal128(38, 30)),
    lambda n: arrow.Array.from_buffers(
        arrow.string(),
        n,
        [None, arrow.py_buffer(np.arange(n + 1, dtype="i4")), arrow.py_buffer(b"\xff" * n)],
    ),
)


def parquet_file(rng: random.Random, data: bytes) -> bytes:
    """Give columns other types, names and numbers; change the metadata or some bytes."""
    if rng.random() < 0.2:
        return some_bytes(rng, data)
    table = parquet.read_table(io.BytesIO(data))
    for _ in range(rng.choice((1, 1, 2))):
        column = rng.randrange(table.num_columns)
        change = rng.randrange(5)
        if change == 0:
            names = list(table.column_names)
            names[column] = rng.choice((*TEXTS[:6], *names))
            names[column] = names[column].replace("\ud800", "")
            table = table.rename_columns(names)
        elif change == 1 and table.num_columns > 1:
            table = table.remove_column(column)
        elif change == 2:
            facts = {k: some_bytes(rng, v) for k, v in (table.schema.metadata or {}).items()}
            table = table.replace_schema_metadata(facts)
        else:
            other = rng.choice(_COLUMNS)(table.num_rows)
            table = table.set_column(column, table.column_names[column], other)
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, store_schema=rng.random() < 0.5)
    return buffer.getvalue()


def some_bytes(rng: random.Random, data: bytes) -> bytes:
    """Flip, cut, insert, remove or repeat bytes, whatever they mean."""
    position = rng.randrange(len(data) + 1)
    size = rng.randint(1, 9)
    return rng.choice(
        (
            data[:position],
            data[:position] + rng.randbytes(size) + data[position:],
            data[:position] + rng.randbytes(size) + data[position + size :],
            data[:position] + data[position + size :],
            data[:position]
            + data[position : position + size] * rng.choice((2, 100))
            + data[position:],
        )
    )
