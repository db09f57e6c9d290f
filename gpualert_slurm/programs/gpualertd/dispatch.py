"""From a verdict to the outbox, and from the outbox's answer to ``done``."""

from __future__ import annotations

import logging
import time

from gpualert_slurm.config import Config
from gpualert_slurm.epilog.history.run import Run, RunState
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify.compose import Composition
from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.programs.gpualertd.bounded import Bounded, BoundedError, StoppingError
from gpualert_slurm.programs.gpualertd.diagnosis import unknown
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.programs.gpualertd.systemd import tell
from gpualert_slurm.verdict import Verdict

log = logging.getLogger(__name__)

COMPOSE_TIMEOUT_S = 60.0
LONGEST_PAUSE_S = 600.0
OUTCOMES = {State.SENT: "sent", State.REFUSED: "refused", State.CORRUPT: "corrupt"}


class Dispatch:
    """Composes and enqueues what is judged; looks what became of what is composed."""

    def __init__(self, history: History, outbox: Outbox, config: Config, bounded: Bounded) -> None:
        self._history = history
        self._outbox = outbox
        self._config = config
        self._bounded = bounded
        self._later: dict[int, tuple[float, float]] = {}

    def judged(self) -> None:
        """Every judged run into the outbox; one for which something failed is tried again later.

        The outbox has the message, durably and under a key that the verdict fixes, before the history says so: a daemon
        that dies in between composes again, and the outbox knows the key.
        """
        for run in self._history.runs(RunState.JUDGED):
            pause_s, not_before = self._later.get(run.id, (0.0, 0.0))
            if time.monotonic() < not_before:
                continue
            tell("WATCHDOG=1")
            try:
                self._one(run)
                self._later.pop(run.id, None)
            except StoppingError:
                raise
            except Exception:  # a run that cannot be composed must not keep the others waiting
                pause_s = min(LONGEST_PAUSE_S, max(2.0, 2 * pause_s))
                self._later[run.id] = (pause_s, time.monotonic() + pause_s)
                log.exception(line("compose_failed", job=run.label, again_in_s=pause_s))

    def composed(self) -> None:
        """Mark runs as done whose message the relay took or refused, or that an operator dropped."""
        for key, run in self._history.open_messages():
            state = self._outbox.state_of(key)
            if state is None or state in OUTCOMES:
                outcome = "dropped" if state is None else OUTCOMES[state]
                self._history.mark_done(run.id, outcome, time.time_ns())
                (log.info if outcome == "sent" else log.warning)(line(outcome, job=run.label, key=key))

    def _one(self, run: Run) -> None:
        record, verdict = self._history.newest_verdict(run.id)
        composition = self._compose(verdict, record)
        for shown, why in composition.refused:
            log.warning(line("address_refused", job=run.label, address=shown, why=why))
        notification = composition.notification
        if notification is None:
            self._history.mark_done(run.id, "not wanted", time.time_ns())
            log.info(line("no_mail", job=run.label, why=composition.reason))
            return
        self._outbox.enqueue(notification, self._config.mail)
        self._history.mark_composed(run.id, notification, time.time_ns())
        log.info(line("queued", job=run.label, key=notification.key, recipients=len(notification.recipients)))

    def _compose(self, verdict: Verdict, record: JobRecord) -> Composition:
        """The message; where it cannot be made, the same without the node reports, then without the diagnosis too.

        Raises:
            BoundedError: not even that can be composed.
        """
        try:
            return self._call(verdict, record)
        except BoundedError as error:
            log.error(line("compose_failed_once", job=record.attempt.label, why=error))
            gap = Gap(what="the full message", why=f"it could not be composed: {error}")
        bare = record.model_copy(update={"reports": (), "gaps": (*record.gaps, gap)})
        try:
            return self._call(verdict.model_copy(update={"gaps": (*verdict.gaps, gap)}), bare)
        except BoundedError as error:
            log.error(line("compose_failed_twice", job=record.attempt.label, why=error))
        return self._call(unknown(bare, gap), bare)

    def _call(self, verdict: Verdict, record: JobRecord) -> Composition:
        return self._bounded.call(compose, verdict, record, self._config, timeout_s=COMPOSE_TIMEOUT_S)


def compose(verdict: Verdict, record: JobRecord, config: Config) -> Composition:
    """What runs in the child."""
    from gpualert_slurm.notify.compose import compose as compose_message

    return compose_message(verdict, record, config.mail, config.site)
