"""What an error means, by its words, whatever class or wrapper carried them: exception text to one of the fifteen causes.

Texts by version: torch 1.13 to 2.14, CUDA 11.8 to 13.5 runtime strings, CPython 3.8 to 3.14, jaxlib, TensorFlow 2,
huggingface_hub 0.23 to 2.4. Order matters: hardware words before NCCL's, GPU memory before host memory. A library's own
exceptions stand in its parser's file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.bare_words import BARE_WORDS
from gpualert_slurm.classifier.pattern import Parser
from gpualert_slurm.discovery import discover

GLOO_HAS_NO_ADDRESS = r"gloo/transport/\S{1,40}\] .{0,60}Unable to find (?:address|interface) for"
"""What gloo says where the interface it was given has no address, or is not there (third_party/gloo, transport/tcp/device.cc)."""


@dataclass(frozen=True)
class Meaning:
    """A cause of the fifteen (or None), the finer name, and which kind of thing it is about (``data``, ``config``, ``env``, ``asset``)."""

    cause: Cause | None
    detail: str | None = None
    about: str | None = None


HARDWARE = frozenset({"ecc_uncorrectable", "nvlink_uncorrectable", "contained_error"})
"""Finer names that speak of the hardware: a hint from the job's own output, whatever wrapper carries them."""


@dataclass(frozen=True)
class _Rule:
    cause: Cause | None
    detail: str | None
    about: str | None
    words: re.Pattern[str]
    of: re.Pattern[str] | None = None
    """Only for exceptions whose type matches this."""


def _rule(cause: Cause | None, detail: str | None, words: str, about: str | None = None, of: str | None = None) -> _Rule:
    return _Rule(cause, detail, about, re.compile(words, re.IGNORECASE), re.compile(of) if of else None)


_FIRST: tuple[_Rule, ...] = (
    # hardware wears many coats: RuntimeError, AcceleratorError, ncclUnhandledCudaError
    _rule(Cause.CUDA_RUNTIME, "ecc_uncorrectable", r"uncorrectable ECC error|ECC uncorrectable|cudaErrorECCUncorrectable"),
    _rule(Cause.CUDA_RUNTIME, "nvlink_uncorrectable", r"uncorrectable NVLink error|cudaErrorNvlinkUncorrectable"),
    _rule(Cause.CUDA_RUNTIME, "contained_error", r"Invalid access of peer GPU memory over nvlink or a hardware error"),
    # GPU memory
    _rule(
        Cause.CUDA_OOM, "gpu_memory",
        r"\b(?:CUDA|HIP|XPU|MPS backend) out of memory|(?:CUDA|HIP|cudnn|cublas|nccl)[\w :,'()]{0,40}\bout of memory\b",
    ),
    _rule(
        Cause.CUDA_OOM,
        "gpu_library_memory",
        r"CU(?:BLAS|DNN|SOLVER|FFT)_(?:STATUS_)?ALLOC(?:_FAILED|ATION_FAILED)|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY|hipErrorOutOfMemory",
    ),
    _rule(Cause.CUDA_OOM, "gpu_library_memory", r"Failed to CUDA \w{0,12}alloc|Cuda failure (?:\d{1,3} )?'out of memory'"),
    _rule(Cause.CUDA_OOM, "jax", r"RESOURCE_EXHAUSTED: Out of memory (?:while trying to )?allocat"),
    _rule(Cause.CUDA_OOM, "tensorflow", r"OOM when allocating tensor with shape(?!.{0,300}device:CPU:).{0,400}(?:GPU|device:|gpu_|$)"),
    _rule(Cause.CUDA_OOM, "gpu_memory", r".", of=r"(?:^|\.)(?:cuda|torch|cupy\.cuda\.memory)\.OutOfMemoryError$|^torch\.OutOfMemoryError$"),
    # a loader's worker: the kernel's hand in a RuntimeError's glove
    _rule(Cause.OOM_KILLER, "loader_worker_killed", r"DataLoader worker \(pid\(?s?\)? ?\d+\) is killed by signal: Killed"),
    _rule(
        Cause.RAM_OOM,
        "shared_memory",
        r"killed by signal: Bus error|insufficient shared memory|out of shared memory"
        r"|unable to (?:open|allocate|mmap) shared memory(?!.{0,120}Too many open files)",
    ),
    _rule(Cause.SEGFAULT, "pool_worker_segfault", r"\bworkers?\b.{0,120}(?:\bSIGSEGV\b|\bexit ?code:? -11\b)", of=r"."),
    _rule(Cause.OOM_KILLER, "pool_worker_killed", r"\bworkers?\b.{0,120}(?:\bSIGKILL\b|\bexit ?code:? -9\b)", of=r"."),
    _rule(Cause.SEGFAULT, "loader_worker_segfault", r"killed by signal: Segmentation fault"),
)
"""Asked before the parsers' own words: what must not be hidden by a wrapper."""

