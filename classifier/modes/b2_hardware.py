"""B2: the GPU, its memory, its links or its bus failed."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.meaning import HARDWARE, specific
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.xids import RESET, WORDS
from gpualert_slurm.evidence import Evidence, Reading
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.verdict import Fault

EXPLAINS_ITSELF = {"file_not_found", "permission", "missing_module", "div_zero", "assertion", "device_mismatch"}
"""An error of these needs no hardware to explain it: an undated counter that moved somewhere in the run is then a warning."""
NAMED = {"file_not_found", "permission", "missing_module"}
"""No fault of a card makes one of these: a counter that moved in the same moment is a warning, too."""
PROGRAMS_OWN = {"KeyError", "NameError", "UnboundLocalError", "AttributeError", "TypeError"}
"""Nor one of these: a name or a key that is not there is the program's."""
_MEMORY = (("ecc_", "remap"), frozenset({48, 63, 64, 92, 94, 95, 140, 160, 171, 172}))
OF_A_KIND = {"ecc_uncorrectable": _MEMORY, "contained_error": _MEMORY, "nvlink_uncorrectable": (("nvlink",), frozenset({74, *range(144, 151)}))}
"""Counters and XIDs that speak of the same part of a GPU as the job's own last error."""


class HardwareFailure(FailureMode):
    """XID, ECC, row remap, NVLink, off the bus; co-incident with an abnormal end, on a GPU of the job."""

    code = "B2"
    title = "GPU hardware failure"
    place = 30
    variants = ("fault",)
    needs = "GPU counters before and after, the kernel log"
    positive = "a counter delta or a hardware XID co-incident with the abnormal end on a GPU of the job; or a GPU that vanished"
    excludes = "XID 13, 31, 43, 69 alone (the application first), 45 (a cascade), a clean end; flat, older counters are a warning"
    leaves_open = "whether it is permanent"

    def assess(self, facts: Facts) -> Assessment:
        """IN for hardware evidence in the terminal episode of a run that ended badly."""
        machine = facts.hardware
        flip = "a hardware XID, or a counter that moved, at the abnormal end on a GPU of the job"
        aside = tuple(_warning(e, facts) for e in machine.latent[:6]) + tuple(
            Said(f"{_named(e, facts)}: NVML recommends {getattr(e.source, 'value', '')}", (e,)) for e in machine.incidental[:2]
        )
        struck = machine.struck or _tied(facts)
        if not struck:
            hint = tuple(Said("the job's own output names a hardware error; no record of the system confirms it", (e,)) for e in _texts(facts)[:1])
            if machine.latent:
                return latent("older or flat counters and messages only: nothing in the terminal episode", flip, *aside, *hint)
            if machine.application:
                number = machine.application[0].data.get("xid")
                return ruled_out(f"XID {number} is the application's first, and no counter moved", flip, *machine.application[:2], warnings=aside)
            if not machine.has_counters and not facts.said("xid", "gpu_off_bus", "sxid", "kernel_line"):
                why = "no GPU counters before and after the job" if facts.job.reports else "no report from any node"
                return Assessment(not_testable(why, flip).standing, why, flip, warnings=(*hint, *aside))
            cites = _clean(facts)
            return ruled_out("the counters of the job's GPUs did not move, and the kernel named no GPU", flip, *cites, warnings=(*hint, *aside))
        if facts.ended_well:
            return latent("hardware evidence, and a clean end", "an abnormal end", *(_warning(e, facts) for e in struck[:6]), *aside)
        if _explained(facts):
            return latent(
                "a counter moved at some time of the run; the end explains itself by its own error",
                "a time that ties the counter to the end",
                *(_warning(e, facts) for e in struck[:6]),
                *aside,
            )
        return ruled_in(_what(struck[0]), "flat counters and no XID at the end", _account(facts, struck), warnings=aside)


def _tied(facts: Facts) -> tuple[Evidence, ...]:
    """What the machine said earlier in this run of just what the first failing rank's last error names: then that is what ended it."""
    error = facts.error
    kind = OF_A_KIND.get(error.detail or "") if error is not None else None
    if kind is None or facts.ended_well:
        return ()
    words_, numbers = kind
    found = [e for e in facts.hardware.latent if e.data.get("xid") in numbers or str(e.data.get("counter", "")).startswith(words_)]
    begun = facts.ending.started_ns or 0
    found = [e for e in found if e.data.get("before") != e.data.get("after") or (e.says == "xid" and (e.time_ns or 0) >= begun)]
    mine = {c.uuid for c in facts.activity.cards if facts.first is not None and c.rank is not None and c.rank == facts.first.rank}
    return tuple(e for e in found if not mine or e.where.gpu_uuid in mine or e.where.gpu_uuid is None)


def _explained(facts: Facts) -> bool:
    """Only counters speak of hardware, undated ones or such as no device's error could follow, and the terminal error needs none."""
    error = facts.error
    counters = all(isinstance(e.source, Reading) for e in facts.hardware.struck)
    if counters and error is not None and error.cause is not None and error.cause.value in NAMED and "/dev/" not in words.told(error):
        return True
    if counters and error is not None and str(error.data.get("type", "")) in PROGRAMS_OWN and not specific(error.cause):
        return True
    undated = counters and not any(e.data.get("dated") for e in facts.hardware.struck)
    return undated and error is not None and specific(error.cause) and error.cause is not None and error.cause.value in EXPLAINS_ITSELF


