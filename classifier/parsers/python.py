"""CPython: tracebacks (chained, grouped, in threads and children), bare exception lines."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.meaning import HARDWARE, Meaning, meaning_of, specific
from gpualert_slurm.classifier.pattern import MAX_TEXT, Data, Match, Parser, Pattern, Story, refined
from gpualert_slurm.classifier.reading import of_what
from gpualert_slurm.classifier.underway import after_steps
from gpualert_slurm.evidence import Role

_HEADER = re.compile(r"Traceback \(most recent call last\):")
_FRAME = re.compile(r'^ {1,12}File "(?P<file>[^"]{1,512})", line (?P<line>\d{1,9})(?:, in (?P<function>.{1,200}))?')
_ERROR = re.compile(r"^(?P<type>(?:(?:[A-Za-z_]\w{0,80}|<locals>|<lambda>)\.){0,8}[A-Za-z_]\w{0,100})(?::(?: (?P<message>.{0,4000}))?)?$")
_SURE = re.compile(r"(?:Error|Exception|Interrupt|SystemExit|StopIteration|Timeout|Warning|Failure|Fault|Aborted|Exit|Invalid|Empty|Full|Killed)$")
_CHAIN = (
    ("direct_cause", "The above exception was the direct cause of the following exception:"),
    ("during_handling", "During handling of the above exception, another exception occurred:"),
)
_PACKAGE = re.compile(r"(?:site|dist)-packages/(?P<path>[\w./-]{1,200})$")
_LIBRARY = re.compile(
    r"site-packages|__autograph_generated_file|\.px[di]$|\.pyx$|dist-packages|/lib/python3|/lib64/python3|^<frozen|[/\\]torch[/\\]|importlib"
    r"|runpy\.py$|multiprocessing[/\\]",
)
_PATH = re.compile(r"['\"]([^'\"\s]{1,300}[./][^'\"\s]{1,100})['\"]")
_GROUP = re.compile(r"^\s{0,40}[|+] ?(?:-\+-{3,40} \d{1,4} -{3,40})?")
_NOISE = re.compile(r"Exception ignored (?:in|on)|Error in atexit\._run_exitfuncs|--- Logging error ---|Exception ignored in sys\.unraisablehook")
_WRAPPERS = re.compile(
    r"(?:ChildFailedError|CalledProcessError|ProcessExitedException|ProcessRaisedException|BrokenProcessPool|WorkerCrashedError|RayTaskError)$"
)
_CASCADES = re.compile(r"^(?:BrokenPipeError|ConnectionResetError|ConnectionRefusedError|ConnectionAbortedError|ConnectionError)$")
_ENDED, _WIRES = re.compile(r"(?:^|\.)(?:EOFError|IncompleteReadError)$"), ("multiprocessing/connection.py", "asyncio/streams.py")
"""What is raised there where the process at the other end is gone."""
_PEER_LOST = re.compile(
    r"remote process exited or there was a network error|Connection reset by peer|Connection closed by (?:remote )?peer|Broken pipe"
    r"|recvValue failed|NCCL communicator was aborted"
    r"|taking the entire process down|DataLoader worker \(pid\(s\) [\d, ]+\) exited unexpectedly|failed to recv, got 0 bytes"
)
_DEFERRED = re.compile(r"^(?:(?:in user code|Graph execution error):|An error occurred while executing the following cell:)$")
"""TensorFlow's first lines, and nbclient's: what happened stands behind a list of the graph's frames, or behind the cell."""
_OF_CELLS = "PapermillExecutionError"
"""Its message is IPython's story of the cell, which begins on the next line."""
_GOES_ON = re.compile(r"(?::|Couldn't cast)$|(?:Client|Server) Error\b")
"""First lines of messages that go on for several lines, whatever stands at their beginning."""
_SAID_LATER = re.compile(r"^(?: {4}[\w.]{1,120}(?:Error|Exception): (?P<inner>.{1,2000})|(?P<node>Node: '[^']{1,400}'))")
MAX_TAIL_LINES = 40
MAX_MESSAGE_LINES = 8
"""Lines of a message that goes on, where its first line says so."""
MAX_DEFERRED_LINES = 400
MAX_STRAY_LINES = 60
MOST_FRAMES = 200


