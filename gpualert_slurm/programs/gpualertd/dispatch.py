"""From verdicts to the outbox, one by one or gathered, and from the outbox's answer to ``done``."""

from __future__ import annotations

import hashlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice

from gpualert_slurm.config import Config
from gpualert_slurm.epilog.history.run import JudgedRun, MessageRow, Run
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notification import Notification
from gpualert_slurm.notify.compose import Composition
from gpualert_slurm.notify.digest import Digest
from gpualert_slurm.notify.grouping import Kind, Limits, Message, Waiting, plan
from gpualert_slurm.notify.identity import thread_key
from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.packed import Packed
from gpualert_slurm.programs.gpualertd.bounded import Bounded, BoundedError, StoppingError
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.programs.gpualertd.mailed import MailedLately
from gpualert_slurm.programs.gpualertd.systemd import tell
from gpualert_slurm.programs.undiagnosed import unknown
from gpualert_slurm.verdict import Verdict

log = logging.getLogger(__name__)

COMPOSE_TIMEOUT_S = 60.0
LONGEST_PAUSE_S = 600.0
OUTCOMES = {State.SENT: "sent", State.REFUSED: "refused", State.CORRUPT: "corrupt"}
BACKLOG = 20
"""When so many mails wait to be composed, they come without pictures and say so: a mail in time is worth more."""
TOGETHER, TOGETHER_BYTES = 32, 8 << 20
"""Messages that are put into the outbox at once, and how much of attachments they may hold."""
Ready = tuple[Run, str, Notification]
"""A run, whom it is gathered with, and its message."""
THREAD_NS = 30 * 86_400 * 1_000_000_000
"""A thread's first subject is looked for this far back: job ids come again."""


