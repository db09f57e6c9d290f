"""The model of a mail as text and as HTML, from the two templates beside this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from gpualert_slurm.notify import words
from gpualert_slurm.notify.digest_view import DigestView
from gpualert_slurm.notify.inlined import InlinedLoader
from gpualert_slurm.notify.view import View
from gpualert_slurm.notify.wording import COLOURS

TEMPLATES = Path(__file__).parent / "templates"
MAX_HTML_BYTES = 80 * 1024
"""Gmail cuts a message at about 102 KB of HTML."""


@cache
def _environment(*, html: bool) -> jinja2.Environment:
    # Autoescape for the whole environment: select_autoescape() would not know a name that ends in .html.j2.
    environment = jinja2.Environment(
        loader=InlinedLoader(TEMPLATES) if html else jinja2.FileSystemLoader(TEMPLATES),
        autoescape=html,  # noqa: S701 - off for the text part only, where nothing is markup
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["bytes"] = words.size
    environment.globals["colours"] = {severity.value: colour for severity, colour in COLOURS.items()}
    return environment


def warm() -> None:
    """Parse the templates, and inline their styles, once, ahead of the first mail."""
    for html, name in ((False, "mail.txt.j2"), (True, "mail.html.j2"), (False, "digest.txt.j2"), (True, "digest.html.j2")):
        _environment(html=html).get_template(name)


def as_text(view: View | DigestView, template: str = "mail.txt.j2") -> str:
    """The text part: complete by itself, at most about 100 columns, one newline at the end."""
    text = _environment(html=False).get_template(template).render(view=view)
    lines = [line.rstrip() for line in text.split("\n")]
    kept = [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
    return "\n".join(kept).strip("\n") + "\n"


def as_html(view: View | DigestView, template: str = "mail.html.j2") -> str:
    """The HTML part: styles inlined, no script, no remote or data: resource; only the dark colours stay in a style block."""
    return _environment(html=True).get_template(template).render(view=view)
