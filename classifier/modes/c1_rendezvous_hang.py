"""C1: the ranks never found each other."""

from __future__ import annotations

from gpualert_slurm.classifier import standstill, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.verdict import Fault


class RendezvousHang(FailureMode):
    """Several ranks, no progress, and the text of a rendezvous that did not happen, or idle GPUs to the end."""

    code = "C1"
    title = "rendezvous hang"
    place = 40
    needs = "the ranks' output with times; GPU samples"
    positive = "several ranks, no progress, rendezvous text or silence with idle GPUs"
    excludes = "a task already dead (it is then the crash), data copy, image pull, suspension by Slurm"
    leaves_open = "coordinator, firewall or DNS, unless probed"

    def assess(self, facts: Facts) -> Assessment:
        """IN for a run of several ranks that stood still before any progress."""
        flip = "several ranks, no progress, rendezvous text or silence with idle GPUs until the end"
        text = facts.said("rendezvous")
        if facts.ended_well:
            return ruled_out("the run ended well", flip, *facts.cite_end())
        if facts.ranks_total < 2 and not text:
            return ruled_out("one rank alone meets nobody", "two ranks or more")
        if facts.advance.seen:
            return ruled_out("the run had made progress", "no progress", *facts.advance.marks[-1:])
        dead = [
            f
            for f in facts.failures
            if not f.follows
            and (f.root is None or f.root.says != "rendezvous")
            and (facts.error is None or facts.error.detail != "rendezvous_timeout")
        ]
        if dead:
            return ruled_out(f"{dead[0].name} had already ended with {dead[0].words}: the others waited for it", "all tasks alive", dead[0].evidence)
        if standstill.suspended(facts):
            return ruled_out("Slurm had suspended the job", "no suspension", *standstill.suspended(facts))
        if text:
            return ruled_in("the output says that ranks did not meet", "progress, or a task that died first", _account(facts))
        if not standstill.stopped(facts):
            return ruled_out("the run ended by itself, not after waiting", flip, *facts.cite_end())
        if facts.silence is None or not facts.has_logs:
            return not_testable("no times of the output are known", flip)
        if not facts.silence.long:
            return ruled_out(f"the last output came {words.duration(facts.silence.seconds)} before the end", flip, *facts.silence.cites)
        if not standstill.gpu_idle(facts):
            return not_testable("silence before any progress, but no GPU samples to tell waiting from working", flip)
        return ruled_in("silence and idle GPUs before any progress", "GPU work, or progress", _account(facts))


def _account(facts: Facts) -> Account:
    shows = [Said(f"rendezvous: {words.headline(words.told(e))}", (e,)) for e in facts.said("rendezvous")[:2]]
    shows += standstill.shows_standstill(facts)
    silent = sorted(
        {
            log.rank
            for r in facts.job.reports
            for log in r.logs
            if log.rank is not None and not log.bytes_seen and log.step not in {"batch", "interactive"}
        }
    )
    implies = (f"ranks that never wrote anything: {', '.join(map(str, silent[:16]))}",) if silent and len(silent) < facts.ranks_total else ()
    return Account(
        headline=words.headline(f"the {facts.ranks_total} ranks never met: hung before any progress"),
        shows=tuple(shows),
        fault=Fault.UNKNOWN,
        detail="rendezvous_timeout" if facts.said("rendezvous") else None,
        implies=implies,
        cannot_decide=("whether the coordinator, a firewall or name resolution is in the way",),
        advice=(
            (
                "Check that all ranks use one coordinator: export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST "
                "| head -1) MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))"
            ),
            "Name the interface where several exist: export NCCL_SOCKET_IFNAME=… GLOO_SOCKET_IFNAME=…",
            *standstill.WATCHDOG[1:],
        ),
    )


MODE = RendezvousHang()
