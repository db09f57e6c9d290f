"""Styles inlined into a template are those that would be inlined into each mail made of it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notify import compose as composing
from gpualert_slurm.notify import inlined, render
from gpualert_slurm.notify.compose import compose
from gpualert_slurm.notify.digest import Digest, Kind, compose_digest
from tests.unit.notify.cases import CASES, MAIL, ZONE


class Page(HTMLParser):
    """A page as what a client makes of it: tags with their attributes and declarations in any order, and words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[object] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag."""
        plain = {name: value for name, value in attrs if name != "style"}
        style = sorted(re.sub(r"\s*([:,])\s*", r"\1", one).strip() for one in (dict(attrs).get("style") or "").split(";") if one.strip())
        self.parts.append((tag, plain, style))

    def handle_endtag(self, tag: str) -> None:
        """Its end."""
        self.parts.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        """Words between tags."""
        if words := re.sub(r"[ \n\t]+", " ", data).strip():
            self.parts.append(words)


def afterwards(view: object, template: str) -> str:
    """The page as it is when its styles are inlined after it was rendered."""
    own = render._environment(html=True)
    loader = jinja2.FileSystemLoader(render.TEMPLATES)
    plain = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    plain.filters.update(own.filters)
    plain.globals.update(own.globals)
    css = (render.TEMPLATES / "mail.css").read_text(encoding="utf-8")
    return inlined.inliner().inline(plain.get_template(template).render(view=view, css=css))


@pytest.fixture
def views(monkeypatch) -> list[tuple[object, str]]:
    """What is rendered, and by which template."""
    seen: list[tuple[object, str]] = []
    real = render.as_html

    def spy(view: object, template: str = "mail.html.j2") -> str:
        seen.append((view, template))
        return real(view, template)

    monkeypatch.setattr(composing, "as_html", spy)
    monkeypatch.setattr("gpualert_slurm.notify.digest.as_html", spy)
    return seen


@pytest.mark.parametrize("name", CASES)
def test_a_mail_is_the_same_page(views, name):
    """Every tag, attribute, style and word."""
    compose(*CASES[name](), MAIL, zone=ZONE)
    for view, template in views:
        assert Page(render.as_html(view, template)).parts == Page(afterwards(view, template)).parts


def test_a_digest_is_the_same_page(views):
    """One of every kind of verdict."""
    verdicts = [CASES[name]()[0] for name in CASES]
    compose_digest(verdicts, Digest("digest.array.1-9.0123456789abcdef", Kind.ARRAY, ("alice@example.org",)), MAIL)
    assert views
    for view, template in views:
        assert Page(render.as_html(view, template)).parts == Page(afterwards(view, template)).parts


def test_jinja_comes_through_as_it_was():
    """In words, in a tag, in a title, in a table between rows, and with what HTML would take for tags."""
    source = (
        '<html><head><title>{{ a }}</title><style>{{ css | safe }}</style></head><body><p class="x y-{{ b }}" title="{{ c }}">{% if d > 1 %}{{ "<b>" }}{% endif %}</p>'
        '<table>{% for e in f %}<tr><td>{{ e }}</td></tr>{% endfor %}</table></body></html>'
    )
    made = inlined.inlined(source, ".x { color: red } td { margin: 0 }")
    assert re.findall(r"\{[{%].*?[}%]\}", made) == [one for one in re.findall(r"\{[{%].*?[}%]\}", source) if "css" not in one]
    assert 'style="color:red"' in made.replace(" ", "").replace("style=", " style=")
    assert "<tbody>{% for e in f %}<tr>" in made or "{% for e in f %}<tbody><tr>" in made


@given(st.text(min_size=1, max_size=60).filter(str.isprintable))
def test_words_of_a_job_stay_words(text):
    """Whatever they are, they are escaped, and read back as they were."""
    made = jinja2.Environment(autoescape=True).from_string(inlined.inlined("<html><body><p>{{ a }}</p></body></html>", "")).render(a=text)
    assert "".join(str(part) for part in Page(made).parts if isinstance(part, str) and not part.startswith("/")) == re.sub(r"[ \n\t]+", " ", text).strip() or text.startswith("/")
    assert made.count("<p") == 1