_THEN: tuple[_Rule, ...] = (
    # CUDA
    _rule(Cause.CUDA_RUNTIME, "no_kernel_image", r"no kernel image is available for execution", about="env"),
    _rule(
        Cause.CUDA_RUNTIME, "driver_too_old", r"NVIDIA driver on your system is too old|driver version is insufficient for CUDA runtime", about="env"
    ),
    _rule(
        Cause.CUDA_RUNTIME,
        "no_gpu",
        r"no CUDA-capable device is detected|Found no NVIDIA driver|No CUDA GPUs are available|hipErrorNoDevice",
        about="env",
    ),
    _rule(None, "no_cuda_build", r"not compiled with CUDA enabled", about="env"),  # an AssertionError of torch's
    _rule(Cause.CUDA_RUNTIME, "device_busy", r"CUDA-capable device\(s\) is/are busy or unavailable", about="env"),
    _rule(Cause.CUDA_RUNTIME, "fabric_not_ready", r"CUDA error: system not yet initialized|cudaErrorSystemNotReady", about="env"),
    _rule(Cause.CUDA_RUNTIME, "ptx_unsupported", r"provided PTX was compiled with an unsupported toolchain", about="env"),
    _rule(
        Cause.CUDA_RUNTIME,
        "driver_mismatch",
        r"unsupported display driver / cuda driver combination|forward compatibility was attempted on non supported HW",
        about="env",
    ),
    _rule(Cause.CUDA_RUNTIME, "device_ordinal", r"invalid device ordinal", about="config"),
    _rule(Cause.CUDA_RUNTIME, "device_assert", r"device-side assert triggered"),
    _rule(Cause.CUDA_RUNTIME, "illegal_address", r"illegal memory access was encountered|an illegal address"),
    _rule(Cause.CUDA_RUNTIME, "launch_failure", r"unspecified launch failure"),
    _rule(
        Cause.CUDA_RUNTIME,
        "no_cuda_here",
        r"Attempting to deserialize object on a CUDA device but torch\.cuda\.is_available\(\) is False",
        about="env",
    ),
    _rule(
        Cause.DEVICE_MISMATCH,
        "two_devices",
        # torch 1.13 to 2.14 say it once by operator, in words that differ; "must not share the same device" is another matter
        r"(?:\b(?:expect(?:ed|s)?|ensure|need|(?:must|should)(?! not\b))\b.{0,160}|\bnot (?:on|at|in) (?:the )?)\bsame (?:type of )?device"
        r"|is not on the expected device|Expected an? '\w{1,12}' device type for generator but found '\w{1,12}'"
        r"|expected device \S{1,20} but got (?:device )?\S|(?:tensors?|arguments?|one) .{0,60}on (?:the )?different devices?"
        r"|cross-device copies are not allowed|\bon conflicting devices|resides \(\d{1,3}\) is different from the current device"
        r"|inferring context failed"
        r"|backend of indices \(\w{1,20}\) must match backend of values|should be a 1D CPU int64 tensor, but got 1D (?!cpu)\w",
    ),
    _rule(
        Cause.DEVICE_MISMATCH,
        "weights_elsewhere",
        # both on a card, and of two precisions: that is another matter
        r"Input type \((?:(?!torch\.cuda|CUDA)[\w.]{1,40}\) and weight type \((?:torch\.cuda|CUDA)[\w.]{0,40}"
        r"|(?:torch\.cuda|CUDA)[\w.]{0,40}\) and weight type \((?!torch\.cuda|CUDA)[\w.]{1,40})\) should be the same"
        r"|is on cpu, (?:but|different from)"
        r"|Expected object of device type|module must have its parameters and buffers on device",
    ),
    _rule(
        Cause.CUDA_RUNTIME,
        "cuda",
        r"(?:CUDA|HIP)(?: driver| runtime)? error:|(?:CUDA|HIP) unknown error\b"
        r"|CU(?:BLAS|DNN|SOLVER|FFT|SPARSE)_(?:STATUS_)?\w{3,40}|cuDNN error|CUDA_ERROR_\w+|hipError\w+",
    ),
    _rule(Cause.CUDA_RUNTIME, "cuda", r".", of=r"(?:^|\.)(?:AcceleratorError|CudaAPIError|CUDARuntimeError)$"),
    # communication
    _rule(Cause.NCCL, "collective_timeout", r"Watchdog caught collective operation timeout|collective operation timeout"),
    _rule(
        Cause.NCCL, "rendezvous_timeout",
        r"NCCL(?:(?!NCCL).){0,600}(?:Bootstrap : no socket interface found|socket\w{4,10}Connect: [Cc]onnect to \S)",
    ),
    _rule(Cause.RUNTIME_ERROR, "rendezvous_timeout", GLOO_HAS_NO_ADDRESS),
    _rule(
        Cause.NCCL,
        "nccl",
        r"\bR?NCCL (?:error|WARN|communicator was aborted|Error)|ncclUnhandled\w+"
        r"|nccl(?:System|Internal|Remote|InvalidUsage|InvalidArgument)Error|NCCL operation .{0,80}failed|\bNCCL_ERROR_\w+|\bnccl[A-Z]\w{3,40} failed",
    ),
    _rule(Cause.NCCL, "nccl", r"nccl|collective", of=r"(?:^|\.)DistBackendError$"),
    # not a number
    _rule(Cause.NAN_LOSS, "non_finite", r"Expected parameter \w{1,40} .{0,900}found invalid values:.{0,300}\bnan\b"),
    _rule(Cause.NAN_LOSS, "loss_scale_minimum", r"loss scale already at minimum"),
    _rule(
        Cause.NAN_LOSS,
        "non_finite",
        r"\b(?:(?:\w{1,20}_)?loss|grad(?:ient)?s?|losses|gradient norm|objective|nll|elbo|likelihood|r?mse|mae|bce|cross[ _-]?entropy|cost|ppl"
        r"|perplexity|bits[ _]per[ _]\w{1,12}|perte|Verlust|p[ée]rdida|perdita)\b[^,;|]{0,30}(?:\b(?:is|are|was|became|went|contains?|of)|=|=="
        r"|:)\s{0,3}(?:tensor\()?\[?-?(?:nan|inf|infinite|non-?finite)\b",
    ),
    _rule(
        Cause.NAN_LOSS,
        "non_finite",
        r"\b(?:NaN|non-?finite|infinite) (?:or inf(?:inite)? )?(?:loss|grad|(?:parameter )?weights|parameters)"
        r"|found NaN in|returned nan values in its|encountered ?NaN"
        r"|Tensor had [+-]?(?:NaN|Inf)\b",
    ),
    # named things that are not there
    _rule(Cause.PERMISSION, "gated_repo", r".", about="asset", of=r"GatedRepoError$"),
    _rule(Cause.MISSING_MODULE, "shared_library", r"cannot open shared object file|undefined symbol:|DLL load failed", about="env"),
    _rule(
        Cause.MISSING_MODULE,
        None,
        r"Can't locate \S{1,200} in @INC|Cannot find (?:module|package) '[^'\s]{1,200}'|can't find package \S",
        about="env",
    ),
    _rule(Cause.MISSING_MODULE, "libc_version", r"version `GLIBC(?:XX)?_[\d.]+' not found", about="env"),
    _rule(
        Cause.MISSING_MODULE,
        "packages_needed",
        r"requires the following packages that were not found|but it cannot be used due to the following error"
        r"|has been toggled on, but it cannot be used",
        about="env",
    ),
    _rule(Cause.PERMISSION, "gated_repo", r"access a gated repo|Access to model .{1,200} is restricted|Cannot access gated repo", about="asset"),
    _rule(Cause.PERMISSION, "unauthorised", r"\b401 Client Error|\b403 Client Error|Invalid user token|Invalid username or password", about="asset"),
    _rule(
        Cause.FILE_NOT_FOUND,
        "unknown_model",
        r"is not a local folder and is not a valid model identifier|Repository Not Found for url|\b404 Client Error",
        about="asset",
    ),
    _rule(
        Cause.FILE_NOT_FOUND,
        "asset_file_missing",
        r"does not appear to have (?:a file|files) named|no file named .{1,120} found in directory|Error no file named",
        about="asset",
    ),
    _rule(
        Cause.FILE_NOT_FOUND,
        "offline_cache_miss",
        r"outgoing traffic has been disabled|offline mode is enabled"
        r"|Cannot find (?:an appropriate cached|the requested files in the)",
        about="asset",
    ),
    _rule(Cause.TRACEBACK, "offline_cache_miss", r"couldn't connect to .{1,80} to load", about="asset"),
    _rule(
        Cause.FILE_NOT_FOUND,
        "data_files_missing",
        r"Couldn't find (?:any data file|a dataset script|'.{1,200}' on the Hugging Face Hub)",
        about="data",
    ),
    _rule(None, "corrupt_checkpoint", r"PytorchStreamReader failed", about="asset"),
    _rule(None, "no_valid_checkpoint", r"\bno (?:valid |usable )?checkpoints? (?:was |were )?found (?:in|at)\b", about="asset", of=r"."),
    _rule(
        Cause.FILE_NOT_FOUND,
        "no_valid_checkpoint",
        r"\bcheckpoint (?:file |path )?(?:was )?not found\b|\bno (?:valid |usable )?checkpoints? (?:was |were )?found (?:in|at)\b",
        about="asset",
    ),
    _rule(
        Cause.FILE_NOT_FOUND, None,
        r"\[Errno 2\]|\bno such file\b|file not found|\bNo files found (?:that match|in|at|for|under)\b|(?:File|Path"
        r"|Directory) '[^']{1,300}' does not exist|\bpath='[^']{1,300}': file does not exist|Directory path '[^']{1,300}' is not found",
    ),
    _rule(Cause.TRACEBACK, "quota_exceeded", r"Disk quota exceeded|\[Errno 122\]", about="env"),
    _rule(Cause.TRACEBACK, "disk_full", r"No space left on device|\[Errno 28\]", about="env"),
    _rule(Cause.TRACEBACK, "port_in_use", r"Address already in use|EADDRINUSE|\[Errno 98\]", about="config"),
    _rule(Cause.TRACEBACK, "too_many_files", r"Too many open files|\[Errno 24\]", about="env"),
    _rule(Cause.TRACEBACK, "stale_file_handle", r"Stale file handle|\[Errno 116\]"),
    _rule(Cause.TRACEBACK, "io_error", r"\[Errno 5\] Input/output error"),
    _rule(Cause.PERMISSION, None, r"\[Errno 13\]|Permission denied|\[Errno 1\] Operation not permitted"),
    # host memory
    _rule(
        Cause.RAM_OOM,
        "host_memory",
        r"Cannot allocate memory|\[Errno 12\]|DefaultCPUAllocator: (?:can't allocate|not enough) memory|std::bad_alloc"
        r"|Unable to allocate [\d.]+ [KMGTP]iB",
    ),
    _rule(Cause.DIV_ZERO, None, r"division (?:or modulo )?by (?:zero|0\b)|divide by zero|ZeroDivisionError|modulo by zero"),
    # models, adapters, checkpoints
    _rule(None, "target_modules", r"Target modules? .{1,400} not found in the base model|No modules were targeted for adaptation", about="config"),
    _rule(None, "unknown_architecture", r"does not recognize this architecture", about="env"),
    _rule(None, "size_mismatch", r"Error\(s\) in loading state_dict for|size mismatch for", about="asset"),
    _rule(
        None,
        "size_mismatch",
        r"\b(?:checkpoint|ckpt|snapshot)\b.{0,60}\b(?:has|have|was (?:saved|trained|written)|contains|expects|holds)\b.{0,80}\b(?:model|network"
        r"|net|config\w*|but|run)\b"
        r"|\d objects could not be loaded|Layer count mismatch when loading weights",
        about="asset",
    ),
    _rule(
        None, "corrupt_checkpoint",
        r"\b(?:checkpoint|ckpt|snapshot)\b.{0,120}\b(?:corrupt|truncated|damaged|bad checksum|checksum mismatch)",
        about="asset",
    ),
    _rule(None, "no_valid_checkpoint", r"Can't find a valid checkpoint at|No valid checkpoint found in output directory", about="asset"),
    _rule(
        None,
        "corrupt_checkpoint",
        r"Error while deserializing header|invalid load key|not a ZIP archive|unexpected EOF, expected \d+ more bytes",
        about="asset",
    ),
    _rule(None, "dataset_generation", r"An error occurred while generating the dataset|Failed to read file", about="data"),
    _rule(None, "batch_config", r"Check batch related parameters", about="config"),
    _rule(None, "unused_argument", r"are not used by the model", about="config"),
    _rule(
        Cause.TRACEBACK,
        "rendezvous_timeout",
        r"client socket has (?:timed out|failed to connect)|waiting for clients|TCP client failed to connect/validate",
        about=None,
    ),
)

