"""Recognisers for personal data in English text, in records with English keys, and for addresses of machines."""



from __future__ import annotations

import ipaddress
from collections.abc import Iterator

import regex

from surgeon.redact.patterns import NOT_AN_ID, Found, Pattern, pattern

_L, _R = r"(?<![A-Za-z0-9_])(?<!\d[-.])", r"(?![A-Za-z0-9_])(?!\.\d)"
_KEY = r"[\\\"']{1,2}\s{0,3}:\s{0,3}[\\\"']{1,2}"
_PHONE_WORD = r"(?:phone|mobile|cell|call|fax|tel|desk|text|dial|reach|number|contact|whatsapp|sms|ring|registered)"
_KIND = r"(?:Street|St|Road|Rd|Avenue|Ave|Av|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Courts|Place|Pl|Square|Sq|Terrace|Way|Close|Crescent|Parkway|Pkwy|Highway|Hwy|Row|Walk|Mews|Grove|Hill|Gardens|Quay|Alley|Circle|Cir|Trail|Rue|Via|Calle|Rúa|Strasse|Straße)"
_WORD = r"[\p{Lu}0-9][\p{L}\p{M}'’.-]{0,24}"
_FLAT = r"(?i:Apt|Apartment|Suite|Ste|Unit|Flat|Room)\.?\s?[A-Z]?\d{1,5}[A-Z]?"
_FLATS = _FLAT + r"(?:,?[ ]" + _FLAT + r")?"
_PLACE = r"(?:[ ]?,?[ \t]{0,2}\n?[ \t>]{0,3}(?:,[ ])?\p{Lu}[\p{L}\p{M}'’.-]{1,24}(?:[ ](?:(?:de|do|da|di|u|la|le|an|am|upon)[ ])?\p{Lu}[\p{L}\p{M}'’.-]{0,24}){0,3}(?:,[ ]nan)?)"
_ZIP = r"(?:,?[ \n]{1,2}(?:[A-Za-z]{2,3}[ ])?\d{4,5}(?!\d))"

