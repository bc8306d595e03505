"""HTML pages: the text a reader sees, with links and the structure of lists, tables and headings."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from surgeon.rewrite.parsed import Parsed
from surgeon.rewrite.prose import prose_records

_TAG = re.compile(r"<(?:!doctype html|html|head|body|div|p|span|table|ul|li|a|script|h[1-6])\b[^<>]{0,2000}>", re.IGNORECASE)
_SKIP = {"script", "style", "noscript", "svg", "template"}
_BREAK = {
    "p",
    "div",
    "br",
    "tr",
    "li",
    "ul",
    "ol",
    "table",
    "section",
    "article",
    "header",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "title",
    "pre",
}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._skip = 0
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIP:
            self._skip += 1
        elif tag in _BREAK:
            self.out.append("\n- " if tag == "li" else "\n" + "#" * int(tag[1]) + " " if re.fullmatch(r"h[1-6]", tag) else "\n")
        elif tag in ("td", "th"):
            self.out.append(" | ")
        elif tag == "a":
            self._links.append(dict(attrs).get("href") or "")
        elif tag == "img" and dict(attrs).get("alt"):
            self.out.append(f"[image: {dict(attrs)['alt']}]")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIP:
            self._skip = max(0, self._skip - 1)
        elif tag in _BREAK:
            self.out.append("\n")
        elif tag == "a" and self._links:
            link = self._links.pop()
            if link and not link.startswith(("#", "javascript:")):
                self.out.append(f" ({link})")

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.out.append(re.sub(r"\s+", " ", data))


def sniff(text: str) -> bool:
    """Many tags, for the length of the text."""
    sample = text[:20_000]
    return "<" in sample and len(_TAG.findall(sample)) >= max(4, len(sample) // 700)


def to_text(text: str) -> str:
    """The readable text of a page; scripts and styles are left out."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    lines = (re.sub(r"[ \t]+", " ", line).strip(" |") for line in "".join(reader.out).split("\n"))
    return "\n".join(line for line in lines if line and line != "-")


def parse(text: str, tool: str = "") -> Parsed | None:
    """An HTML page; None for other text."""
    if not sniff(text):
        return None
    shown = to_text(text)
    return Parsed("html", shown, tuple(prose_records(shown)), noun="sentences", dropped="markup, scripts and styles") if shown else None
