"""The base of every type that crosses a room's wall or reaches the disk."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError


class Record(BaseModel):
    """A frozen value. Unknown keys are ignored, so that an older reader survives a newer writer."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", ser_json_inf_nan="strings", allow_inf_nan=True, ser_json_bytes="base64", val_json_bytes="base64"
    )

    def json_bytes(self) -> bytes:
        """UTF-8 JSON on one line, fields in declared order, absent optional fields left out."""
        return self.model_dump_json(exclude_none=True).encode("utf-8", "surrogatepass")


def first_problem(error: ValidationError) -> str:
    """Where a record is wrong, and how, by the first of its errors: ``gaps.0: Input should be …``."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


TimeNs: TypeAlias = int
"""Nanoseconds since 1970-01-01 UTC, as CLOCK_REALTIME counts them."""
