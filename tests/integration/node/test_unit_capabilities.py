"""The example unit of gpualert-node leaves root the capabilities that its parts need: each is tried with exactly those."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

UNIT = Path(__file__).resolve().parents[3] / "slurm_conf_examples" / "gpualert-node.service"
PARTS = """
import json, os, socket, subprocess, sys, time
from gpualert_slurm.spank.watch.kernel_log import KernelLog
from gpualert_slurm.spank.watch.proc_events import ProcEvents
from gpualert_slurm.spank.watch.process_identity import IdentityReader
events, log = ProcEvents(), KernelLog()
log.read()
pid = int(sys.argv[1])
child = subprocess.Popen(["sh", "-c", "exit 7"])
child.wait()
time.sleep(0.2)
ends = [end.status >> 8 for end in events.read() if end.pid == child.pid]
identity = IdentityReader().read(pid)
print(json.dumps({"events": events.problem, "log": log.problem, "ends": ends, "rank": identity.environment.get("RANK"),
                  "stack": os.access(f"/proc/{pid}/stack", os.R_OK), "maps": len(open(f"/proc/{pid}/maps").read())}))
"""


def test_every_part_works_with_the_units_capabilities_and_no_more() -> None:
    """Ends of processes, the kernel log, another user's environment and mappings."""
    (line,) = re.findall(r"^CapabilityBoundingSet=(.*)$", UNIT.read_text(), re.MULTILINE)
    kept = "".join(f",+{name.removeprefix('CAP_').lower()}" for name in line.split())
    rank = subprocess.Popen(["sleep", "60"], user=65534, group=65534, env={"RANK": "3"}, cwd="/")
    try:
        command = ["setpriv", f"--bounding-set=-all{kept}", "--inh-caps=-all", sys.executable, "-c", PARTS, str(rank.pid)]
        said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    finally:
        rank.kill()
        rank.wait()
    assert said.pop("maps") > 0
    assert said == {"events": None, "log": None, "ends": [7], "rank": "3", "stack": True}
