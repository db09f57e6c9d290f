"""A mail as files for people: the message itself, its HTML with the pictures inside, and a picture of that HTML."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import tempfile
from email.message import EmailMessage
from pathlib import Path

WIDTH_PX = 760
TIMEOUT_S = 60
LEAST_PX = 500
LOOKS = tuple((width_px, dark) for width_px in (360, 800) for dark in (False, True))
"""A telephone and a window, by day and by night."""
MEASURE = "<script>parent.postMessage(document.documentElement.scrollHeight, '*')</script>"
FRAME = """<html><script>onmessage = e => document.documentElement.setAttribute('data-height', e.data)</script><body style="margin:0;background:#888">
<iframe src="{page}" style="border:0;display:block;width:{width}px;height:{height}px"></iframe></body></html>"""


def text_of(message: EmailMessage) -> str:
    """The plain-text part."""
    part = message.get_body(("plain",))
    return str(part.get_content()) if part is not None else "(no text part)"


def html_of(message: EmailMessage) -> str | None:
    """The HTML part; pictures that it shows by Content-ID are put in, so that a browser shows what a mail client would."""
    part = message.get_body(("html",))
    if part is None:
        return None
    html = str(part.get_content())
    for picture in message.walk():
        cid = str(picture.get("Content-ID", "")).strip("<>")
        if cid and picture.get_content_maintype() == "image":
            payload = picture.get_payload(decode=True)
            data = base64.b64encode(payload if isinstance(payload, bytes) else b"").decode()
            html = html.replace(f"cid:{cid}", f"data:{picture.get_content_type()};base64,{data}")
    return html


def draw(html: Path, png: Path, width_px: int = WIDTH_PX, *, dark: bool = False) -> None:
    """A picture of a page, as high as the page is, by headless Chromium; raises ``RuntimeError`` with Chromium's words.

    A headless window has a least width of its own, so that a narrow page is drawn in a frame of its width.
    """
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
    with tempfile.TemporaryDirectory(prefix="gpualert-chromium-") as profile:
        measured = Path(profile) / "measured.html"
        measured.write_text(html.read_text() + MEASURE)
        framed = Path(profile) / "framed.html"
        framed.write_text(FRAME.format(width=width_px, height=600, page=measured.as_uri()))
        window_px = max(width_px, LEAST_PX)
        dom = _chromium(profile, "--dump-dom", f"--window-size={window_px},600", *scheme, framed.as_uri())
        found = re.search(r'data-height="(\d+)"', dom)
        height = min(int(found.group(1)) if found else 1600, 16000)
        framed.write_text(FRAME.format(width=width_px, height=height, page=html.resolve().as_uri()))
        size = f"--window-size={window_px},{height}"
        _chromium(profile, f"--screenshot={png.resolve()}", "--hide-scrollbars", size, *scheme, framed.as_uri())
    if not png.exists():
        raise RuntimeError(f"Chromium ended well but left no {png}")


def _chromium(profile: str, *options: str) -> str:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        raise RuntimeError("chromium is not installed: bash tests/testbed/install-packages.sh demo/packages.txt")
    argv = [
        program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}/profile", *options,
    ]
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"chromium ended with {done.returncode}: {done.stderr.strip()[-1500:]}")
    return done.stdout
