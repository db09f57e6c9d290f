"""What words mean that no class of an exception carries: those of shells, compilers, other languages and scripts of one's own.

Asked of such texts alone, after all other rules: in an exception the same words may be its author's.
"""

from __future__ import annotations

from gpualert_slurm.cause import Cause

BARE_WORDS: tuple[tuple[Cause | None, str | None, str | None, str], ...] = (
    (
        None, "corrupt_checkpoint", "asset",
        r"\b(?:checkpoint|ckpt|snapshot)\b.{0,120}\b(?:corrupt|checksum|truncated|damaged|incomplete|unreadable|broken|malformed)",
    ),
    (
        None, "corrupt_checkpoint", "asset",
        r"\b(?:corrupt|truncated|damaged|incomplete|unreadable|broken|malformed)\w* (?:model )?(?:checkpoint|ckpt|snapshot)\b",
    ),
    (
        None, "no_valid_checkpoint", "asset",
        (
            r"\bno (?:\w+ )?(?:checkpoints?|ckpt|snapshots?)\b(?! (?:yet|saved))|\b(?:checkpoint|ckpt|snapshot)\b.{0,80}\b(?:not found"
            r"|missing|does not exist)"
        ),
    ),
    (
        None, "size_mismatch", "asset",
        (
            r"\b(?:checkpoint|ckpt|snapshot)\b.{0,80}\b(?:but|while|model (?:has|expects|wants))\b.{0,60}\d|\b(?:checkpoint|ckpt"
            r"|snapshot)\b.{0,60}\b(?:does not (?:fit|match)|mismatch|incompatible)"
        ),
    ),
    (
        Cause.CUDA_OOM, "gpu_memory", None,
        (
            r"(?:\b(?:cuda|cu\w+|gpu|hip|device|vram|cudamalloc)|\.cu(?:h|:|\(|\b)).{0,160}\bout of memory\b|\bout of (?:gpu|device"
            r"|video) memory|\bout of memory\b.{0,80}(?:\.cu\b|\bgpu\b|\bcuda)|Out of GPU memory|VK_ERROR_OUT_OF_DEVICE_MEMORY"
        ),
    ),
    (
        Cause.NCCL, "nccl", None,
        r"\bnccl\b.{0,40}\b(?:fail|error|unhandled)|\bnccl\w*Error|\bNCCL_\w+_ERROR",
    ),
    (
        Cause.CUDA_RUNTIME, "cuda", None,
        (
            r"\b(?:cuda|gpu) ?(?:runtime |driver |kernel |api )?(?:error|failure|assert|check)|\bGPUassert|\bcuda(?:Error|_error)\w*"
            r"|\bcu(?:blas|dnn|solver|fft|sparse|rand)[ _]?(?:status|error|failure)|illegal memory access|nvidia driver"
            r"|could not select device driver|\bno (?:cuda|gpus?"
            r"|nvidia)\b"
        ),
    ),
    (
        Cause.NAN_LOSS, "non_finite", None,
        (
            r"\b(?:loss|objective|cost|gradients?|nll|likelihood|energy|error|residual|elbo)\b.{0,40}\b(?:nan|inf(?:inite)?|non-?finite"
            r"|not (?:a )?(?:finite|number))\b|\b(?:nan|non-?finite)\b.{0,40}\b(?:loss|parameters?|weights?|update|objective|cost|gradients?"
            r"|round|step|iteration|epoch"
            r"|batch)\b|\b(?:loss|objective|training) (?:has )?(?:diverged|exploded)"
        ),
    ),
    (
        Cause.SEGFAULT, None, None,
        r"segmentation (?:fault|violation)|\bSIGSEGV\b|AddressSanitizer: SEGV|invalid memory reference|access violation",
    ),
    (
        Cause.DIV_ZERO, None, None,
        (
            r"/ by zero|divi(?:de|ded|sion|ding)\b.{0,12}\bby[ _]?(?:0|zero)\b|Division_by_zero|DivideError|DivisionByZero|divided? zero"
            r"|division durch (?:null|0)|division par z[ée]ro|divisi[óo]n (?:por|entre) cero|除以零|除零|деление на ноль"
            r"|SIGFPE|floating[- ]point exception|\bzero divisor\b"
        ),
    ),
    (
        Cause.RAM_OOM, "host_memory", None,
        (
            r"cannot allocate vector|heap out of memory|^MemoryError$|Java heap space|GC overhead limit|OutOfMemoryError"
            r"|memory allocation of \d+ bytes failed|\b(?:malloc|calloc|realloc|mmap|alloc\w*)\b.{0,60}\bfail|virtual memory exhausted"
            r"|insufficient (?:host |system )?memory|not enough (?:host |system )?memory|\bout of (?:host |system |virtual )?memory\b"
            r"|\bmemory exhausted|nicht gen[üu]gend \w{0,12}speicher|kein \w{0,12}speicher|m[ée]moire insuffisante|memoria insuficiente|内存不足"
            r"|メモリ不足|не хватает памяти"
            r"|failed to allocate|(?:couldn't|could not|can't|unable to) (?:allocate|map) .{0,60}(?:memory|bytes"
            r"|[KMGT]i?B)"
        ),
    ),
    (
        Cause.ASSERTION, None, None,
        r"\bassert(?:ion)?\b.{0,300}\b(?:fail|violat)|\bassertion `|AssertionError|^Error: .{1,200} (?:is|are) not (?:all )?TRUE$",
    ),
    (
        Cause.MISSING_MODULE, None, "env",
        (
            r"there is no package called|Package \S+ not found in current path|No module named|ClassNotFoundException|NoClassDefFoundError"
            r"|could not find or load main class|module '[^']+' not found|cannot load such file|use of undeclared crate"
            r"|no required module provides package|error while loading shared librar"
        ),
    ),
    (
        Cause.PERMISSION, None, None,
        (
            r"permission denied|access (?:is )?denied|AccessDenied|not permitted|os error 13|EACCES|EPERM|read-only file ?system"
            r"|not (?:readable|writable) by|(?:zugriff|zugang) verweigert|keine berechtigung|acc[èe]s refus[ée]|(?:acceso|permiso) denegado|权限不够"
            r"|拒绝访问|отказано в доступе"
            r"|permission non accordée"
        ),
    ),
    (
        Cause.FILE_NOT_FOUND, None, None,
        (
            r"no such file|/[\w.~-]{1,100} (?:is|are|was|were) (?:missing|absent|gone|not there)|os error 2\b|ENOENT|\bNotFound\b"
            r"|\bNoSuchFileException\b|file not found"
            r"|command not found|unknown command: |executable file not found"
            r"|not (?:be )?found (?:in|within|on) (?:\$?PATH|path)\b|no rule to make target|no (?:matching )?files? (?:found|match)"
            r"|could not find (?:pixi|pyproject|\S{0,80}[./]\S)|unable to find (?:file|a file)|(?:file|path|dir(?:ectory)?|folder|shard"
            r"|input|manifest|data ?set|archive)\b.{0,160}\b(?:does not|doesn't) exist|(?:cannot|can't|could not|couldn't|unable to"
            r"|failed to|not able to) (?:find|open|read|locate|access|stat|load)\b.{0,20}[\w./-]{0,200}[./]\w|\b(?:file|path|dir(?:ectory)?"
            r"|folder|shard|input|manifest|data ?set|archive)\b.{0,160}\b(?:is|are|was|were) (?:missing|absent|not (?:there|present|found))"
            r"|\bmissing (?:input|data|file|shard|folder|directory)\b.{0,20}[\w./-]{0,200}[./]\w|\bnot found: [\w./~-]{0,200}[./]\w"
            r"|[\w./~-]{0,200}[./]\w{1,12}['\"]? (?:was |is )?not found|datei (?:oder verzeichnis )?nicht gefunden"
            r"|datei .{1,200} (?:nicht (?:gefunden|vorhanden)|existiert nicht|fehlt)|introuvable|no se (?:pudo|puede) (?:abrir|leer|encontrar)"
            r"|(?:directory|folder|file|path|object|archive) not found|no existe"
            r"|не найден|不存在|找不到|見つかりません"
        ),
    ),
)
"""Cause, finer name, what it is about, words."""
