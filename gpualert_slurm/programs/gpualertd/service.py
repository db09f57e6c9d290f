"""All parts of the daemon, built from the configuration and let go of again."""

from __future__ import annotations

import contextlib
import gc
import logging
import sys
import threading
from types import TracebackType

from gpualert_slurm.config import Config, ConfigError
from gpualert_slurm.discovery import discover
from gpualert_slurm.epilog import slurm_records
from gpualert_slurm.epilog.history.database import HistoryError
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.provider import Asking, ProviderFile, RecordsError
from gpualert_slurm.epilog.seal import seal_of
from gpualert_slurm.epilog.transport import transport_of
from gpualert_slurm.notify.channel import ChannelError, open_channel
from gpualert_slurm.notify.outbox import Outbox
from gpualert_slurm.programs.daemon import StartError
from gpualert_slurm.programs.gpualertd.addresses import Addresses
from gpualert_slurm.programs.gpualertd.bounded import Bounded
from gpualert_slurm.programs.gpualertd.diagnosis import Diagnosis
from gpualert_slurm.programs.gpualertd.dispatch import Dispatch
from gpualert_slurm.programs.gpualertd.intake import Intake
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.programs.gpualertd.loop import Loop, Parts
from gpualert_slurm.programs.gpualertd.metrics import Metrics
from gpualert_slurm.programs.gpualertd.numbers import numbers
from gpualert_slurm.programs.gpualertd.reconcile import Reconciler
from gpualert_slurm.programs.gpualertd.sending import Sending
from gpualert_slurm.programs.gpualertd.slurm_view import SlurmView
from gpualert_slurm.programs.gpualertd.stall_desk import StallDesk

log = logging.getLogger(__name__)

SWITCH_S = 0.0005
"""Who judges does not wait for who sends: CPython's own 5 ms are as long as a verdict takes, and each answer of the child may meet them."""
SELDOM = (100_000, 20, 50)
"""Objects made between two searches for garbage, and searches of the young before one of the older."""


class Service:
    """The daemon's parts. As a context: opens history and outbox, starts sending, and ends both in order."""

    def __init__(self, config: Config, stop: threading.Event) -> None:
        self._config = config
        self._stop = stop
        self._closing = contextlib.ExitStack()

    def __enter__(self) -> Service:
        """Build all of it.

        Raises:
            StartError: history, outbox, spool folder or channel cannot be used; the text says what to do.
            ConfigError: the mail channel's configuration does not hold together.
        """
        with contextlib.ExitStack() as building:
            self._build(building)
            self._closing = building.pop_all()
        return self

    def _build(self, building: contextlib.ExitStack) -> None:
        config, folder = self._config, self._config.daemon.state_dir
        chosen, asking = self._slurm()
        try:
            history = History(folder / "history.db")
            building.callback(history.close)
            self.outbox = Outbox(folder / "outbox")
            stalls = StallDesk(folder / "stalls", self.outbox, config)
            seal, transport = seal_of(config.site), transport_of(config.site)
            intake = Intake(config, self.cluster, transport=transport, seal=seal, history=history, stopping=self._stop.is_set, stalls=stalls)
            building.callback(transport.close)
            building.callback(intake.close)
            intake.prepare()
        except HistoryError as error:
            raise StartError(str(error)) from error
        except OSError as error:
            raise StartError(f"{error}; see site.spool_dir and daemon.state_dir") from error
        bounded = Bounded(self._stop.is_set)
        building.callback(bounded.close)
        view = SlurmView(chosen.open(asking), config.daemon.slurm_poll_s)
        dispatch = Dispatch(history, self.outbox, config, bounded)
        building.callback(dispatch.close)
        parts = Parts(
            intake, view,
            Diagnosis(history, bounded, config.daemon.report_deadline_s, Addresses(config).of),
            dispatch,
            Reconciler(config, history, view, chosen.open(asking), asking),
        )
        self.loop = Loop(config.daemon, history, parts, self._stop.is_set)
        try:
            open_channel(config.mail)
        except ChannelError as error:
            raise ConfigError(str(error)) from error
        if not config.mail.allowed_domains:
            log.warning(line("nobody_is_mailed", why="mail.allowed_domains is empty"))
        building.enter_context(Metrics(config.daemon.metrics, lambda: numbers(self.loop, parts, self.outbox)))
        sending = Sending(self.outbox, config.mail, open_channel)
        sending.start()
        building.callback(sending.stop)
        # What stays for ever is not searched for garbage again and again; what comes and goes (reports of a hundred thousand parts) has no cycles.
        gc.freeze()
        sys.setswitchinterval(SWITCH_S)
        gc.set_threshold(*SELDOM)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop sending, close the history."""
        self._closing.close()

    def _slurm(self) -> tuple[ProviderFile, Asking]:
        config = self._config
        self.provider_name, chosen = choose_provider(config.daemon.provider)
        asking = Asking(cluster=config.site.cluster, timeout_s=config.daemon.slurm_timeout_s, stopping=self._stop.is_set)
        pause_s = 1.0
        while config.site.cluster is None:
            try:
                asking = Asking(cluster=chosen.open(asking).cluster_name(), timeout_s=asking.timeout_s, stopping=asking.stopping)
                break
            except RecordsError as error:
                log.warning(line("cluster_unknown", why=error, hint="or set site.cluster", again_in_s=pause_s))
            if self._stop.wait(pause_s):
                raise StartError("ended before Slurm had said the cluster's name")
            pause_s = min(30.0, 2 * pause_s)
        assert asking.cluster is not None  # noqa: S101 - the loop above ends with a name
        self.cluster = asking.cluster
        return chosen, asking


def choose_provider(wanted: str) -> tuple[str, ProviderFile]:
    """The provider that ``daemon.provider`` names; for ``auto`` the preferred one that works here.

    Raises:
        StartError: the one that was asked for by name does not work here.
    """
    found = discover(slurm_records, "PROVIDER", ProviderFile)
    if wanted != "auto":
        why = found[wanted].why_not()
        if why is not None:
            raise StartError(f"daemon.provider = {wanted!r}: {why}")
        return wanted, found[wanted]
    for name, provider in sorted(found.items(), key=lambda item: -item[1].preference):
        if provider.why_not() is None:
            return name, provider
    raise StartError("no provider of Slurm's records works here")
