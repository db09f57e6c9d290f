"""Last words of programs that are no Python: compilers, downloaders, other languages' runtimes, and whoever writes ``ERROR: …`` before it leaves.

By the words that GNU make, curl, wget, git, OpenSSH, Info-ZIP, the dynamic linker, Rust, Go, the JVM, R and Julia print. Such a line is an
end only as the last thing in its log: programs print errors that they survive.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_ENV = re.compile(r"shared librar|host|resolve|publickey|certificate|connect|No matching distribution|satisf|nvcc|Makefile|make: ", re.IGNORECASE)


def _told(found: re.Match[str], match: Match) -> Match | None:
    message = found["message"].strip(" :")
    kind = found.groupdict().get("type") or ""
    meant = meaning_of("", message)
    cause = Cause.RAM_OOM if "OutOfMemoryError" in kind and "CUDA" not in message else meant.cause
    about = meant.about or ("env" if _ENV.search(match.line.text) or cause is Cause.RAM_OOM else "config")
    return refined(match, cause=cause, detail=meant.detail, data={"message": message[:300], "about": about, "bare": True, "command": "program"})


def _told_by_one(found: re.Match[str], match: Match) -> Match | None:
    said = next((v for k, v in found.groupdict().items() if k not in {"type"} and v is not None), "")
    kind = found["type"] or ""
    meant = meaning_of("", said)
    cause = Cause.RAM_OOM if kind.endswith("OutOfMemoryError") else meant.cause
    return refined(
        match,
        cause=cause,
        detail=meant.detail,
        data={"message": said[:300], "about": meant.about or ("env" if cause is Cause.RAM_OOM else "config"), "bare": True, "command": "program"},
    )


PARSER = Parser(
    program="other programs",
    patterns=(
        Pattern(
            name="tool",
            says="error_line",
            role=Role.ROOT,
            regex=r"^(?P<message>(?:make(?:\[\d{1,3}\])?: (?:\*\*\* |\S{1,80}: No such file)|curl: \(\d{1,3}\) |wget: unable to |fatal: |ssh: |scp: |rsync(?: error)?: |jq: error|ld: cannot find "
            r"|unzip: {1,3}cannot |gzip: \S{1,300}: |ninja: error: |cmake: |Permission denied \(|(?:g?cc|g\+\+|nvcc|clang)\S{0,12}: (?:fatal )?error: |\S{1,200}: error while loading shared libraries: "
            r"|/usr/bin/env: |env: |java: |Rscript: |perl: |Can't open perl script |npm ERR! |Could not open file ).{1,300})$",
            literals=(
                "make",
                "curl: (",
                "wget: unable",
                "fatal: ",
                "ssh: ",
                "scp: ",
                "rsync",
                "jq: error",
                "ld: cannot",
                "unzip: ",
                "gzip: ",
                "ninja: error",
                "cmake: ",
                "Permission denied (",
                "error: ",
                "error while loading",
                "env: ",
                "java: ",
                "Rscript: ",
                "perl",
                "npm ERR!",
                "Could not open file",
            ),
            samples=(
                "make: *** [Makefile:3: kernel.o] Error 127",
                "curl: (6) Could not resolve host: data.example.org",
                "fatal: not a git repository (or any of the parent directories): .git",
                "./train: error while loading shared libraries: libcudart.so.12: cannot open shared object file: No such file or directory",
                "/usr/bin/env: \u2018python4\u2019: No such file or directory",
                "unzip:  cannot find or open data.zip, data.zip.zip or data.zip.ZIP.",
            ),
            near_misses=("making: 3 parts", "curl: 3 rotations", "a fatal: thing", "rsync is done", "environment: ready"),
            read=_told,
        ),
        Pattern(
            name="runtime",
            says="error_line",
            role=Role.ROOT,
            regex=r"^(?:thread '[^']{1,80}'(?: \(\d{1,9}\))? panicked at (?P<rust>.{1,200})|panic: (?P<go>.{1,300})|Exception in thread \"[^\"]{1,80}\" (?P<type>[\w.$]{3,120})(?P<java>:? ?.{0,300})"
            r"|ERROR: LoadError: (?P<julia>.{1,300})|Error in (?P<r>[^:]{1,200} : .{0,300})|Execution halted(?P<halted>)|Unhandled exception\. (?P<net>.{1,300}))$",
            literals=("panicked at", "panic: ", "Exception in thread", "ERROR: LoadError", "Error in ", "Execution halted", "Unhandled exception."),
            samples=(
                "thread 'main' panicked at src/main.rs:4:5:",
                "panic: runtime error: index out of range [3] with length 3",
                'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
                'ERROR: LoadError: SystemError: opening file "data/x.csv": No such file or directory',
                'Error in file(file, "rt") : cannot open the connection',
            ),
            near_misses=("panic button", "Error in line 3", "no exception in thread main", "thread 'main' started"),
            read=_told_by_one,
        ),
        Pattern(
            name="error",
            says="error_line",
            role=Role.ROOT,
            regex=r"^(?!srun: |slurmstepd|sbatch: |salloc: |gpualert|mpirun|prte)(?:[\w./-]{1,60}: |\[[^\]]{1,60}\] ?|\d[\d:., TZ/-]{4,40}(?:[-|] ?)?(?:[\w.]{1,40} ?[-|] ?)?)?\[?"
            r"(?:FATAL: |FATAL - |FATAL\] |CRITICAL: |CRITICAL - |CRITICAL\] |ERROR: |ERROR - |ERROR\] |ERROR \| |ERROR |Error: |error: |Fatal error: |fatal error: )"
            r"(?:\[?[\w.]{1,60}\]?\s?[:|-]\s{1,4})?\s{0,4}(?P<message>[A-Za-z'\"/].{3,300})$",
            literals=(
                "FATAL: ", "FATAL - ", "FATAL] ", "CRITICAL: ", "CRITICAL - ", "CRITICAL] ", "ERROR: ", "ERROR - ", "ERROR] ", "ERROR | ", "ERROR ", "Error: ", "error: ",
            ),
            samples=(
                "ERROR: No matching distribution found for torhc",
                "Error: cannot open config.yaml: No such file or directory",
                "[ERROR] train: the checkpoint's folder vanished",
                "trainer: fatal error: shards are missing",
                "CRITICAL - no GPU was granted",
            ),
            near_misses=("ValueError: 3", "mean error: 0.31", "errors: 3", "Error 127", "an error: of sorts is here to stay when"),
            read=_told,
            general=True,
        ),
    ),
)
