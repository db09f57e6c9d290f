"""What one file of ``gpu_counters/`` defines: which fields of a GpuSnapshot it reads, and how.

Nothing here imports pydantic: counters are read in NVML's own process, which is kept small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

Value = int | bool | str | list[int]


class GpuLostError(Exception):
    """The GPU no longer answers: asking it more could hang."""


class Nvml:
    """Asks NVML and tells absence from trouble.

    A question NVML cannot answer on this card, driver or with these rights gives None. Any other error gives None
    too and is kept in ``problems``, so that it becomes a gap; a GPU that is lost raises, and is asked nothing more.
    """

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.problems: dict[str, str] = {}
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
        except (ValueError, OSError, AttributeError, TypeError) as error:
            # pynvml itself fails on some drivers, for instance on a name that is not UTF-8.
            self.problems[name] = f"{type(error).__name__}: {error}"
            return None
        return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer

    def constant(self, name: str) -> int | None:
        """One of NVML's constants, None where this pynvml does not know it."""
        value = getattr(self.module, name, None)
        return value if isinstance(value, int) else None


@dataclass(frozen=True)
class GpuCounter:
    """``read(nvml, handle)`` gives a subset of ``fields``, which are names of ``GpuSnapshot``; what is unknown is left out."""

    fields: tuple[str, ...]
    read: Callable[[Nvml, Any], dict[str, Value]]


def known(**values: Value | None) -> dict[str, Value]:
    """The values that are there: absence is never zero."""
    return {name: value for name, value in values.items() if value is not None}