class Dispatch:
    """Composes and enqueues what is judged; looks what became of what is composed."""

    def __init__(self, history: History, outbox: Outbox, config: Config, bounded: Bounded) -> None:
        self._history = history
        self._outbox = outbox
        self._config = config
        self._bounded = bounded
        self._later: dict[int | str, tuple[float, float]] = {}
        self._backlog = False
        self._mailed = MailedLately(history)
        self.outcomes: Counter[str] = Counter()
        """What became of messages so far, by its word in the history."""
        self._limits = Limits(config.mail.group_interval_s, config.mail.address_per_hour)
        self._writing: tuple[Sequence[Ready], Future[list[str]]] | None = None
        """Messages that are being put into the outbox, which takes a disk's time, while others are judged; the history does not know of it yet."""
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="queueing")

    def judged(self, only: Collection[int] | None = None, crowd: int = 0) -> None:
        """Every judged run whose time has come into the outbox; one for which something failed is tried again later.

        ``only``: of these runs alone those that are told by themselves; who is gathered with whom is decided when all are looked at.
        ``crowd``: how many are being judged with them, for whom time is to be kept.

        The outbox has the message, durably and under a key that is fixed before, when the history says so: a daemon that
        dies in between composes the same again, and the outbox knows the key.
        """
        self._settle()  # who is gathered with whom depends on it
        waiting = self._history.judged(only)
        runs = {j.run.id: j.run for j in waiting}
        messages = self._plan(waiting, gather=only is None)
        self._backlog = max(len(messages), crowd) > BACKLOG
        addresses = {j.run.id: j.addresses for j in waiting}
        for message in messages:
            if message.kind is not Kind.ONE:
                self._fix(message, addresses[message.run_ids[0]])
        singles = iter([(runs[m.run_ids[0]], m.group) for m in messages if m.kind is Kind.ONE])
        while batch := list(islice(singles, TOGETHER)):
            self._several(batch)
        for planned in self._history.planned() if only is None else ():
            self._try(planned.key, planned.key, partial(self._digest, planned))
        if only is None:  # else others are judged now, and a disk may take its time meanwhile
            self._settle()

    def composed(self) -> None:
        """Mark runs as done whose message the relay took or refused, or that an operator dropped."""
        self._settle()
        open_messages = self._history.open_messages()
        if not open_messages:
            return
        states: dict[str, State | None] = dict.fromkeys(self._outbox.on_their_way(), State.QUEUED)
        with self._history.together():
            for key, run in open_messages:
                state = states[key] if key in states else states.setdefault(key, self._outbox.state_of(key))
                if state is None or state in OUTCOMES:
                    outcome = "dropped" if state is None else OUTCOMES[state]
                    self._history.mark_done(run.id, outcome, time.time_ns())
                    self.outcomes[outcome] += 1
                    (log.info if outcome == "sent" else log.warning)(line(outcome, job=run.label, key=key))

    def close(self) -> None:
        """Wait for what is being written; what the history does not know of then is composed again by the next start."""
        self._writer.shutdown(wait=True, cancel_futures=True)

    def _plan(self, waiting: Sequence[JudgedRun], *, gather: bool) -> list[Message]:
        """Runs that nobody is written to about, and those of an older schema, go their way at once."""
        alone = [Message(Kind.ONE, f"one/{j.run.id}", (j.run.id,)) for j in waiting if not j.known or not j.addresses]
        rest = [_waiting(j) for j in waiting if j.known and j.addresses]
        if not rest:
            return alone
        now = time.time_ns()
        return [*alone, *plan(rest, self._mailed.about(rest, now), self._limits, now, gather=gather)]

    def _fix(self, message: Message, addresses: Sequence[str]) -> None:
        """Plan a digest durably: its key says what it was planned to be."""
        ids = tuple(sorted(message.run_ids))
        digest = hashlib.sha256(repr((message.group, ids)).encode()).hexdigest()[:16]
        key = f"digest.{message.kind.value}.{ids[0]}-{ids[-1]}.{digest}"
        self._history.plan_message(key, ids, addresses, message.group, time.time_ns())
        log.info(line("digest_planned", key=key, runs=len(ids), held_back="yes" if message.held_back else None))

    def _try(self, what: int | str, label: str, work: Callable[[], None]) -> None:
        pause_s, not_before = self._later.get(what, (0.0, 0.0))
        if time.monotonic() < not_before:
            return
        tell("WATCHDOG=1")
        try:
            work()
            self._later.pop(what, None)
        except StoppingError:
            raise
        except Exception:  # a run that cannot be composed must not keep the others waiting
            pause_s = min(LONGEST_PAUSE_S, max(2.0, 2 * pause_s))
            self._later[what] = (pause_s, time.monotonic() + pause_s)
            log.exception(line("compose_failed", job=label, again_in_s=pause_s))

    def _several(self, batch: Sequence[tuple[Run, str]]) -> None:
        """Each run's own message: composed one by one, put into the outbox and noted together; a disk syncs once for all of them."""
        ready: list[Ready] = []
        for run, group in batch:
            self._try(run.id, run.label, partial(self._compose_into, ready, run, group))
            if sum(len(a.content) for _, _, one in ready for a in one.attachments) > TOGETHER_BYTES:
                self._put(ready)
                ready = []
        self._put(ready)

    def _compose_into(self, ready: list[Ready], run: Run, group: str) -> None:
        composition = self._compose(run)
        self._say_refused(composition, run.label)
        notification = composition.notification
        if notification is None:
            self._history.mark_done(run.id, "not wanted", time.time_ns())
            log.info(line("no_mail", job=run.label, why=composition.reason))
            return
        # Of a job that ran twice, both messages may be here: the history knows nothing of the first yet.
        earlier = [*(self._writing[0] if self._writing else ()), *ready]
        before = (one.subject for _, _, one in earlier if (one.thread, one.recipients) == (notification.thread, notification.recipients))
        if notification.thread is not None and (first := _plain(next(before, None))) is not None:
            notification = notification.model_copy(update={"subject": f"Re: {first}"})
        ready.append((run, group, notification))

    def _put(self, ready: Sequence[Ready]) -> None:
        """Begin to put them into the outbox; ``_settle`` notes it."""
        self._settle()
        if ready:
            self._writing = ready, self._writer.submit(self._outbox.enqueue_all, [one for _, _, one in ready], self._config.mail)

    def _settle(self) -> None:
        """Wait until the messages that were put last are in the outbox, and note it."""
        if self._writing is None:
            return
        (ready, written), self._writing = self._writing, None
        try:
            written.result()
            self._note(ready)
        except Exception:  # one of them cannot be queued, or none can
            log.exception(line("queueing_failed", messages=len(ready), again="one by one"))
            for each in ready:
                self._try(each[0].id, each[0].label, partial(self._enqueue, each))

    def _enqueue(self, ready: Ready) -> None:
        self._outbox.enqueue(ready[2], self._config.mail)
        self._note([ready])

    def _note(self, ready: Sequence[Ready]) -> None:
        now = time.time_ns()
        with self._history.together():
            for run, group, notification in ready:
                self._history.mark_composed(run.id, notification, now, group)
        for run, group, notification in ready:
            self._mailed.add(group, notification.recipients, now)
            log.info(line("queued", job=run.label, key=notification.key, recipients=len(notification.recipients)))

    def _digest(self, planned: MessageRow) -> None:
        verdicts = [self._history.verdict(run_id) for run_id in planned.run_ids]
        kind = Kind(planned.key.split(".")[1])
        first = self._history.first_subject(thread_key(verdicts[0]), planned.recipients, time.time_ns() - THREAD_NS)
        digest = Digest(planned.key, kind, planned.recipients, held_back=kind is Kind.LIMIT, first_subject=_plain(first))
        try:
            composition = self._bounded.call(Composition, compose_digest, verdicts, digest, self._config, timeout_s=COMPOSE_TIMEOUT_S)
        except BoundedError as error:  # then each on its own: nobody waits for a digest that cannot be made
            log.error(line("digest_failed", key=planned.key, runs=len(verdicts), why=error))
            self._several([(self._history.run(run_id), f"one/{run_id}") for run_id in planned.run_ids])
            self._history.unplan(planned.key)
            return
        self._say_refused(composition, planned.key)
        if composition.notification is None:
            for run_id in planned.run_ids:
                self._history.mark_done(run_id, "not wanted", time.time_ns())
            self._history.unplan(planned.key)
            log.info(line("no_mail", job=planned.key, why=composition.reason))
            return
        self._outbox.enqueue(composition.notification, self._config.mail)
        now = time.time_ns()
        self._history.mark_composed(planned.run_ids, composition.notification, now, planned.group)
        self._mailed.add(planned.group, composition.notification.recipients, now)
        log.info(line("queued", key=planned.key, runs=len(verdicts), recipients=len(composition.notification.recipients)))

    def _say_refused(self, composition: Composition, label: str) -> None:
        for shown, why in composition.refused:
            log.warning(line("address_refused", job=label, address=shown, why=why))

    def _compose(self, run: Run) -> Composition:
        """The message; where it cannot be made, the same without the node reports, then without the diagnosis too.

        Raises:
            BoundedError: not even that can be composed.
        """
        packed_record, packed_verdict = self._history.newest_packed(run.id)
        try:
            return self._call(packed_verdict, packed_record)
        except BoundedError as error:
            log.error(line("compose_failed_once", job=run.label, why=error))
            gap = Gap(what="the full message", why=f"it could not be composed: {error}")
        record, verdict = packed_record.read(), packed_verdict.read()
        bare = record.model_copy(update={"reports": (), "gaps": (*record.gaps, gap)})
        try:
            return self._call(verdict.model_copy(update={"gaps": (*verdict.gaps, gap)}), bare)
        except BoundedError as error:
            log.error(line("compose_failed_twice", job=record.attempt.label, why=error))
        return self._call(unknown(bare, gap), bare)

    def _call(self, verdict: Verdict | Packed[Verdict], record: JobRecord | Packed[JobRecord]) -> Composition:
        composition = self._bounded.call(Composition, compose, verdict, record, self._config, self._backlog, timeout_s=COMPOSE_TIMEOUT_S)
        notification = composition.notification
        if notification is None or notification.thread is None:
            return composition
        first = _plain(self._history.first_subject(notification.thread, notification.recipients, time.time_ns() - THREAD_NS))
        if first is None:
            return composition
        answer = notification.model_copy(update={"subject": f"Re: {first}"})
        return Composition(answer, composition.reason, composition.refused, composition.redactions)


