"""XIDs and other events as NVML reports them, stamped when they come: a thread that waits in the driver and wakes for nothing else.

They name the card, not the process; the kernel log has both, and is often closed to others (``kernel.dmesg_restrict``) or overrun.
"""

from __future__ import annotations

import threading
import time
from types import ModuleType

_WAIT_MS = 3_600_000
_MOST_KEPT = 256
_XID = 0x8
_KINDS = {
    _XID: "xid", 0x2: "double_bit_ecc", 0x400: "dram_retirement", 0x800: "dram_retirement_failure", 0x2000: "fatal_poison", 0x4000: "gpu_unavailable",
}  # fmt: skip
"""nvmlEventType* in nvml.h; those a card or driver has not are left out when it is registered."""

Event = dict[str, str | int]


class NvmlEvents:
    """``start`` once, ``take`` what came since the last time. Where NVML has no events there are none, and nothing waits."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._lock = threading.Lock()
        self._found: list[Event] = []
        self._lost = 0
        self._started = False
        self.waiting = False
        """Whether a thread of ours is inside NVML."""

    def start(self) -> None:
        """Register every card and begin to wait; does nothing the second time."""
        if self._started:
            return
        self._started = True
        module = self._module
        try:
            events = module.nvmlEventSetCreate()
            handles = [module.nvmlDeviceGetHandleByIndex(index) for index in range(int(module.nvmlDeviceGetCount()))]
        except module.NVMLError:
            return
        uuids: dict[int, str] = {}
        for handle in handles:
            try:
                supported = int(module.nvmlDeviceGetSupportedEventTypes(handle))
                module.nvmlDeviceRegisterEvents(handle, supported & sum(_KINDS), events)
                uuid = module.nvmlDeviceGetUUID(handle)
            except module.NVMLError:
                continue
            uuids[_address(handle)] = uuid.decode("ascii", "replace") if isinstance(uuid, bytes) else uuid
        if uuids:
            self.waiting = True
            threading.Thread(target=self._wait, args=(events, uuids), daemon=True).start()

    def take(self) -> list[Event]:
        """What came since the last call: ``{"time_ns", "uuid", "kind", "number"}``; more than 256 at once are counted in ``lost``."""
        with self._lock:
            found, self._found = self._found, []
            if self._lost:
                found.append({"kind": "lost", "number": self._lost, "time_ns": time.time_ns(), "uuid": ""})
                self._lost = 0
        return found

    def _wait(self, events: object, uuids: dict[int, str]) -> None:
        module = self._module
        while True:
            try:
                event = module.nvmlEventSetWait_v2(events, _WAIT_MS)
            except module.NVMLError as error:
                if getattr(error, "value", None) == module.NVML_ERROR_TIMEOUT:
                    continue
                self.waiting = False  # GPU_IS_LOST and the like: the counters say it too
                return
            kind = _KINDS.get(int(event.eventType))
            uuid = uuids.get(_address(event.device))
            if kind is None or uuid is None:
                continue
            found: Event = {"time_ns": time.time_ns(), "uuid": uuid, "kind": kind, "number": int(event.eventData) if kind == "xid" else 0}
            if kind == "xid" and 0 <= int(event.gpuInstanceId) < 0xFFFFFFFF:
                found["gpu_instance"] = int(event.gpuInstanceId)
            with self._lock:
                if len(self._found) < _MOST_KEPT:
                    self._found.append(found)
                else:
                    self._lost += 1


def _address(handle: object) -> int:
    """What a handle points to: NVML gives the same for the same card."""
    import ctypes

    return ctypes.cast(handle, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