_BY_TYPE: tuple[tuple[str, Meaning], ...] = (
    (r"(?:ModuleNotFoundError|ImportError|PackageNotFoundError)$", Meaning(Cause.MISSING_MODULE, None, "env")),
    (r"(?:MemoryError|ArrayMemoryError|bad_alloc)$", Meaning(Cause.RAM_OOM, "host_memory")),
    (r"ResourceExhaustedError$", Meaning(Cause.CUDA_OOM, "tensorflow")),
    (
        r"(?:FileNotFound(?:Error|Exception)|NotADirectoryError|(?:Entry|DataFiles|Path|Group|Array|Node)NotFoundError|NoSuchFile\w{0,20})$",
        Meaning(Cause.FILE_NOT_FOUND),
    ),
    (r"GatedRepoError$", Meaning(Cause.PERMISSION, "gated_repo", "asset")),
    (r"(?:RepositoryNotFoundError|RevisionNotFoundError)$", Meaning(Cause.FILE_NOT_FOUND, "unknown_model", "asset")),
    (r"(?:OfflineModeIsEnabled|LocalEntryNotFoundError)$", Meaning(Cause.FILE_NOT_FOUND, "offline_cache_miss", "asset")),
    (r"(?:PermissionError|AccessDeniedException|AccessControlException)$", Meaning(Cause.PERMISSION)),
    (r"(?:ZeroDivisionError|DivisionByZero|DivisionUndefined|DivideError)$", Meaning(Cause.DIV_ZERO)),
    (r"AssertionError$", Meaning(Cause.ASSERTION)),
    (
        (
            r"(?:JSONDecodeError|UnicodeDecodeError|ParserError|ArrowInvalid|UnidentifiedImageError|DatasetGenerationError|EOFError"
            r"|BadZipFile|BadGzipFile)$"
        ),
        Meaning(Cause.TRACEBACK, "unreadable_data", "data"),
    ),
    (r"(?:SafetensorError|UnpicklingError|CheckpointException)$", Meaning(Cause.TRACEBACK, "corrupt_checkpoint", "asset")),
    (
        (
            r"(?:SyntaxError|IndentationError|TabError|NameError|AttributeError|TypeError|KeyError|IndexError|ValueError|UnboundLocalError"
            r"|ScannerError"
            r"|ConfigKeyError|ConfigAttributeError|ConfigException|ValidationError|ArgumentError|NotImplementedError|MissingConfigException)$"
        ),
        Meaning(Cause.TRACEBACK, None, "config"),
    ),
    (r"(?:Rendezvous\w{0,40}Error|DistStoreError|DistNetworkError)$", Meaning(Cause.TRACEBACK, "rendezvous_timeout")),
    (r"(?:^|\.)RuntimeError$|^java\.lang\.RuntimeException$|(?:Xla|Equinox)RuntimeError$|InternalError$", Meaning(Cause.RUNTIME_ERROR)),
)

