"""Names and codes of languages, by which the header of a table is recognized."""

from __future__ import annotations

import re
import unicodedata

_LANGUAGES = """
af afr | Afrikaans
am amh | Amharic, አማርኛ
ar ara | Arabic, العربية, عربي
az aze | Azerbaijani, Azərbaycan dili, Azərbaycanca
be bel | Belarusian, Беларуская
bg bul | Bulgarian, Български
bn ben | Bengali, Bangla, বাংলা
br bre | Breton, Brezhoneg
bs bos | Bosnian, Bosanski
ca cat | Catalan, Català
cs ces cze | Czech, Čeština, Česky
cy cym wel | Welsh, Cymraeg
da dan | Danish, Dansk
de deu ger | German, Deutsch
el ell gre | Greek, Ελληνικά
en eng | English
eo epo | Esperanto
es spa | Spanish, Español, Castellano
et est | Estonian, Eesti
eu eus baq | Basque, Euskara
fa fas | Persian, Farsi, فارسی
fi fin | Finnish, Suomi
fo fao | Faroese, Føroyskt
fr fra fre | French, Français
fy fry | Frisian, Frysk
ga gle | Irish, Gaeilge
gd gla | Scottish Gaelic, Gàidhlig
gl glg | Galician, Galego
gu guj | Gujarati, ગુજરાતી
ha hau | Hausa
he heb | Hebrew, עברית
hi hin | Hindi, हिन्दी
hr hrv | Croatian, Hrvatski
hu hun | Hungarian, Magyar
hy hye arm | Armenian, Հայերեն
id ind | Indonesian, Bahasa Indonesia
ig ibo | Igbo
is isl ice | Icelandic, Íslenska
it ita | Italian, Italiano
ja jpn | Japanese, 日本語
ka kat geo | Georgian, ქართული
kk kaz | Kazakh, Қазақша
km khm | Khmer, ខ្មែរ
kn kan | Kannada, ಕನ್ನಡ
ko kor | Korean, 한국어
ku kur | Kurdish, Kurdî
la lat | Latin, Latina
lb ltz | Luxembourgish, Lëtzebuergesch
lt lit | Lithuanian, Lietuvių
lv lav | Latvian, Latviešu
mi mri mao | Maori, Māori
mk mkd mac | Macedonian, Македонски
ml mal | Malayalam, മലയാളം
mn mon | Mongolian, Монгол
mr mar | Marathi, मराठी
ms msa may | Malay, Bahasa Melayu
mt mlt | Maltese, Malti
my mya bur | Burmese, မြန်မာ
ne nep | Nepali, नेपाली
nl nld dut | Dutch, Nederlands, Flemish, Vlaams
no nor | Norwegian, Norsk
nb nob | Bokmål, Norwegian Bokmål
nn nno | Nynorsk, Norwegian Nynorsk
oc oci | Occitan, Lenga d'òc
pa pan | Punjabi, ਪੰਜਾਬੀ
pl pol | Polish, Polski
ps pus | Pashto, پښتو
pt por | Portuguese, Português
qu que | Quechua, Runasimi
ro ron rum | Romanian, Română
ru rus | Russian, Русский
si sin | Sinhala, සිංහල
sk slk slo | Slovak, Slovenčina
sl slv | Slovene, Slovenian, Slovenščina
so som | Somali, Soomaali
sq sqi alb | Albanian, Shqip
sr srp | Serbian, Српски, Srpski
sv swe | Swedish, Svenska
sw swa | Swahili, Kiswahili
ta tam | Tamil, தமிழ்
te tel | Telugu, తెలుగు
th tha | Thai, ไทย
tl tgl | Tagalog, Filipino
tr tur | Turkish, Türkçe
uk ukr | Ukrainian, Українська
ur urd | Urdu, اردو
uz uzb | Uzbek, Oʻzbekcha
vi vie | Vietnamese, Tiếng Việt
xh xho | Xhosa, isiXhosa
yi yid | Yiddish, ייִדיש
yo yor | Yoruba, Yorùbá
zh zho chi | Chinese, Mandarin, 中文, 汉语, 漢語
zu zul | Zulu, isiZulu
"""

_WORDS_TOO = """
    af al am ar as az be bi br da de el en es et eu fa fi fo ga gl ha he hi hy id ig il in is it
    ka ko ku la lb li lo ma me mi ml mn mr ms mt my na ne no nu oc om or pa pt si so sa se su sv
    ta te ti tl to tu un ur us uz vi yo
    ara arm ben bel bur cat dan dut est fin geo gel hun ice ind ita lat lit mac mal mao mar may
    mon mis nob nor pan pol por pus que rum sin slo som tam tel tur wel swe
""".split()  # noqa: SIM905 - shorter than a list
"""Codes that are also words: alone, they do not show that a row is a header."""

LONGEST_NAME = 100
"""Characters of a header cell that are compared with names."""

_BRACKETS = re.compile(r"[\s_\-./:()\[\]]+")


def normalized(text: str) -> str:
    """Return a header cell in lower case, its words with one space between them.

    Example:
        >>> normalized(" Français_(FR) ")
        'français fr'
    """
    text = unicodedata.normalize("NFC", text[:LONGEST_NAME]).lower()
    return _BRACKETS.sub(" ", text).strip()


def _tables() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    names: dict[str, str] = {}
    codes: dict[str, str] = {}
    english: dict[str, str] = {}
    for line in _LANGUAGES.strip().split("\n"):
        given, _, called = line.partition(" | ")
        code, *others = given.split(" ")
        codes |= dict.fromkeys((code, *others), code)
        names |= dict.fromkeys(map(normalized, called.split(", ")), code)
        english[code] = called.partition(",")[0]
    return names, codes, english


_NAMES, _CODES, _ENGLISH = _tables()


def language_of_name(text: str) -> str | None:
    """Return the two-letter code of a language named in English or in itself.

    Example:
        >>> language_of_name("Deutsch"), language_of_name("dog")
        ('de', None)
    """
    return _NAMES.get(normalized(text))


def language_of_code(text: str) -> str | None:
    """Return the two-letter code of a language given as a code of two or three letters."""
    return _CODES.get(normalized(text))


def english_name(code: str) -> str | None:
    """Return the English name of a language given as a code of two or three letters.

    Example:
        >>> english_name("deu"), english_name("x")
        ('German', None)
    """
    return _ENGLISH.get(_CODES.get(normalized(code), ""))


def is_clearly_a_code(text: str) -> bool:
    """Return whether a text is the code of a language and unlikely to be a word."""
    is_capital = text.strip().isupper() and len(text.strip()) > 1
    return language_of_code(text) is not None and (is_capital or normalized(text) not in _WORDS_TOO)
