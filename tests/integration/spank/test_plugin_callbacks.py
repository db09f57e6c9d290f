"""Every callback of the plugin in an ordinary process, over a libspank of the tests' own, as shipped and under sanitizers."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.job_file import JobFile

PLUGIN = Path(__file__).resolve().parents[3] / "spank" / "plugin"
ASKED = "opt:gpualert-mail=alice@example.org"


@pytest.fixture(scope="module", params=["plugin", "asan", "tsan"])
def build(request):
    """Where plugin and stub lie, built."""
    if not Path("/usr/include/slurm/spank.h").exists():
        pytest.skip("slurm/spank.h is missing (Debian: libslurm-dev): no plugin can be built here")
    done = subprocess.run(["make", "-s", "-C", str(PLUGIN), request.param], check=False, capture_output=True, text=True)
    if "cannot find -l" in done.stderr:
        pytest.skip(f"this compiler comes without the sanitizer's library: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return PLUGIN / "build" / ("" if request.param == "plugin" else request.param)


@pytest.fixture
def state(tmp_path):
    """A state folder as a site makes it."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o711)
    return folder


@pytest.fixture
def call(build, state):
    """``call("remote", "opt:…", command=[…])``: the stub's run."""

    def run(context, *words, command=("true",), **environment):
        plugs = [f"plug:state_dir={state}", f"plug:off_file={state.parent}/off", "plug:min_free_mib=1"]
        done = subprocess.run([str(build / "spank-stub"), str(build / "gpualert.so"), context, *plugs, *words, "--", *command], timeout=60, check=False,
                              capture_output=True, env={"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1", "ASAN_OPTIONS": "detect_leaks=0", **environment})
        assert b"Sanitizer" not in done.stderr, done.stderr.decode()
        assert done.returncode != 99, done.stderr
        return done

    return run


def test_a_step_leaves_job_file_logs_and_records(call, state):
    """All callbacks of slurmstepd over three tasks; a second step of the same job joins the same attempt."""
    for step in (0, 1):
        assert call("remote", ASKED, "tasks=3", f"step={step}", command=["sh", "-c", "echo $SLURM_PROCID; exit 3"]).returncode == 3
    (path,) = state.glob("node/n1/jobs/*")
    job = JobFile.read(path)
    records, problems = ExitRecord.read_folder(job.record_folder)
    assert not problems
    assert [(r.step, r.task, r.rank, r.exit_code, r.state) for r in records] == [(str(s), t, t, 3, "closed") for s in (0, 1) for t in range(3)]
    assert (job.record_folder / "usage").read_text() == "12 12\n"


def test_another_boot_or_another_user_begins_a_new_attempt(call, state):
    """An entry left by a crash is retired to ended/, never joined."""
    call("remote", ASKED)
    (path,) = state.glob("node/n1/jobs/*")
    path.write_text(path.read_text().replace('"boot_id":"', '"boot_id":"0'))
    call("remote", ASKED)
    assert [p.name for p in state.glob("node/n1/ended/*")] == [path.name]
    (now,) = state.glob("node/n1/jobs/*")
    assert now.name != path.name


def test_a_byjob_entry_of_garbage_is_replaced(call, state):
    """Whatever stands there, the step gets an attempt of its own."""
    (state / "node/n1/byjob").mkdir(parents=True)
    (state / "node/n1/byjob/4242").write_bytes(b"\x00garbage" * 10000)
    assert call("remote", ASKED).returncode == 0
    assert len(list(state.glob("node/n1/jobs/*"))) == 1


def test_quotes_in_the_environment_forge_no_field(call, state):
    """A node list that looks like JSON stays one string; the next step still finds its attempt."""
    forged = '","boot_id":"x","uid":0,"attempt":"9.0123456789abcdef'
    for step in (0, 1):
        call("remote", ASKED, f"step={step}", SLURM_JOB_NODELIST=forged)
    (path,) = state.glob("node/n1/jobs/*")
    assert JobFile.read(path).claims.nodes == forged


@pytest.mark.parametrize("name", ["../x", ".hidden", "a/b", ""])
def test_a_node_name_that_is_no_file_name(call, state, name):
    """Nothing is made outside of the state folder, nothing at all."""
    call("remote", ASKED, SLURMD_NODENAME=name or ".")
    assert not list(state.glob("node/*"))