_TYPES = tuple((re.compile(regex), meaning) for regex, meaning in _BY_TYPE)
_ASSET = re.compile(
    r"(?:model|checkpoint|ckpt|weights?|tokenizer|pretrained|adapter|snapshot|lora)|\.(?:pth?|ckpt|safetensors|gguf|onnx)\b", re.IGNORECASE
)
_CONFIG = re.compile(r"\.(?:ya?ml|toml|cfg|ini|conf)\b|(?:^|[/'\"_-])(?:config|configs|conf)\b", re.IGNORECASE)
_PATH = re.compile(r"['\"`]([^'\"`]{1,400})['\"`]")


@lru_cache(maxsize=1024)  # a log that repeats its error a million times asks once
def meaning_of(exception: str, message: str) -> Meaning:
    """The meaning of an exception by its full type name and the first line of its message; ``""`` for a text without a type."""
    bare = exception.rsplit(".", 1)[-1]
    typed = _by_type(exception)
    if bare in {"ModuleNotFoundError", "ImportError"}:
        library = _by_words(exception, message)
        detail = library.detail if library is not None and library.cause is Cause.MISSING_MODULE else None
        return Meaning(Cause.MISSING_MODULE, detail, "env")
    worded = _by_words(exception, message)
    if worded is None:
        found = typed or Meaning(Cause.TRACEBACK if exception else None)
    elif worded.cause is None:  # a finer name that is none of the fifteen: the type says which of them it counts as
        base = typed.cause if typed is not None and typed.cause is not None else Cause.TRACEBACK
        found = Meaning(base if exception else None, worded.detail, worded.about)
    else:
        found = Meaning(worded.cause, worded.detail or (typed.detail if typed else None), worded.about or (typed.about if typed else None))
    if found.cause in {Cause.FILE_NOT_FOUND, Cause.PERMISSION} and found.about is None:
        found = Meaning(found.cause, found.detail, about_path(message))
    return found