class Traceback:
    """Follows one writer's traceback, and those chained to it, to the line that names the exception."""

    def __init__(self, opening: Line, name: str) -> None:
        self.name = name
        self.grouped = "Exception Group" in opening.text
        self.links: list[Match] = []
        self.relations: list[str] = []
        self._new_link()

    def _new_link(self) -> None:
        self.frames: list[tuple[str, int, str]] = []
        self.code: dict[int, str] = {}
        """The source line that each frame shows, by its place."""
        self.behind: str | None = None
        """A frame's function that is called only after steps."""
        self.named = False
        self.tight = False
        self.stray = 0
        self.after = 0
        self.deferred = False
        self.long = False
        self.at_node = False
        self.relation: str | None = None

    def take(self, line: Line) -> bool:
        """Feed the next line; False when the traceback is over."""
        text = line.text
        if self.grouped:
            text = _GROUP.sub("", text)
        return self._tail(text) if self.named else self._body(line, text)

    def _body(self, line: Line, text: str) -> bool:
        if _HEADER.search(text):
            self.frames.clear()
            self.code.clear()
            self.behind = None
            self.tight = False
            return True
        frame = _FRAME.match(text)
        if frame:
            self.behind = after_steps(frame["function"] or "", self.behind)
            self.frames.append((frame["file"], int(frame["line"]), (frame["function"] or "").strip()))
            if len(self.frames) > MOST_FRAMES:
                del self.frames[0]
                self.code = {at - 1: text for at, text in self.code.items()}
            self.tight = True
            return True
        if not text.strip():
            return True
        if text[0] in " \t":
            if self.frames:
                self.code.setdefault(len(self.frames) - 1, text.strip()[:200])
            return True
        error = _ERROR.match(text.rstrip())
        if error and (self._is_error(error["type"])):
            self._name(line, error)
            return True
        self.tight = False
        self.stray += 1
        return self.stray <= MAX_STRAY_LINES

    def _is_error(self, name: str) -> bool:
        last = name.rsplit(".", 1)[-1]
        return bool(_SURE.search(last)) or (self.tight and ("." in name or (last[:1].isupper() and not last.isupper())))

    def _name(self, line: Line, error: re.Match[str]) -> None:
        self.named = True
        message = (error["message"] or "").strip()
        data: Data = {"type": error["type"], "message": message[:MAX_TEXT]}
        frame = next((f for f in reversed(self.frames) if _of_user(f)), self.frames[-1] if self.frames else None)
        if frame:
            data.update(file=frame[0], frame_line=frame[1], function=frame[2])
        doing = " ".join(f"{f[0].rsplit('/', 1)[-1]} {f[2]} {self.code.get(at, '')}" for at, f in enumerate(self.frames) if _of_user(f))
        if doing:
            data["doing"] = doing[-MAX_TEXT:]
        if self.behind:
            data["behind"] = self.behind[:60]
        package = _PACKAGE.search(self.frames[-1][0]) if self.frames else None
        if package:
            data["raised_in"] = package["path"]
        if _ENDED.search(error["type"]) and self.frames and self.frames[-1][0].endswith(_WIRES):
            data["of_a_peer"] = True
        self.deferred = bool(_DEFERRED.match(message)) or (not message and error["type"].endswith(_OF_CELLS))
        self.long = bool(_GOES_ON.search(message))
        self.links.append(Match("exception", Role.ROOT, line, self.name, data=data))

    def _tail(self, text: str) -> bool:
        for relation, words in _CHAIN:
            if words in text:
                self.relation = relation
                return True
        if _HEADER.search(text):
            if self.relation is not None or "Original Traceback" in text or self.grouped:
                relation = self.relation or ("original" if "Original" in text else "group")
                self.relations.append(relation)
                self._new_link()
                return True
            return False
        self.after += 1
        if self.deferred:
            return self._later(text)
        if self.relation is None and self.after <= MAX_MESSAGE_LINES and text.strip() and not _FRAME.match(text):
            if text[0] not in " \t" and self.after > (MAX_MESSAGE_LINES if self.long else 3):
                return self.grouped and self.after < MAX_TAIL_LINES
            last = self.links[-1]
            told = str(last.data.get("more", ""))
            if len(told) < MAX_TEXT:
                self.links[-1] = refined(last, data={"more": f"{told} {text.strip()}".strip()[:MAX_TEXT]})
        return self.after < MAX_TAIL_LINES

    def _later(self, text: str) -> bool:
        """The lines behind a message that says nothing yet, up to the one that does."""
        found = _SAID_LATER.match(text)
        if (cell := _ERROR.match(text.rstrip())) and ":" in text and "." not in cell["type"] and _SURE.search(cell["type"]):
            self.links[-1] = refined(self.links[-1], data={"type": cell["type"], "message": (cell["message"] or "")[:MAX_TEXT]})
            self.deferred = False
            return self.after < MAX_DEFERRED_LINES
        if self.at_node or (found and found["inner"]):
            message = found["inner"] if found and found["inner"] else text.strip()
            self.links[-1] = refined(self.links[-1], data={"message": message[:MAX_TEXT]})
            self.deferred = False
        self.at_node = bool(found and found["node"])
        return self.after < MAX_DEFERRED_LINES

    def close(self) -> list[Match]:
        """The last exception of the chain is the one that ended the process; the earlier ones confirm."""
        if not self.links:
            return []
        if self.grouped and len(self.links) > 1:
            group, members = self.links[0], self.links[1:]
            return [told(members[0]), refined(told(group), says="chained_exception", role=Role.WRAPPER)]
        last = told(self.links[-1])
        if self.relations and self.relations[-1] == "original":  # a worker's exception raised again by its parent
            origin = told(self.links[-1])
            outer = self.links[-2] if len(self.links) > 1 else None
            more = [refined(told(outer), says="chained_exception", role=Role.WRAPPER)] if outer else []
            return [origin, *more]
        earlier = [told(link) for link in self.links[:-1]]
        if last.role is Role.CASCADE and any(link.role is Role.ROOT for link in earlier):
            root = next(link for link in reversed(earlier) if link.role is Role.ROOT)
            return [root, refined(last, says="chained_exception")]
        last = _from_chain(last, earlier)
        return [*(refined(link, says="chained_exception", role=Role.CONFIRMATION) for link in earlier), last]