def test_the_job_has_a_bound_of_logs(call, state):
    """Past job_max_logs a step has exit records and the reason, and no log."""
    for step in (0, 1):
        call("remote", ASKED, "plug:job_max_logs=2", f"step={step}", command=["sh", "-c", "exit 7"])
    (path,) = state.glob("node/n1/jobs/*")
    records, _ = ExitRecord.read_folder(JobFile.read(path).record_folder)
    assert [(r.capture[:3], r.exit_code) for r in records] == [("on", 7), ("off", 7)]
    assert "job_max_logs=2" in records[1].capture


def test_the_node_has_a_bound_over_all_jobs(call, state):
    """Each step's bytes are added to the node's; past node_max_mib another job has exit records and the reason, and no log. A recount lets it go on."""
    loud = ["sh", "-c", "head -c 3000000 /dev/zero"]
    call("remote", ASKED, "plug:node_max_mib=2", "job=1", command=loud)
    node = state / "node/n1/usage"
    assert node.read_text() == "2 3000000\n"
    call("remote", ASKED, "plug:node_max_mib=2", "job=2", command=loud)
    node.write_text("2 1000\n")
    call("remote", ASKED, "plug:node_max_mib=2", "job=3", command=loud)
    said = {job: record.capture for job, record in _records(state)}
    assert said == {1: "on", 2: "off: the logs of all jobs on this node have 2 MiB, node_max_mib=2", 3: "on"}


def test_a_job_past_its_bound_keeps_last_words(call, state):
    """Head and tail of one step together keep the rank's bound; when the job's is used up, 4 KiB of each stream's end are kept, no more."""
    loud = ["sh", "-c", "for fd in 1 2; do head -c 3000000 /dev/zero >&$fd; echo the end >&$fd; done"]
    for step in (0, 1):
        call("remote", ASKED, "plug:rank_max_mib=1", "plug:job_max_mib=1", "tasks=2", f"step={step}", command=loud)
        (folder,) = state.glob("logs/*")
    kept = [r.streams.out for _, r in _records(state)]
    assert [(s.head + s.tail, s.hole) for s in kept] == [(262144, 3000008 - 262144)] * 2 + [(4096, 3000008 - 4096)] * 2
    for step, task in ((0, 0), (1, 1)):
        assert b"the end\n\n#gpualert-end" in (folder / f"{step}.{task}.out").read_bytes()


