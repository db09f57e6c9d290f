"""Templates whose style sheet is inlined into them when they are loaded, not into each mail, of whose HTML that was the dearest part."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import css_inline
import jinja2

JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
TAG = re.compile(r"<title>[^<]*</title>|<[A-Za-z][^<>]*>")
HIDDEN = re.compile(r"<!--\ue000(\d+)\ue001-->|\ue000(\d+)\ue001")
"""A piece of Jinja while HTML is parsed: a comment, which may stand everywhere; in a tag or a title the bare characters, of private use."""
STYLE_SHEET = "{{ css | safe }}"


class InlinedLoader(jinja2.BaseLoader):
    """Loads HTML templates of ``folder`` with its ``mail.css`` inlined where a template says ``{{ css | safe }}``.

    An element's styles are those that its tag, its classes and its ancestors have in the file: a class that is put together when a mail is made
    (``kicker-{{ severity }}``) has none of its own here, a macro stands where what it holds is to be shown, and what HTML would add by itself
    (``tbody``) is written out, or it would land in whatever is inside a condition.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:  # noqa: ARG002 - Jinja's own
        """The source, and where it lies. Raises jinja2.TemplateNotFound."""
        path = self._folder / template
        try:
            source = path.read_text(encoding="utf-8")
            css = (self._folder / "mail.css").read_text(encoding="utf-8")
        except OSError as error:
            raise jinja2.TemplateNotFound(template) from error
        return inlined(source, css), str(path), None


@cache
def inliner() -> css_inline.CSSInliner:
    """What inlines a whole page; ``@media`` rules stay in a style block."""
    return css_inline.CSSInliner(load_remote_stylesheets=False, keep_style_tags=False, keep_at_rules=True, minify_css=True)


def inlined(source: str, css: str) -> str:
    """The template with the styles of ``css`` inlined, its Jinja as it was."""
    pieces: list[str] = []

    def hide(piece: re.Match[str]) -> str:
        pieces.append(piece[0])
        return f"\ue000{len(pieces) - 1}\ue001"

    hidden = JINJA.sub(hide, source.replace(STYLE_SHEET, css))
    tags = [tag.span() for tag in TAG.finditer(hidden)]
    parts, at = [], 0
    for begin, end in [*tags, (len(hidden), len(hidden))]:
        parts += [HIDDEN.sub(r"<!--\g<0>-->", hidden[at:begin]), hidden[begin:end]]
        at = end
    return HIDDEN.sub(lambda found: pieces[int(found[1] or found[2])], inliner().inline("".join(parts)))
