"""The mail of a gpualert-run: through the user's own relay or the site's, from an outbox beside the bundles."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gpualert_slurm.config import DEFAULT_PATH, Config, ConfigError, Mail, load
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notification import Notification
from gpualert_slurm.run_file import RunFile
from gpualert_slurm.verdict import Verdict

if TYPE_CHECKING:
    from gpualert_slurm.notify.channel import Sender
    from gpualert_slurm.notify.outbox import Outbox

MAIL_NAME = "mail.eml"
OUTBOX_NAME = "outbox"
KEEP_TRYING_S = 600.0
"""As long as one finish stays for its own mail; what is still deferred then goes out with the next run's."""

log = logging.getLogger("gpualert.finish")


def own_config_path() -> Path:
    """The user's own configuration."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(home) if home.startswith("/") else Path("~/.config").expanduser()) / "gpualert" / "gpualert.toml"


def config_of_user() -> tuple[Config, Path | None]:
    """The user's own file where there is one, else the site's; and which it was.

    In the user's own file, which names his own relay, ``mail.allowed_domains`` left out means everybody: he mails in his
    own name. In the site's it means nobody, as everywhere.

    Raises:
        ConfigError: the file that counts cannot be used.
    """
    try:
        own = own_config_path()
        present = own.is_file()
    except (OSError, RuntimeError):
        present = False
    if not present:
        return load(), DEFAULT_PATH if DEFAULT_PATH.exists() else None
    config = load(own)
    if "allowed_domains" not in config.mail.model_fields_set:
        config = config.model_copy(update={"mail": config.mail.model_copy(update={"allowed_domains": ("*",)})})
    return config, own


def send(bundle: Path, run: RunFile, job: JobRecord, verdict: Verdict) -> int:
    """Compose the mail and hand it over, or say in the log why there is none. Gives finish's exit status."""
    from gpualert_slurm.notify.compose import compose
    from gpualert_slurm.notify.pictures import draw

    if not run.wishes.addresses:
        return 0
    if not run.notify:
        log.info("no mail: --no-notify")
        return 0
    try:
        config, path = config_of_user()
    except ConfigError as error:
        log.error("no mail: %s", error)
        return 1
    try:
        composed = compose(verdict, job, config.mail, config.site, pictures=draw(verdict, job))
    except Exception as error:  # what a log can make of a picture or a quote must not cost the mail
        log.exception("the full mail could not be composed")
        gap = Gap(what="the full message", why=f"it could not be composed: {type(error).__name__}: {error}")
        bare = job.model_copy(update={"reports": (), "gaps": (*job.gaps, gap)})
        composed = compose(verdict.model_copy(update={"gaps": (*verdict.gaps, gap)}), bare, config.mail, config.site)
    if composed.notification is None:
        log.info("no mail: %s", composed.reason)
        if composed.refused and path is None:
            log.error("neither %s nor %s is there to name a relay", own_config_path(), DEFAULT_PATH)
        return 1 if composed.refused else 0
    if run.dry_run:
        return _keep(bundle, composed.notification, config.mail)
    return _hand_over(bundle, composed.notification, config.mail)


def _keep(bundle: Path, notification: Notification, mail: Mail) -> int:
    from gpualert_slurm.notify.message import build
    from gpualert_slurm.spool import write_whole

    write_whole(bundle / MAIL_NAME, build(notification, mail, time.time_ns())[1])
    log.info("not sent, as --dry-run wants it: %s", bundle / MAIL_NAME)
    return 0


def _hand_over(bundle: Path, notification: Notification, mail: Mail) -> int:
    from gpualert_slurm.notify.channel import ChannelError, open_channel
    from gpualert_slurm.notify.outbox import Outbox

    try:
        outbox = Outbox(bundle.parent / OUTBOX_NAME)
        key = outbox.enqueue(notification, mail)
        channel = open_channel(mail)
    except (OSError, ValueError, ChannelError) as error:
        log.error("the mail could not be queued: %s", error)
        return 1
    return asyncio.run(_deliver(outbox, channel, key))


async def _deliver(outbox: Outbox, channel: Sender, key: str) -> int:
    """Be the outbox's sender until this message has left, or for KEEP_TRYING_S; another finish may be it instead."""
    from gpualert_slurm.notify.outbox import OutboxBusyError, State

    open_states = {State.QUEUED, State.ACTIVE, State.DEFERRED}
    until = time.monotonic() + KEEP_TRYING_S
    try:
        while (state := outbox.state_of(key)) in open_states and time.monotonic() < until:
            with contextlib.suppress(OutboxBusyError):  # another finish: it takes what is due, ours as well
                await outbox.deliver_due(channel)
            if outbox.state_of(key) in open_states:
                await asyncio.sleep(1.0)
    finally:
        await channel.close()
    if state is State.SENT:
        log.info("mail %s was taken by the relay", key)
        return 0
    log.error("mail %s is %s in %s; see: gpualert outbox", key, state.value if state else "gone", outbox.folder)
    return 1
