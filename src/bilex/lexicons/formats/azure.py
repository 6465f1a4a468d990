"""Azure Translator: glossaries for documents, and terms marked up in a text.

"Use glossaries with Document translation": pairs, preferably tab-separated, one target for a
source, without a header in the example; case matters. "Azure Translator service limits": at most
10 MB (1 MB for synchronous requests). The dictionaries of Custom Translator are another thing:
"Document formats and naming convention guidance" does not list TSV, but TMX. "Dynamic dictionary"
describes the markup.
"""

from __future__ import annotations

from collections.abc import Iterable

from bilex.errors import SettingError
from bilex.lexicons.formats.delimited import fixed_table
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.glossary_file import PLAIN, GlossaryFile, tab_row
from bilex.lexicons.formats.xml_text import escape

_FILE = GlossaryFile(row=tab_row, checks=PLAIN, largest=10_000_000)

AZURE = Format(
    name="azure",
    extensions=(".azure.tsv",),
    summary="A glossary for documents in Azure Translator: one translation a word.",
    keeps=("source", "target"),
    render=_FILE.render,
    select=_FILE.select,
    table=fixed_table("\t"),
)


def mark_terms(text: str, matches: Iterable[tuple[int, int, str]]) -> str:
    """Mark up terms in a text with the translations that Azure Translator must use.

    The text itself is not changed or escaped. Azure needs the language of the text in the request,
    and says that this is safe only for names and other compound nouns: do not mark every word.

    Args:
        text: A text to send to Azure Translator.
        matches: Start, end and translation of each term, in any order.

    Raises:
        SettingError: If two terms overlap, a term is empty or outside the text, or a translation
            is empty or has control characters.

    Example:
        >>> mark_terms("The word wordomatic is new.", [(9, 19, "wordomatic")])[:44]
        'The word <mstrans:dictionary translation="wo'
    """
    pieces = []
    done = 0
    for start, end, target in sorted(matches):
        if not 0 <= start < end <= len(text):
            raise SettingError(
                f"a term is at {start} to {end}: expected places in the text, from 0 to {len(text)}"
            )
        if start < done:
            raise SettingError(f"two terms overlap at {start}: give one of them")
        if not target or not target.isprintable():
            raise SettingError(
                f"the translation of {text[start:end]!r} is {target!r}: expected a word"
            )
        pieces += [
            text[done:start],
            f'<mstrans:dictionary translation="{escape(target)}">{text[start:end]}'
            "</mstrans:dictionary>",
        ]
        done = end
    return "".join([*pieces, text[done:]])
