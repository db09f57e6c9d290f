"""B1: the GPU's memory did not suffice."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import citations, crash, strangers, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.evidence import Evidence, Trust
from gpualert_slurm.verdict import Fault

FOREIGN_BYTES = 15 * 1024 * 1024 * 20
"""Memory in use before the job that is somebody else's (gcm warns from 15 MiB per process on; a driver's own share is larger)."""


class GpuMemory(FailureMode):
    """Out of GPU memory in any wording: CUDA, HIP, JAX, TensorFlow, cuBLAS, cuDNN."""

    code = "B1"
    title = "GPU out of memory"
    place = 50
    needs = "the ranks' output; GPU memory samples to confirm"
    positive = "the text of the failed allocation, with requested, total and free parsed; the memory curve"
    excludes = "an allocation that failed and was survived (batch-size finder); a foreign process holding the memory is said"
    leaves_open = "which knob"

    def assess(self, facts: Facts) -> Assessment:
        """IN when the terminal error is a failed allocation on the GPU."""
        flip = "a failed allocation on the GPU that the run did not survive"
        said = facts.said("gpu_oom")
        if facts.ended_well:
            warn = (Said("an allocation on the GPU failed and the run went on", said[:1]),) if said else ()
            return ruled_out(
                "the run ended well" + (" although an allocation failed: it recovered" if said else ""),
                flip,
                *(said[:1] or facts.cite_end()),
                warnings=warn,
            )
        error = facts.error
        if error is not None and said and error.detail == "host_memory":
            return ruled_out("what was refused was the host's memory: no GPU of the run is known", flip, error)
        if error is None or error.cause is not Cause.CUDA_OOM:
            if said:
                warn = (Said("an allocation on the GPU failed earlier and the run went on", said[:1]),) if said[0] in facts.recovered else ()
                return ruled_out("an allocation failed and was survived", "no progress after it", said[0], warnings=warn)
            if not facts.has_logs:
                return not_testable("no output of the job was captured", flip)
            return ruled_out("no failed allocation on the GPU in the output", flip)
        return ruled_in(words.headline(words.told(error)), "progress after the failed allocation", _account(facts, error))


def _account(facts: Facts, error: Evidence) -> Account:
    sizes = _sizes(facts, error)
    shows = list(crash.shows_crash(facts, error))
    against: list[str] = []
    implies: list[str] = []
    requested, total, free = (words.parse_size(sizes.get(k)) for k in ("requested", "total", "free"))
    if requested and total and requested > total:
        implies.append(
            f"one request alone ({sizes['requested']}) is larger than the whole card ({sizes['total']}): a smaller batch may not be enough"
        )
    elif requested and free is not None and free < requested:
        implies.append(f"{sizes['requested']} were asked for, {sizes['free']} were free")
    other = next((s for s in facts.strangers if error.where.node in {None, s.node}), None)
    busy = [g for r in facts.job.reports for g in r.gpus_before if not g.job_attached and (g.memory_used_bytes or 0) > FOREIGN_BYTES]
    if other is not None:
        shows.append(Said(other.words, other.evidence))
        implies.append("somebody else's process held memory of this GPU: it is not the job's alone")
    elif busy:
        cite = citations.field("gpu_activity", f"GPU {busy[0].uuid}", "NVML before the job", "memory_used_bytes", str(busy[0].memory_used_bytes))
        shows.append(Said(f"{words.size(busy[0].memory_used_bytes or 0)} were in use on a GPU of {busy[0].node} before the job began", (cite,)))
        implies.append("another process may have held the memory")
    else:
        peak = [s for s in facts.series if s.name == "gpu_memory_used_bytes" and s.values]
        cards = {g.uuid: g.memory_total_bytes for g in facts.hardware.gpus if g.memory_total_bytes}
        high = [s for s in peak if (size := cards.get(s.where.gpu_uuid or "")) and max(s.values) >= 0.85 * size]
        cite_high = citations.series(high[0], trust=Trust.SYSTEM) if high else None
        if cite_high is not None:
            shows.append(Said(f"a GPU's memory was seen at {words.size(max(high[0].values))}", (cite_high,)))
        elif peak and cards and not (requested and requested > 2**30):
            against.append("the sampled memory curve stayed low")
    phase = _phase(facts, error)
    own = len([f for f in facts.failures if not f.follows])
    implies.append(f"it happened {phase}" + (f", on {own} of {facts.ranks_total} ranks" if facts.ranks_total > 1 and own else ""))
    advice = list(crash.advice_for(facts, error, Cause.CUDA_OOM, error.detail))
    if sizes.get("memory_cap"):
        advice.insert(0, "A cap is set on this process's share of the card (set_per_process_memory_fraction): raise it.")
    enough = other is not None and bool(requested) and (other.held_bytes or 0) + (free or 0) >= (requested or 0)
    if other is not None:
        advice = [*strangers.ADVICE, *advice]
    return Account(
        headline=words.subject(words.who(facts.first, error), _short(error, sizes)),
        shows=tuple(shows),
        fault=Fault.CLUSTER if enough else Fault.USER,
        cause=Cause.CUDA_OOM,
        detail=error.detail,
        implies=tuple(implies),
        cannot_decide=("which of batch size, sequence length, model or optimiser state to change",),
        advice=tuple(advice),
        against=tuple(against),
    )


def _phase(facts: Facts, error: Evidence) -> str:
    """Where in the run the memory gave out: it says which knob may help."""
    done = facts.advance.steps_done
    if facts.advance.seen:
        later = f"after step {done}" if done is not None else "in training"
        return f"{later}: longer sequences, a larger batch or something that is kept from step to step" if done is None or done > 1 else later
    if "optim" in str(error.data.get("function", "")).lower():
        return "when the optimiser first stepped: its state is what did not fit"
    if facts.said("training_started"):
        return "in the first step: the model fitted, its activations or the optimiser's state did not"
    return "before the first step: while the model was loaded or made"


def _sizes(facts: Facts, error: Evidence) -> dict[str, str]:
    """Requested, total and free, from the evidence that parsed them for the same rank."""
    for said in (error, *(e for e in facts.said("gpu_oom") if e.where.rank == error.where.rank)):
        found: dict[str, str] = {k: str(said.data[k]) for k in ("requested", "total", "free", "memory_cap") if k in said.data}
        if "requested" in found:
            return found
    return {}


def _short(error: Evidence, sizes: dict[str, str]) -> str:
    if "requested" not in sizes:
        return words.told(error)
    total = f" on a {sizes['total']} card" if "total" in sizes else ""
    free = f", {sizes['free']} free" if "free" in sizes else ""
    return f"GPU out of memory: {sizes['requested']} asked for{total}{free}"


MODE = GpuMemory()