@pytest.mark.skipif(not os.path.ismount("/dev/shm"), reason="there is no tmpfs at /dev/shm")
def test_on_tmpfs_logs_are_small(build):
    """Their pages are the job's own memory: at most 1 MiB a rank, 16 MiB a job, 1024 files; the job file names the file system."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as made:
        state = Path(made) / "state"
        state.mkdir(mode=0o711)
        for step in range(3):
            done = subprocess.run(
                [str(build / "spank-stub"), str(build / "gpualert.so"), "remote", f"plug:state_dir={state}", "plug:off_file=/none", ASKED, "tasks=12",
                 f"step={step}", "--", "sh", "-c", "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"],
                env={"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1", "ASAN_OPTIONS": "detect_leaks=0"}, check=False, capture_output=True, timeout=60,
            )  # fmt: skip
            assert b"Sanitizer" not in done.stderr, done.stderr
        sizes = {path.name: path.stat().st_blocks * 512 for path in state.glob("logs/*/*")}
        assert len(sizes) == 3 * 24
        assert max(sizes.values()) <= (1 << 19) + 8192
        assert sum(sizes.values()) <= (16 << 20) + 72 * 8192
        (path,) = state.glob("node/n1/jobs/*")
        assert '"storage":"tmpfs"' in path.read_text()


def _records(state):
    """(job id, exit record) of every attempt, in order."""
    found = []
    for path in state.glob("node/n1/jobs/*"):
        job = JobFile.read(path)
        records, problems = ExitRecord.read_folder(job.record_folder)
        assert not problems
        found += [(job.job_id, record) for record in records]
    return sorted(found, key=lambda pair: (pair[0], pair[1].step, pair[1].task))


@pytest.mark.parametrize("argument", ["stat_dir=/x", "tail_kib=many", "rank_max_mib=-1", "min_free_mib=", "off_file=relative", "nonsense", "capture=some"])
def test_a_wrong_plugstack_argument_disables_and_is_named(call, state, argument):
    """In slurmd's log as an error; in a step nothing is made; the client's options still work."""
    said = call("slurmd", f"plug:{argument}").stderr.decode()
    assert f"error: gpualert: plugstack.conf: {argument}" in said
    assert call("remote", f"plug:{argument}", ASKED, command=["sh", "-c", "exit 5"]).returncode == 5
    assert not list(state.iterdir())
    assert call("allocator", f"plug:{argument}", ASKED).returncode == 0


def test_the_nearest_name_is_said(call):
    """A mistyped argument comes with the one that was meant."""
    assert "the nearest valid one is tail_kib" in call("slurmd", "plug:tial_kib=256").stderr.decode()


@pytest.mark.parametrize(("value", "words"), [
    ("a@b", None), ("first.last+tag@mail.example.org,b@c", None), ("none", None),
    ("a", "there is no @"), ("a@b@c", "more than one @"), ("@b", "nothing before"), ("a@", "nothing behind"), ("a..b@c", "doubled"), (".a@c", "at the start"),
    ("a@b..c", "not a host name"), ("a@-b", "not a host name"), ("a@b_c", "not a host name"), ("a b@c", "a character"), ("ä@b", "a character"),
    ("a@b,", "an empty address"), ("a@b\r\nBcc: x@y", "not a host name"), ("x" * 65 + "@b", "64 characters"), ("a@" + "b" * 64, "63 characters"),
    (",".join(["a@b"] * 17), "more than 16"), ("a@b," * 600, "2048 characters"),
])
def test_addresses(call, value, words):
    """What the client takes and what it refuses, with the reason."""
    done = call("allocator", f"opt:gpualert-mail={value}")
    assert done.returncode == (0 if words is None else 1)
    if words is None:
        assert f"job_control: GPUALERT_MAIL={value}".encode() in done.stderr
    else:
        assert words in done.stderr.decode()


def test_a_bad_value_on_a_node_is_left_out(call, state):
    """Options that reach slurmstepd by another way than our client are user input: not taken, and never an error."""
    assert call("remote", "opt:gpualert-mail=a@@b", command=["sh", "-c", "exit 6"]).returncode == 6
    assert not list(state.iterdir())
    call("remote", ASKED, "opt:gpualert-when=whenever", "opt:gpualert-artifacts=/etc/*")
    (path,) = state.glob("node/n1/jobs/*")
    wishes = JobFile.read(path).wishes
    assert (wishes.when.value, wishes.artifacts) == ("always", ())


def test_options_hidden_in_the_environment_are_found(call, state):
    """Slurm 22.05 under --export=NONE."""
    call("remote", SLURM_SPANK__SLURM_SPANK_OPTION_gpualert_gpualert_mail="alice@example.org")
    (path,) = state.glob("node/n1/jobs/*")
    assert JobFile.read(path).wishes.addresses == ("alice@example.org",)


def test_the_extern_step_is_skipped(call, state):
    """Step 0xfffffffc has no tasks of the user's."""
    call("remote", ASKED, f"step={0xFFFFFFFC}")
    assert not list(state.iterdir())


def test_torchruns_switches_are_set_on_request_alone(call):
    """--gpualert-split=torchrun sets PET_TEE and PET_LOG_DIR, never over the user's own; without it, nothing."""
    show = ["sh", "-c", "echo ${PET_TEE-none} ${PET_LOG_DIR-none}"]
    split = "opt:gpualert-split=torchrun"
    assert call("remote", ASKED, command=show).stdout == b"none none\n"
    assert call("remote", ASKED, split, "job=2", command=show, SLURM_SUBMIT_DIR="/home/a").stdout == b"3 /home/a/gpualert-ranks-2\n"
    assert call("remote", ASKED, split, "job=3", command=show, PET_TEE="0:1", PET_LOG_DIR="mine", SLURM_SUBMIT_DIR="/home/a").stdout == b"0:1 mine\n"
    assert call("remote", split, "job=4", command=show).stdout == b"none none\n"
    assert call("allocator", ASKED, "opt:gpualert-split=mpirun").returncode == 1


@pytest.mark.parametrize(("argument", "environment", "captured"), [
    ("capture=all", {}, True), ("capture=gpu", {}, False), ("capture=gpu", {"SLURM_JOB_GPUS": "0"}, True), ("capture=gpu", {"SLURM_GPUS_ON_NODE": "0"}, False),
    ("capture=opt-in", {"SLURM_JOB_GPUS": "0"}, False),
])
def test_whom_the_site_captures(call, state, argument, environment, captured):
    """Jobs that did not ask; one that said none is never captured."""
    call("remote", f"plug:{argument}", "opt:gpualert-mail=none", **environment)
    assert not list(state.iterdir())
    call("remote", f"plug:{argument}", **environment)
    paths = list(state.glob("node/n1/jobs/*"))
    assert len(paths) == captured
    assert all(JobFile.read(path).wishes.addresses == () for path in paths)