def _texts(facts: Facts) -> list[Evidence]:
    return [e for e in facts.evidence if e.says == "hardware_text" or e.detail in HARDWARE]


def _clean(facts: Facts) -> list[Evidence]:
    cites = []
    for report in facts.job.reports:
        for gpu in report.gpus_after[:2]:
            if gpu.ecc_volatile_uncorrected is not None:
                value = str(gpu.ecc_volatile_uncorrected)
                cites.append(citations.field("gpu_latent", f"GPU {gpu.uuid} on {gpu.node}", "NVML after the job", "ecc_volatile_uncorrected", value))
    return cites[:4]


def _what(struck: Evidence) -> str:
    number = struck.data.get("xid")
    if isinstance(number, int):
        return f"XID {number} ({WORDS.get(number, 'hardware')})"
    if struck.says == "gpu_counter":
        return f"{str(struck.data['counter']).replace('_', ' ')} went from {struck.data['before']} to {struck.data['after']}"
    return {"gpu_off_bus": "a GPU fell off the bus", "sxid": "an NVSwitch error", "gpu_vanished": "a GPU could not be read any more"}.get(
        struck.says, struck.says
    )


def _card(struck: Evidence, facts: Facts) -> GpuSnapshot | None:
    return next((g for g in facts.hardware.gpus if g.uuid == struck.where.gpu_uuid), None)


def _named(struck: Evidence, facts: Facts) -> str:
    card = _card(struck, facts)
    uuid = struck.where.gpu_uuid or str(struck.data.get("pci", ""))
    serial = f", serial {card.serial}" if card is not None and card.serial else ""
    index = f"GPU {card.index} " if card is not None and card.index is not None else "a GPU "
    return f"{index}({uuid}{serial}) on {struck.where.node or 'a node'}" if uuid else f"a GPU on {struck.where.node or 'a node'}"


def _warning(struck: Evidence, facts: Facts) -> Said:
    if struck.says == "gpu_latent":
        name, value = struck.data.get("counter"), struck.data.get("after")
        moved = struck.data.get("before") != value
        return Said(f"{_named(struck, facts)}: {str(name).replace('_', ' ')} is {value}" + ("" if moved else ", as before the job"), (struck,))
    return Said(f"{_named(struck, facts)}: {_what(struck)}", (struck,))


def _last_cause(facts: Facts) -> Cause | None:
    """What a runtime that ended its program without an exception said of its device."""
    said = [e for e in facts.evidence if e.cause is Cause.CUDA_RUNTIME and e.says == "error_line" and e.detail in HARDWARE and not facts.survived(e)]
    return said[-1].cause if said else None


def _account(facts: Facts, struck: tuple[Evidence, ...]) -> Account:
    first = struck[0]
    shows = [Said(f"{_named(e, facts)}: {_what(e)}", (e,)) for e in struck[:6]]
    error = facts.error
    if error is not None:
        shows.append(Said(f"the job then said: {words.headline(words.told(error))}", (error,)))
    if facts.cite_failures(1):
        shows.append(Said(f"{facts.failures[0].name} ended with {facts.failures[0].words}", facts.cite_failures(1)))
    if facts.cite_end():
        shows.append(Said(f"the run ended as {facts.ending.state}", facts.cite_end()))
    action = next((e for e in facts.said("xid") if e.data.get("xid") == 154), None)
    if action is not None:
        shows.append(Said(f"the driver names the recovery: {action.data.get('words', '')}", (action,)))
    nodes = sorted({e.where.node for e in struck if e.where.node})
    number = first.data.get("xid")
    advice = []
    if nodes:
        node = ",".join(nodes)
        what = f"XID {number}" if isinstance(number, int) else _what(first)
        advice = [f"#SBATCH --exclude={node}", f'For the operators: scontrol update NodeName={node} State=DRAIN Reason="gpualert: {what}"']
    if isinstance(number, int) and number in RESET:
        advice.append("NVIDIA's action for it is a reset of the GPU, once no job is on it.")
    elif isinstance(number, int) and number == 79:
        advice.append("NVIDIA's action for it is a restart of the node, then support.")
    advice.append("Submit again elsewhere, from the last checkpoint: the job itself is not at fault.")
    uncorrected = isinstance(number, int) and number in {48, 63, 64, 94, 95, 140, 171, 172}
    return Account(
        headline=words.headline(f"{_named(first, facts)}: {_what(first)}"),
        shows=tuple(shows),
        fault=Fault.NODE,
        cause=error.cause if error is not None else _last_cause(facts),
        detail=f"xid_{number}" if isinstance(number, int) else str(first.data.get("counter", first.says)),
        variant="fault",
        implies=("the GPU's memory gave wrong data that could not be corrected",)
        if uncorrected or "ecc" in str(first.data.get("counter", ""))
        else (),
        cannot_decide=("whether the fault is permanent: one run does not show it",),
        advice=tuple(advice),
    )


MODE = HardwareFailure()