def _of_user(frame: tuple[str, int, str]) -> bool:
    """Whether a frame is of the user's own code; a dataclass's generated ``__init__`` is not."""
    return not _LIBRARY.search(frame[0]) and not (frame[0] == "<string>" and frame[2] == "__init__")


_VAGUE = frozenset({"dataset_generation", "unknown_model"})
"""Finer names that only say where it happened: what the chain names before them says why."""


_ENDED_BY = frozenset({"offline_cache_miss"})
"""Finer names that the last of a chain tells whole: what transformers raises for a cache that lacks a model is no missing file."""


def _from_chain(last: Match, earlier: list[Match]) -> Match:
    """The exception that ended the process, with what an earlier one of its chain says better: the cause, the finer name, the place."""
    for link in reversed(earlier):
        if link.data.get("type") == last.data.get("type") and link.data.get("message") == last.data.get("message"):
            last = refined(last, data={k: link.data[k] for k in ("file", "frame_line", "function") if k in link.data})  # a worker's, raised again
        if link.detail == last.detail and last.detail in _VAGUE | _ENDED_BY:
            return last
        better = link.detail is not None and link.detail not in _VAGUE and last.detail in _VAGUE
        if better or (not specific(last.cause) and specific(link.cause)):
            data: Data = {"about": link.data.get("about", ""), "because": link.data.get("type", "")}
            return refined(last, cause=link.cause, detail=link.detail, data=data)
    return last


def told(match: Match) -> Match:
    """An exception with its meaning, its role and where it counts, from its type and words."""
    kind, message = str(match.data.get("type", "")), str(match.data.get("message", ""))
    words = f"{message} {match.data.get('more', '')}".strip()
    if _WRAPPERS.search(kind):
        return refined(match, role=Role.WRAPPER)
    if kind.rsplit(".", 1)[-1] in {"KeyboardInterrupt", "SystemExit", "SignalException"}:
        return refined(match, role=Role.CASCADE, detail="interrupted")
    doing = f"{match.data.get('doing', '')} {' '.join(_PATH.findall(message))}"
    meaning: Meaning = of_what(meaning_of(kind, message), doing, kind, str(match.data.get("raised_in", "")))
    if words != message:
        fuller = meaning_of(kind, words)
        full = meaning.cause is Cause.NCCL and fuller.cause is Cause.CUDA_OOM  # what NCCL was refused it says last
        if fuller.detail in HARDWARE or (not specific(meaning.cause) and (specific(fuller.cause) or fuller.detail)) or full:
            meaning = fuller
    if not meaning.detail and not specific(meaning.cause) and match.data.get("raised_in"):  # a bare KeyError of a library says little by itself
        placed = meaning_of(kind, f"{message} (raised in {match.data['raised_in']})")
        meaning = placed if placed.detail else meaning
    peer_lost = bool(_PEER_LOST.search(words) or match.data.get("of_a_peer")) or (_CASCADES.search(kind) is not None and not specific(meaning.cause))
    data: Data = {"about": meaning.about} if meaning.about else {}
    waited = meaning.detail == "collective_timeout"  # who says so was waiting for somebody else
    role = Role.CASCADE if (peer_lost or waited) and meaning.detail not in HARDWARE else match.role
    return refined(match, cause=meaning.cause, detail=meaning.detail, role=role, data=data)