_MONTH = regex.compile(r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\b")


def public_ip(value: str) -> bool:
    """A valid IP address that names a machine (not the loopback, not 0.0.0.0)."""
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def phone(value: str) -> bool:
    """Seven to fifteen digits that do not read as a date."""
    digits = [c for c in value if c.isdigit()]
    return 7 <= len(digits) <= 15 and not regex.fullmatch(
        r"(?:19|20)\d{2}[-. ]\d{1,2}[-. ]\d{1,2}(?:[ -]\d{1,2})*|\d{1,2}[-. ]\d{1,2}[-. ](?:19|20)\d{2}", value
    )


def _no_date(value: str) -> bool:
    """No month stands in it: sizes and dates of a file listing look like a house with its street."""
    return not _MONTH.search(value)


ENGLISH: tuple[Pattern, ...] = (
    pattern("EMAIL", "personal", r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}+@(?:[A-Za-z0-9-]{1,63}+\.){1,5}[A-Za-z]{2,24}", rank=8, needs=("@",)),
    pattern("IP", "personal", r"(?<![A-Za-z0-9_.-])(?:\d{1,3}\.){3}\d{1,3}(?![A-Za-z0-9_])(?!\.\d)", rank=6, check=public_ip, unless=regex.compile(r"(?:版本|version|ver\.?|release|v)[号是为:：= ]{0,3}$", regex.IGNORECASE)),
    pattern("IP", "personal", r"(?<![A-Za-z0-9_:.])(?:[0-9A-Fa-f]{1,4}:){2,7}(?::?[0-9A-Fa-f]{1,4}){1,7}(?![A-Za-z0-9_:])", rank=5, check=public_ip),
    pattern("MAC", "personal", r"(?<![A-Za-z0-9_:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![A-Za-z0-9_:-])", rank=7),
    pattern("PHONE", "number", _L + r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)\d{2,4}(?:[ .-]?\d{2,4}){1,4}" + _R, rank=5, check=phone, unless=NOT_AN_ID),
    pattern("PHONE", "number", r"(?<![A-Za-z0-9_+])\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}" + _R, rank=6, check=phone),
    pattern("PHONE", "number", _L + r"(?:1[-. ])?\d{3}[-. ]\d{3}[-. ]\d{4}(?:[ ]?(?:x|ext\.?)[ ]?\d{1,6})?" + _R, rank=6, check=phone, unless=NOT_AN_ID),
    pattern("PHONE", "number", _L + r"0?\d{1,4}(?:[ .-]\d{2,4}){2,5}" + _R, rank=5, check=phone, near=_PHONE_WORD, unless=NOT_AN_ID),
    pattern("PHONE", "number", _L + r"\d{9,11}" + _R, rank=5, near=r"(?:phone|mobile|cell|call|fax|tel|whatsapp|dial)\w{0,6}\W{0,3}(?:\w{2,3} ){0,2}\W{0,3}(?:at |on |is |to |no\.? |number )?\W{0,2}$", unless=NOT_AN_ID),
    pattern("PHONE", "number", r"\"[A-Za-z_]{0,20}(?:phone|mobile|telephone|fax)[A-Za-z_]{0,10}\"\s{0,3}:\s{0,3}\"(?P<v>[+()\d .-]{7,22})\"", rank=7, check=phone, flags=regex.IGNORECASE),
    pattern("US_SSN", "personal", _L + r"(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}" + _R, rank=7, unless=NOT_AN_ID),
    pattern("DRIVER_LICENSE", "personal", r"(?i:licen[cs]e)(?:\s(?:number|no\.?|num))?(?:\s(?:is|was))?[:\s#]{1,3}(?P<v>[A-Z]{0,2}[\d-]{6,16})" + _R, rank=6, near=r"driv"),
    pattern("PERSON", "personal", r"(?i:(?:first|last|middle|family|given|full|customer|holder|passenger|patient|employee|contact|sur)_?name|firstName|lastName)" + _KEY + r"(?P<v>\p{L}[\p{L}\p{M} .'’-]{0,60})[\\\"']", rank=7, needs=("name",)),
    pattern("DATE_OF_BIRTH", "personal", r"(?i:dob|date_?of_?birth|birth_?date|birthday)" + _KEY + r"(?P<v>[\d/. -]{6,12})", rank=7, needs=("dob", "birth")),
    pattern("DATE_OF_BIRTH", "personal", r"(?i:\bborn (?:on )?|\bdate of birth(?: is)?:? |\bDOB:? )(?P<v>\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}|\p{Lu}\p{Ll}{2,8} \d{1,2},? (?:19|20)\d{2}|\d{1,2} \p{Lu}\p{Ll}{2,8} (?:19|20)\d{2})", rank=7, needs=("born", "birth", "dob")),
    pattern("ADDRESS", "personal", r"(?i:(?:street|address|addr)(?:_?(?:line)?_?1)?|street_?address)" + _KEY + r"(?P<v>[^\"\\\n]{4,160})[\\\"']", rank=7, needs=("address", "addr", "street"), check=lambda v: any(c.isdigit() for c in v) and "@" not in v),
    pattern("ZIP_CODE", "personal", r"(?i:zip|zip_?code|postal_?code|postcode)" + _KEY + r"(?P<v>[A-Za-z0-9][A-Za-z0-9 -]{2,9})[\\\"']", rank=7, needs=("zip", "post")),
    pattern("ADDRESS", "personal", r"(?<![\w.-])\d{1,6}(?:[ ]\d{1,6})?[ ](?:" + _WORD + r"[ ]){1,4}" + _KIND + r"\b\.?(?:[ ]\d{1,5})?(?:,?\s{1,2}" + _FLATS + r")?(?:" + _PLACE + r"){0,2}" + _ZIP, rank=7),
    pattern("ADDRESS", "personal", r"(?<![\w.-])\d{1,6}(?:[ ]\d{1,6})?[ ](?:" + _WORD + r"[ ]){1,4}" + _KIND + r"\b\.?(?:[ ]\d{1,5})?(?:,?\s{1,2}" + _FLATS + r")?", rank=6),
    pattern("ADDRESS", "personal", r"(?<![\w.-])\d{2,6}[ ](?:[\p{L}\p{M}0-9'’.-]{1,25}[ ]){1,5}?(?:\d{1,5},?)?\s{0,2}" + _FLATS + r"(?:" + _PLACE + r"){0,3}" + _ZIP + r"?", rank=7, needs=("apt", "suite", "unit", "flat", "ste ")),
    pattern("ADDRESS", "personal", r"\d{1,6}[ ](?:" + _WORD + r"[ ]?){1,4}(?:\d{1,5})?\n[ \t>]{0,3}" + _FLATS + r"(?:" + _PLACE + r"){0,3}" + _ZIP + r"?", rank=7, needs=("apt", "suite", "unit", "flat")),
    pattern("ADDRESS", "personal", r"\b" + _FLAT, rank=4, needs=("apt", "suite")),
    pattern("ADDRESS", "personal", r"(?:(?:Unit|PSC) \d{1,5},? Box \d{1,5}|\p{Lu}{3,5} [\p{L}'’-]{2,24}|(?i:us[a-z]{1,3} [a-z'’-]{2,24}|unit \d{1,5} box \d{1,5}|psc \d{1,5},? box \d{1,5}))\s(?i:[adf]po,? a[aep] \d{5})", rank=8, needs=("apo ", "dpo ", "fpo ")),
    pattern("ADDRESS", "personal", r"(?<![\w.-])(?:\d{1,6}[ ]){0,2}(?i:rue|via|calle|rua|rúa|avenida|piazza|plaza|ulica|avenue|chemin|viale|corso|praça|strada)[ ](?:(?:de|da|do|di|del|della|la|le|du|des)[ ]){0,2}(?:(?:\p{Lu}|(?<=(?i:rue|avenue) (?:de|du|des) )\p{Ll})[\p{L}\p{M}'’.-]{1,24}[ ]?(?:(?:de|da|do|di)[ ])?){1,4}(?:\d{1,5}\b)?", rank=6, check=lambda v: any(c.isdigit() for c in v)),
    pattern("ADDRESS", "personal", r"(?<![\w.-])(?:\d{1,6}[ ]){0,2}(?:\p{Lu}[\p{L}\p{M}'’.-]{1,24}[ ]){0,2}[\p{L}\p{M}-]{2,24}(?:stra(?:ß|ss)e|str\.?|gasse|weg|platz|vej|veien|vegen|vei|gatan|gata|gade|katu|tie|straat|laan|plein|utca|stræde|brücke|allee)[ ]\d{1,5}\b", rank=6),
    pattern("ADDRESS", "personal", r"(?<![\w.-])\d{3,6}[ ](?:\p{Lu}[\p{L}\p{M}'’.-]{1,24}[ ]){1,3}(?:[a-z]{1,4}\.[ ])?\d{1,5}\b\.?(?:,?\s{1,2}" + _FLATS + r")?", rank=6, check=_no_date, unless=NOT_AN_ID),
    pattern("ADDRESS", "personal", r"(?<![\w.-])(?:\d{1,6}[ ]){0,2}(?:\p{Lu}[\p{L}\p{M}'’.-]{1,24}[ ]){1,3}(?:u|út|utca|ul|rkp|tér|str)\.[ ]\d{1,5}\b", rank=7),
    pattern("ADDRESS", "personal", r"(?i:the corner of )(?:\d{1,5}[ ])?[\p{L}\p{M}'’. -]{2,40}?(?:\d{1,5})?(?i: and )(?:\d{1,5}[ ])?(?:[\p{L}\p{M}'’.-]{2,24}[ ]?){1,3}", rank=8, needs=("the corner of",)),
)  # fmt: skip


_ONE = r"(?!(?:Suite|Apt|Unit)\b)\p{Lu}[\p{L}\p{M}'’-]{1,24}"
_FULL = _ONE + r"(?:[ ](?:" + _ONE + r"|\p{Lu}\.?(?![\p{L}\d]))){0,2}"
_TITLED = regex.compile(
    r"\b(?i:mr|mrs|ms|miss|dr|prof)\.?[ ](?P<v>" + _FULL + r")"
    r"|(?i:\b(?:my|his|her|your|whose|partner's|customer|guest|full) name(?: is|'s|:)? |\bI am called |\bcalls? me |\bdirected by:?[ ]{1,5}|\bwritten by:?[ ]|\bsigned,? |\bregards,?\s)(?P<v>"
    + _FULL
    + r")"
    r"|(?<![\p{L}\d.-])(?P<v>" + _ONE + r"[ ]\p{Lu}\.?[ ]" + _ONE + r")(?![\p{L}\d])"
    r"|(?:^|(?<=[.!?\n] ))(?P<v>" + _ONE + r")(?=(?: had given| lives (?:on|in|at) | is from |, (?:can|could|would|will|please) ))"
)
_NOT_NAMES = frozenset(
    [
        "I",
        "It",
        "He",
        "She",
        "We",
        "You",
        "They",
        "This",
        "That",
        "There",
        "Ok",
        "Okay",
        "Yes",
        "No",
        "Hi",
        "Hello",
        "Thanks",
        "Sure",
        "Sorry",
        "Please",
        "Well",
        "Who",
        "What",
        "The",
        "So",
        "And",
        "But",
        "Also",
        "If",
        "Then",
        "Great",
    ]
)


def titled(text: str) -> Iterator[Found]:
    """Names that a form of address, an introduction, a middle initial or a sentence frame gives away, which a small model may miss."""
    for match in _TITLED.finditer(text):
        start, end = match.span("v")
        if text[start:end].split()[0] not in _NOT_NAMES:
            yield Found(start, end, "PERSON", "personal", 6)
