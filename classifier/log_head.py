"""What logging libraries put before a message: a time, a level, the logger's name, in the orders that people give them.

Conventions read: Python's ``logging`` (``%(asctime)s - %(name)s - %(levelname)s - %(message)s``, ``LEVEL:name:``, ``name: ``), Hydra's
``[time][name][LEVEL] - ``, rich's ``[time] LEVEL file.py:12``, loguru's ``time | LEVEL | name:function:line - ``, glog's and absl's
``I1121 10:00:00.123456 77 file.py:12] ``, syslog's ``name[pid]: ``. A name says whose the line is, nothing of what it tells: a program may be
called ``load``. A bare word behind a level, with nothing that ends it, is taken for the message's.
"""

from __future__ import annotations

import re

_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,6})?"
_ENDS = r"(?:\s{0,3}[-|;,]\s{0,3}|\s{1,3}|(?=\[))"
_MINUTE = r"\d\d:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?!:)"
"""Behind a date seconds may be left out."""
_TIME = (
    rf"(?:[\[(]?\d{{4}}-\d\d-\d\d[ T]{_MINUTE}[^\s;|,\])]{{0,10}}[\])]?{_ENDS}|[\[(]?\d\d[-/]\d\d[ T]{_MINUTE}[\])]?{_ENDS}"
    rf"|[\[(]?{_CLOCK}[\])]?{_ENDS})"
)
_LEVEL = r"(?:INFO|DEBUG|NOTICE|info|debug)"
_SHORT = r"(?:INFO|DEBUG|NOTICE|info|debug|I)"
_NAME = r"[A-Za-z_][\w./]{0,60}"
_PLACE = r"[A-Za-z_][\w./]{0,60}:(?:[A-Za-z_<][\w<>.]{0,40}:)?\d{1,6}"
_OPEN, _SHUT = r"[\[(|<]?", r"[\])|>]?"
_GLOG = rf"[IWED]?\d{{4}} {_CLOCK}\s{{1,8}}(?:\d{{1,8}}\s)?(?:[IWED]\s{{1,3}})?[\w./]{{1,60}}(?::\d{{1,6}})?\]\s"
_LEVEL_FIRST = rf"(?:{_OPEN}{_LEVEL}{_SHUT}[\s:|;-]{{1,5}}(?=[\[(]?\d))?"
_HEAD = re.compile(
    rf"\s{{0,4}}(?:{_GLOG}"
    rf"|{_LEVEL_FIRST}(?:{_TIME})?"
    rf"(?:(?:INFO|DEBUG):[A-Za-z_][\w.]{{0,40}}:(?=\S)"  # logging's own default
    rf"|(?:[-|;]\s{{0,3}})?{_OPEN}{_NAME}{_SHUT}\s{{0,3}}[-:|;]?\s{{0,3}}{_OPEN}(?<![A-Za-z]){_LEVEL}(?![A-Za-z]){_SHUT}[\s:|;-]{{1,5}}(?=\S)"
    rf"|(?:{_OPEN}{_SHORT}{_SHUT}[\s:|;-]{{1,9}})?(?:{_OPEN}{_PLACE}{_SHUT}\s?[-:|]?\s{{1,3}}(?=\S)|{_NAME}(?:\[\d{{1,8}}\])?(?:(?:\s?[:|>-]|\])\s|\s?;\s?)(?=\S))?)"
    r")"
)


def log_head(text: str) -> str:
    """What stands before the message of a line; empty where nothing does."""
    found = _HEAD.match(text)
    return found[0] if found else ""
