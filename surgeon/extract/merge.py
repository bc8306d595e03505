"""Merging a corrected part into the value it corrects, by the structure of the value."""

from __future__ import annotations

import re

_REGION = re.compile(r"^(?P<province>[\u4e00-\u9fff]{2,7}?(?:省|自治区))?(?P<city>[\u4e00-\u9fff]{2,6}?市)?(?P<district>[\u4e00-\u9fff]{1,6}?(?:区|县))?")
_HOUSE_ZH = re.compile(r"(?P<n>[\d零〇一二两三四五六七八九十百]+)(?=号)")
_HOUSE_EN = re.compile(r"(?<![\w])(?P<n>\d{1,5}[A-Za-z]?)(?=\s+[A-Z])")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def merge_address(old: str, new: str) -> str:
    """A new address that names no city (or province) keeps that of the old one, if the rest is not contradicted."""
    before, after = _REGION.match(old), _REGION.match(new)
    if before is None or after is None or not re.search(r"[\u4e00-\u9fff]", new):
        return new
    if after["city"] or after["province"]:
        return new
    lead = (before["province"] or "") + (before["city"] or "")
    if not after["district"]:
        lead += before["district"] or ""
    return lead + new


def patch_address(old: str, part: str) -> str | None:
    """The address with its house number replaced, or None if it has none."""
    for pattern in (_HOUSE_ZH, _HOUSE_EN):
        match = pattern.search(old)
        if match:
            return old[: match.start()] + part + old[match.end():]
    return None


def patch_number(old: str, new: str) -> str | None:
    """A value with one number in it, that number replaced; None if it has none or several."""
    found = _NUMBER.findall(old)
    return _NUMBER.sub(lambda _: new, old) if len(found) == 1 else None


def contains(value: str, part: str) -> bool:
    """Whether `part` stands in `value` as a word of its own (Chinese needs no boundary)."""
    if not part:
        return False
    if re.search(r"[\u4e00-\u9fff]", part):
        return part in value
    return re.search(rf"(?<![\w]){re.escape(part)}(?![\w])", value, re.I) is not None


def swap_in(value: str, old: str, new: str) -> str:
    """`value` with every whole-word `old` replaced by `new`."""
    if re.search(r"[\u4e00-\u9fff]", old):
        return value.replace(old, new)
    return re.sub(rf"(?<![\w]){re.escape(old)}(?![\w])", lambda _: new, value, flags=re.I)