def _waiting(judged: JudgedRun) -> Waiting:
    run = judged.run
    return Waiting(
        run_id=run.id, cluster=run.cluster, uid=run.uid, addresses=judged.addresses, problem=judged.problem, started_ns=judged.started_ns,
        judged_ns=run.judged_ns or time.time_ns(), array_job_id=judged.array_job_id, het_job_id=judged.het_job_id, fingerprint=judged.fingerprint,
    )  # fmt: skip


def _plain(subject: str | None) -> str | None:
    return subject.removeprefix("Re: ") if subject else None


def compose(verdict: Verdict, record: JobRecord, config: Config, backlog: bool = False) -> Composition:
    """What runs in the child."""
    from gpualert_slurm.notify.compose import compose as compose_message
    from gpualert_slurm.notify.pictures import draw

    if backlog:
        return compose_message(verdict, record, config.mail, config.site, no_pictures=f"more than {BACKLOG} mails were waiting")
    return compose_message(verdict, record, config.mail, config.site, pictures=draw(verdict, record))


def compose_digest(verdicts: Sequence[Verdict], digest: Digest, config: Config) -> Composition:
    """What runs in the child, for a digest."""
    from gpualert_slurm.notify.digest import compose_digest as compose_message

    return compose_message(verdicts, digest, config.mail)
