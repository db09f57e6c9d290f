"""The running daemon's numbers after a real job: what it kept, judged, asked and mailed."""

from __future__ import annotations

import socket
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from tests.system.test_daemon import MAIL, once
from tests.testbed import Cluster
from tests.testbed.daemon import wait_until


def test_numbers_of_a_mailed_job(cluster: Cluster) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    cluster.configure({"daemon": {"metrics": f"127.0.0.1:{port}"}})
    found: dict[tuple[str, str], float] = {}

    def scraped() -> dict[tuple[str, str], float]:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        found.update({(s.name, "".join(s.labels.values())): s.value for f in text_string_to_metric_families(text) for s in f.samples})
        return found

    try:
        cluster.start_daemon()
        once(cluster, cluster.submit("exit 3", "-n1", MAIL))
        wait_until(lambda: scraped().get(("gpualert_mails_total", "sent"), 0) >= 1, "the mail to be counted", 30, poll_s=0.2)
        assert found["gpualert_documents_total", "note"] >= 1
        assert found["gpualert_documents_total", "report"] >= 1
        assert sum(value for (name, _), value in found.items() if name == "gpualert_runs_judged_total") >= 1
        assert found["gpualert_slurm_queries_total", ""] >= 3
        assert found["gpualert_last_pass_timestamp_seconds", ""] > 0
        assert found["gpualert_outbox_messages", "corrupt"] == 0
    finally:
        cluster.daemon.stop()
        cluster.gpualert.settings["daemon"].pop("metrics")
        cluster.configure()
