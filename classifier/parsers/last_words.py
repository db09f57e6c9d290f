"""Last words of programs that are no Python: compilers, downloaders, other languages' runtimes, and whoever writes ``ERROR: …`` before it leaves.

By the words that GNU make, curl, wget, git, OpenSSH, Info-ZIP, the dynamic linker, C compilers, Perl, awk, Tcl, bash, absl's flags, Rust, Go, the JVM, R
and Julia print. Such a line is an
end only as the last thing in its log: programs print errors that they survive.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.classifier.stepd_lines import BEGINNING
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
    if kind and meant.cause is None:
        typed = meaning_of(kind, said)
        meant = typed if typed.cause is not Cause.TRACEBACK else meant
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
            part=r"make: \*\*\* |\]: \*\*\* |: No such file|curl: \(|wget: unable|fatal: |ssh: |scp: |rsync: |rsync error: |jq: error|ld: cannot|unzip: |gzip: |ninja: error|cmake: "
            r"|Permission denied \(|: error: |: fatal error: |: error while loading|env: |java: |Rscript: |perl: |open perl script|npm ERR! |not open file ",
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
            name="perl",
            says="error_line",
            role=Role.ROOT,
            regex=r"^(?P<message>(?!Traceback|  File).{3,2000}) at (?:\S{1,200}\.p[lm]|-e) line \d{1,9}(?:, <\w{0,40}> (?:line|chunk) \d{1,12})?\.$",
            literals=(".pl line ", ".pm line ", " -e line "),
            samples=(
                "Illegal division by zero at train.pl line 8.",
                "cannot open dev.txt: No such file or directory at train.pl line 8.",
                "Can't locate PDL.pm in @INC (you may need to install the PDL module) (@INC contains: /etc/perl /usr/lib/perl5) at fit.pl line 3.",
                "no rows left at /opt/fit/Rows.pm line 31, <IN> line 200.",
            ),
            near_misses=("see train.pl line 8", "warning at train.pl line 8, continuing", '  File "train.pl", line 8.'),
            read=_told,
        ),
        Pattern(
            name="perl_memory",
            says="error_line",
            role=Role.ROOT,
            regex=r"^(?P<message>Out of memory!|Out of memory(?: during .{1,80})? in perl:.{1,120})$",
            literals=("Out of memory!", "Out of memory"),
            samples=("Out of memory!", "Out of memory in perl:util:safesysmalloc"),
            near_misses=("Out of memory! Retrying with half", "never Out of memory!"),
            cause=Cause.RAM_OOM,
            read=lambda found, match: refined(match, data={"message": found["message"], "about": "env", "bare": True, "command": "program"}),
        ),
        Pattern(
            name="awk",
            says="error_line",
            role=Role.ROOT,
            regex=r"^(?:[gm]?awk|original-awk): (?:\S{1,200}:\d{1,9}: )?(?:cmd\. line:\d{1,9}: )?(?:\(FILENAME=\S{0,200} FNR=\d{1,12}\) )?(?:fatal(?: error)?: |run time error: )?(?P<message>(?:(?<=fatal: )|(?<=error: )).{3,300}|division by zero.{0,80})$",
            literals=("awk: ",),
            samples=(
                "awk: cmd. line:1: fatal: division by zero attempted",
                "gawk: fit.awk:3: (FILENAME=rows.txt FNR=12) fatal: cannot open file `dev.txt' for reading: No such file or directory",
                "mawk: division by zero",
            ),
            near_misses=("awk: cmd. line:1: warning: escape sequence `\\d' treated as plain `d'", "awk: ready"),
            read=_told,
        ),
        Pattern(
            name="tcl",
            says="error_line",
            role=Role.ROOT,
            regex=r"^(?P<message>divide by zero|couldn't open \"[^\"]{1,300}\": .{3,120}|can't read \"[^\"]{1,120}\": no such (?:variable|element).{0,60}|invalid command name \"[^\"]{1,120}\"|can't find package \S{1,120}.{0,40})$",
            literals=("divide by zero", "couldn't open ", "can't read ", "invalid command name ", "can't find package "),
            samples=("divide by zero", "couldn't open \"rows.txt\": no such file or directory", "can't read \"rate\": no such variable", "can't find package Vector"),
            near_misses=("RuntimeWarning: divide by zero encountered in log", "WARN: can't find package torchaudio, going on", "invalid command name"),
            read=_told,
        ),
        Pattern(
            name="arithmetic",
            says="error_line",
            role=Role.ROOT,
            regex=r"^\S{1,200}: (?:line )?\d{1,7}: (?P<message>.{0,300}\bdivision by (?:0|zero)\b.{0,200})$",
            literals=("division by 0", "division by zero"),
            samples=(
                'anneal.sh: line 8: w / (step - 72): division by 0 (error token is "(step - 72)")',
                "fit.sh: 8: arithmetic expression: division by zero: \"1 / 0\"",
            ),
            near_misses=("the division by 0 was caught", "a.py:3: RuntimeWarning: division by zero"),
            cause=Cause.DIV_ZERO,
            read=lambda found, match: refined(match, data={"message": found["message"], "about": "config", "bare": True, "command": "program"}),
        ),
        Pattern(
            name="compiler",
            says="error_line",
            role=Role.ROOT,
            regex=r"^[^\s:()]{1,200}\.(?:c|cc|cpp|cxx|cu|cuh|h|hpp|[fF]90)(?::\d{1,7}(?::\d{1,5})?|\(\d{1,7}\)): (?:fatal |catastrophic )?error: (?P<message>.{3,300})$",
            literals=(": error: ", ": fatal error: ", ": catastrophic error: "),
            samples=(
                "nnfit.c:28:5: error: unknown type name \u2018cublasHandle_t\u2019",
                'kernel.cu(12): error: identifier "half2" is undefined',
                "fit.cpp:1:10: fatal error: cuda_runtime.h: No such file or directory",
            ),
            near_misses=("nnfit.c:28:28: warning: implicit declaration of function", "train.py:3: error: no"),
            read=_told,
        ),
        Pattern(
            name="flags",
            says="error_line",
            role=Role.ROOT,
            regex=r"^FATAL Flags parsing error:\s{0,4}(?P<message>.{3,300})$",
            literals=("FATAL Flags parsing error:",),
            samples=(
                "FATAL Flags parsing error: Unknown command line flag 'lerning_rate'. Did you mean: learning_rate ?",
                "FATAL Flags parsing error: flag --num_train_steps=many: invalid literal for int() with base 10: 'many'",
            ),
            near_misses=("Flags parsing error: x", "FATAL Flags parsing: done"),
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
            regex=rf"^(?!srun: |{BEGINNING}|sbatch: |salloc: |gpualert|mpirun|prte)"
            r"(?:[\w./-]{1,60}: |\[[^\]]{1,60}\] ?|\d[\d:., TZ/-]{4,40}(?:[-|] ?)?(?:[\w.]{1,40} ?[-|] ?)?)?\[?"
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
            near_misses=("ValueError: 3", "mean error: 0.31", "errors: 3", "Error 127", "an error: of sorts is here to stay when", "[2026-11-22T09:00:00.253] error: Detected 1 oom_kill event in StepId=42.0."),
            read=_told,
            general=True,
        ),
    ),
)