class NoisyTraceback(Traceback):
    """A traceback the interpreter prints and survives: finalisers, atexit, logging."""

    def close(self) -> list[Match]:
        """Never a root."""
        return [refined(match, role=Role.AFTER_SUCCESS if match.role is Role.ROOT else match.role) for match in super().close()]


def _bare(found: re.Match[str], match: Match) -> Match | None:
    return told(refined(match, data={"bare": True, "message": (found["message"] or "").strip()[:MAX_TEXT]}))


_TRACE = (
    'Traceback (most recent call last):\n  File "/home/u/train.py", line 10, in <module>\n    data = open(path)\n'
    "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'\n"
)
PARSER = Parser(
    program="CPython",
    stories=(
        Story(
            name="ignored",
            opens=_NOISE.pattern,
            literals=("Exception ignored", "Error in atexit", "--- Logging error"),
            collect=NoisyTraceback,
            samples=("Error in atexit._run_exitfuncs:\n" + _TRACE, "Exception ignored in: <function Pool.__del__ at 0x7f>\n" + _TRACE),
            near_misses=("an exception was ignored in the loader",),
        ),
        Story(
            name="traceback",
            opens=_HEADER.pattern,
            literals=("Traceback (most recent call last)",),
            collect=Traceback,
            samples=(
                _TRACE,
                'Traceback (most recent call last):\n  File "/home/u/train.py", line 52, in main\n    raise ShardError(3)\nmain.<locals>.ShardError: shard 3 is cut\n',
                "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named 'nosuchmodule'\n",
                (
                    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    x = d["k"]\n        ~^^^^^\nKeyError: \'k\'\n\nDuring handling of the above'
                    ' exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "a.py", line 9, in <module>\nRuntimeError: no k\n'
                ),
                (
                    '  + Exception Group Traceback (most recent call last):\n  |   File "g.py", line 2, in <module>\n  | ExceptionGroup: two (2 sub-exceptions)\n'
                    '  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File "g.py", line 1, in f\n    | ValueError: bad\n'
                    "    +------------------------------------\n"
                ),
            ),
            near_misses=("the Traceback (most recent) was written to a file",),
        ),
    ),
    patterns=(
        Pattern(
            name="bare_exception",
            says="exception",
            role=Role.ROOT,
            regex=r"^(?P<type>(?:(?:[A-Za-z_]\w{0,60}|<locals>)\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Interrupt))(?::(?: (?P<message>.{0,2000}))?)$",
            literals=("Error:", "Exception:"),
            samples=(
                "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
                "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
                "main.<locals>.ShardError: shard 3 is cut",
            ),
            near_misses=("see <locals>.ShardError: it is raised here", "UserWarning: the optimizer was not called", "see ValueError: in the docs", "loss_error: 0.3", "  raise ValueError: x"),
            read=_bare,
            alone=True,
        ),
        Pattern(
            name="no_interpreter",
            says="launch_refused",
            role=Role.ROOT,
            regex=r"^\S{0,200}python[\d.]{0,6}: can't open file '(?P<path>[^']{1,300})': \[Errno (?P<errno>\d{1,3})\]",
            literals=(": can't open file '",),
            samples=(
                "python: can't open file '/home/u/trian.py': [Errno 2] No such file or directory",
                "/usr/bin/python3.11: can't open file 'x.py': [Errno 2] No such file or directory",
            ),
            near_misses=("note: can't open file 'x' now",),
            cause=Cause.FILE_NOT_FOUND,
            detail="script_missing",
        ),
        Pattern(
            name="no_module_main",
            says="launch_refused",
            role=Role.ROOT,
            regex=r"^\S{0,200}python[\d.]{0,6}: (?:Error while finding module specification|No module named) ?(?P<module>\S{0,200})",
            literals=(": No module named ", ": Error while finding module"),
            samples=("/usr/bin/python3: No module named torchrun", "python: No module named accelerate.commands.launch"),
            near_misses=("ModuleNotFoundError: No module named 'x'",),
            cause=Cause.MISSING_MODULE,
        ),
        Pattern(
            name="usage_error",
            says="usage",
            role=Role.ROOT,
            regex=r"^(?P<program>\S{1,80}(?: [\w./-]{1,30}){0,3}): error: (?P<message>(?:unrecognized arguments|the following arguments are required|argument \S{1,60}|ambiguous option|invalid choice).{0,300})",
            literals=(": error: ",),
            samples=(
                "train.py: error: unrecognized arguments: --lerning-rate 0.1",
                "torchrun: error: the following arguments are required: training_script",
                "Accelerate CLI tool: error: unrecognized arguments: --num_procs=2",
            ),
            near_misses=(
                "srun: error: n2: task 3: Exited with exit code 1",
                "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***",
            ),
            detail="bad_option",
        ),
    ),
)