def about_path(message: str) -> str:
    """Whether the path named in ``message`` looks like a model (asset), a configuration or data."""
    named = _PATH.search(message)
    path = named[1] if named else message
    if _CONFIG.search(path):
        return "config"
    return "asset" if _ASSET.search(path) else "data"


def specific(cause: Cause | None) -> bool:
    """Whether a cause says more than that something was raised."""
    return cause not in {None, Cause.TRACEBACK, Cause.RUNTIME_ERROR}


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    """All rules in the order they are asked: hardware and memory, then what each library's parser knows, then the common words."""
    from gpualert_slurm.classifier import parsers  # the parsers ask this module in turn

    known = [
        _rule(rule.cause, rule.detail, rule.words, rule.about, rule.of)
        for parser in discover(parsers, "PARSER", Parser).values()
        for rule in parser.exceptions
    ]
    return (*_FIRST, *known, *_THEN)


def _by_words(exception: str, message: str) -> _Rule | None:
    for rule in _rules():
        if rule.of is not None and not rule.of.search(exception):
            continue
        if rule.words.search(message if rule.of is None else message or exception):
            return rule
    if not exception:
        return next((rule for rule in _bare() if rule.words.search(message)), None)
    return None


@lru_cache(maxsize=1)
def _bare() -> tuple[_Rule, ...]:
    return tuple(_rule(cause, detail, words, about) for cause, detail, about, words in BARE_WORDS)


def _by_type(exception: str) -> Meaning | None:
    for regex, meaning in _TYPES:
        if regex.search(exception):
            return meaning
    return None
