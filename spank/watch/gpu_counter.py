"""What one file of ``gpu_counters/`` defines: which fields of a GpuSnapshot it reads, and how.

Nothing here imports pydantic: counters are read in NVML's own process, which is kept small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

Value = int | bool | str | float | list[int] | list[str]


class GpuLostError(Exception):
    """The GPU no longer answers: asking it more could hang."""


class Nvml:
    """Asks NVML and tells absence from trouble.

    A question NVML cannot answer on this card, driver or with these rights gives None. Any other error gives None
    too and is kept in ``problems``, so that it becomes a gap; a GPU that is lost raises, and is asked nothing more.

    ``memory`` is the card's own and lives from reading to reading: samples that are compared with the next, times up to which a buffer was read.
    """

    def __init__(self, module: ModuleType, memory: dict[str, Any] | None = None) -> None:
        self.module = module
        self.problems: dict[str, str] = {}
        self.memory: dict[str, Any] = {} if memory is None else memory
        self._absent = tuple(
            getattr(module, name)
            for name in ("NVML_ERROR_NOT_SUPPORTED", "NVML_ERROR_FUNCTION_NOT_FOUND", "NVML_ERROR_NO_PERMISSION", "NVML_ERROR_NO_DATA",
                         "NVML_ERROR_NOT_FOUND", "NVML_ERROR_INVALID_ARGUMENT", "NVML_ERROR_ARGUMENT_VERSION_MISMATCH", "NVML_ERROR_DEPRECATED")
            if hasattr(module, name)
        )

    def ask(self, name: str, *arguments: Any) -> Any:  # noqa: ANN401  (NVML's answers are ints, text and structures)
        """The answer of the pynvml function ``name``, or None.

        Raises:
            GpuLostError: NVML says that the GPU fell off the bus or needs a reset.
        """
        function = getattr(self.module, name, None)
        if function is None:
            return None
        try:
            answer = function(*arguments)
        except self.module.NVMLError as error:
            code = getattr(error, "value", None)
            if code in self._absent:
                return None
            if code in (self.module.NVML_ERROR_GPU_IS_LOST, self.module.NVML_ERROR_RESET_REQUIRED):
                raise GpuLostError(str(error)) from error
            self.problems[name] = str(error)
            return None
        except Exception as error:
            # pynvml itself fails on some drivers: on a name that is not UTF-8, and, on those older than it, by an error of no kind of NVML's.
            if type(error).__name__ == "NVMLLibraryMismatchError":
                return None
            self.problems[name] = f"{type(error).__name__}: {error}"
            return None
        return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer

    def field_values(self, handle: Any, wanted: Sequence[int | tuple[int, int]]) -> list[int | float | None]:  # noqa: ANN401
        """NVML's field values by number, or by (number, scope), in one call; None for each that this card or driver has not."""
        answers = self.ask("nvmlDeviceGetFieldValues", handle, list(wanted)) if wanted else None
        if answers is None:
            return [None] * len(wanted)
        return [_number(answer) if answer.nvmlReturn == self.module.NVML_SUCCESS else None for answer in answers]

    def constant(self, name: str) -> int | None:
        """One of NVML's constants, None where this pynvml does not know it."""
        value = getattr(self.module, name, None)
        return value if isinstance(value, int) else None


def _number(answer: Any) -> int | float | None:  # noqa: ANN401
    """The member of the union that its type names (nvmlValueType_t in nvml.h)."""
    members = {0: "dVal", 1: "uiVal", 2: "ulVal", 3: "ullVal", 4: "sllVal", 5: "siVal", 6: "usVal"}
    name = members.get(int(answer.valueType))
    value = getattr(answer.value, name, None) if name else None
    return value if isinstance(value, int | float) else None


@dataclass(frozen=True)
class GpuCounter:
    """``read(nvml, handle)`` gives a subset of ``fields``, which are names of ``GpuSnapshot``; what is unknown is left out.

    ``field_ids`` are NVML field values by field name: those of all counters are asked for in one call, and ``read`` needs not ask.
    ``slow`` counters are read before and after a job and once a minute in it: what hardly moves, or takes many calls.
    ``series`` names those fields of which every sample is kept, with their series' name and unit; ``moving`` those that only grow
    while the driver lives, of which a sample is kept when they moved.
    """

    fields: tuple[str, ...]
    read: Callable[[Nvml, Any], dict[str, Value]] = lambda _nvml, _handle: {}
    field_ids: Mapping[str, int] = field(default_factory=dict)
    slow: bool = False
    series: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    moving: tuple[str, ...] = ()


def known(**values: Value | None) -> dict[str, Value]:
    """The values that are there: absence is never zero."""
    return {name: value for name, value in values.items() if value is not None}
