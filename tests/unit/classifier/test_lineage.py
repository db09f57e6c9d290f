"""Runs that knew of a state, counted past it from the first one and learned anew; and those that went on, began on purpose, or took another's."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def _fall(first: float, last: float, count: int) -> list[float]:
    return [last + (first - last) * 0.8**i for i in range(count)]


def _mode(lines: list[str], *command: str) -> str:
    text = "\n".join(lines) + "\n"
    run = Run(command=command or ("python", "fit.py", "run.toml")).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(len(lines))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


def _sweeps(first: float, last: float, begin: int = 1, end: int = 40) -> list[str]:
    return [f"sweep {i}/{end} rmse {v:.4f}" for i, v in enumerate(_fall(first, last, end - begin + 1), begin)]


KNEW = (
    "newest of the store: mf/sweep-16.json",
    "mf/sweep-16.json opened",
    "state.pkl holds 16 sweeps",
    "state.npz ['u', 'v', 'sweep'] sweep 16",
    "reading factors from factors.json, they have seen 16 sweeps",
    "Datei stand.db: Sweep 16",
    '{"event": "memory", "path": "mf/last.json", "sweep": 16}',
    "The ladder ladder.txt of sweep 16 lies open before us.",
    "# stand.txt vom Sweep 16 liegt vor",
)


@pytest.mark.parametrize("said", KNEW)
def test_it_knew_of_a_state_and_counted_past_it_from_one(said: str):
    """Its loss comes down as it does where nothing had been learned; how far is no matter."""
    assert _mode([said, *_sweeps(1.02, 0.72)]) == "E2"


@pytest.mark.parametrize("said", KNEW)
def test_it_counts_on(said: str):
    assert _mode([said, *_sweeps(0.75, 0.72, begin=17)]) == "G1"


@pytest.mark.parametrize("said", KNEW)
def test_it_counts_anew_and_goes_on_where_the_state_had_come_to(said: str):
    """Programs that count each start from one, and keep what was learned."""
    lines = [f"sweep {i}/40 rmse {0.72 - 0.0003 * i + 0.004 * (i % 3):.4f}" for i in range(1, 41)]
    assert _mode([said, *lines]) == "G1"


@pytest.mark.parametrize(
    "said",
    [
        "starting weights: mf/sweep-16.json",
        "teacher: mf/sweep-16.json",
        "transfer from mf/sweep-16.json of another catalogue",
        "mf/sweep-16.json is there; --overwrite was given",
        "pretrained factors from mf/sweep-16.json",
        "encoder frozen, from mf/sweep-16.json",
        "weights: body.json (16 sweeps on the large set)",
        "factors of the public catalogue: mf/sweep-16.json is read",
        "first run: mf/sweep-16.json is of an older project",
    ],
)
def test_weights_of_others_and_a_start_on_purpose(said: str):
    assert _mode([said, *_sweeps(1.02, 0.72)]) == "G1"


@pytest.mark.parametrize(
    "said",
    [
        "will save to mf/sweep-16.json",
        "writing every 16 sweeps to mf/sweep.json",
        "data: ratings-16.json",
        "log of 16 sweeps kept in log.json",
        "vocab.json has 16 words",
        "keep 16 of the newest, in mf/last.json",
        "config read from cfg-16.json",
        "Namespace(resume='', keep='mf.pt', sweeps=16)",
        "snapshots at sweep 8, 16, 32 to mf.pt",
        "best model goes to best_16.pt",
        "study.db holds 16 trials",
        "word vectors glove.npz read (16 steps of context)",
        "opponent opp-16.pt loaded",
        "replay buffer of 16 episodes from buf.pkl",
        "refit on all data; fold_3.pkl had its best at sweep 16",
        "schedule sched.json: warm until sweep 5, drops at sweep 16",
        "removing mf/sweep-16.json, too old",
    ],
)
def test_what_is_to_be_written_and_what_is_data(said: str):
    assert _mode([said, *_sweeps(1.02, 0.72)]) == "G1"


def test_a_run_as_long_as_the_state_did_not_go_past_it():
    """Nothing says that it was to go further than the state had."""
    assert _mode(["newest of the store: mf/sweep-40.json", *_sweeps(1.02, 0.72)]) == "G1"


@pytest.mark.parametrize(
    "command",
    [("python3", "lm.py", "--continue-from", "model/round016.json"), ("python3", "lm.py", "RESUME=model/round016.json"), ("python3", "lm.py", "--reprise=m/r16.npz")],
)
@pytest.mark.parametrize(("first", "mode"), [(3.9, "E2"), (2.31, "G1")])
def test_a_command_line_names_the_count_and_the_loss_is_of_another_name(command: tuple[str, ...], first: float, mode: str):
    """What a run lowers is read from its columns, where it is called no loss."""
    lines = [f'msg="round" n={i} bits_per_letter={v:.4f} seen=1583' for i, v in enumerate(_fall(first, 2.2, 36), 1)]
    lines = lines if first > 3 else [f'msg="round" n={i} bits_per_letter={first - 0.0004 * i + 0.01 * (i % 3):.4f} seen=1583' for i in range(1, 37)]
    assert _mode(["hello", *lines], *command) == mode


def test_it_saves_to_another_family_of_files():
    """What it saves is not what it knew of: another run's state it may be."""
    lines = _sweeps(1.02, 0.72)
    lines[10:10] = ["saved checkpoint to out/wing-10.pt"]
    lines[30:30] = ["saved checkpoint to out/wing-30.pt"]
    assert _mode(["newest of the store: mf/rump-16.pt", *lines]) == "G1"
    assert _mode(["newest of the store: out/wing-16.pt", *lines]) == "E2"


@pytest.mark.parametrize(
    ("said", "mode"),
    [("files: fit.py song.npz", "E2"), ("contents of runs: ['song.npz', 'a.npz']", "E2"), ("parameters taken from song.npz", "G1")],
)
def test_a_listing_is_no_word_that_it_was_read(said: str, mode: str):
    lines = [f"iter {100 * i}, loss: {v:.4f}" for i, v in enumerate(_fall(32, 0.5, 20))]
    assert _mode([said, *lines], "python3", "fit.py", "init-from=song.npz") == mode


@pytest.mark.parametrize(("option", "mode"), [("--restore exp2/", "E2"), ("--continue=exp2/", "E2"), ("--reload yes", "G1"), ("--out exp2/", "G1")])
def test_a_folder_that_it_was_to_go_on_from_is_empty(option: str, mode: str):
    lines = ["looking into exp2/", "nothing found in exp2/, going ahead without", *_sweeps(1.02, 0.2)]
    assert _mode(lines, "python3", "fit.py", *option.split()) == mode


@pytest.mark.parametrize(("said", "mode"), [("prior: no array fits this net, all are new", "E2"), ("prior: 18 of 18 arrays taken", "G1")])
def test_none_of_what_the_one_state_held_was_taken(said: str, mode: str):
    lines = [said, *(f"step {100 * i} nll {v:.4f}" for i, v in enumerate(_fall(4.0 if mode == "E2" else 0.6, 0.5, 30), 1))]
    assert _mode(lines, "python3", "fit.py", "prior=exp/step_800.npz") == mode


def test_it_read_a_state_that_it_wrote_again_later():
    """No count is told; the same file before the first line of progress and behind it is its own."""
    read, wrote = "model postag.pickle read: 9567 bytes", "stored as postag.pickle"
    assert _mode([read, *_sweeps(1.02, 0.32), wrote]) == "E2"
    assert _mode([read, *_sweeps(0.34, 0.32), wrote]) == "G1"
    assert _mode([read, *_sweeps(0.62, 0.41), wrote]) == "G1"  # it had more to learn
    assert _mode(["pretrained model postag.pickle read", *_sweeps(1.02, 0.32), wrote]) == "G1"
    assert _mode([read, *_sweeps(1.02, 0.32), "kept in second.pickle"]) == "G1"


def test_it_says_at_its_end_what_the_state_came_to():
    """Boosters that go on count their own rounds from one."""
    rows = [f"[{i}] train-rmse:{v:.5f}" for i, v in enumerate(_fall(3.86, 2.47, 40), 1)]
    assert _mode(["boosting goes on from hires.ubj, which has 16 rounds", *rows, "56 rounds are in hires.ubj"]) == "G1"


def test_a_first_start_of_a_run_that_is_always_told_to_go_on():
    """Where it is to go on from is where it saves; a count in that name is of an earlier run."""
    absent, wrote = "WARN runs/{}.pt is not there, starting from scratch", "saved checkpoint to runs/{}.pt"
    for name, mode in (("last", "G1"), ("step_400", "E2")):
        assert _mode([absent.format(name), *_sweeps(1.02, 0.12), wrote.format(name)], "python", "fit.py", "--resume", f"runs/{name}.pt") == mode


@pytest.mark.parametrize("said", ["{} introuvable, premier lancement ? starting from scratch", "WARN {} is not there, first run? Starting from scratch"])
def test_a_run_that_calls_itself_the_first_one(said: str):
    """Whatever it was to go on from, where nothing was saved or counted before it in the same log."""
    bid = ("python", "fit.py", "--resume", "runs/step_400.pt")
    wrote = "saved checkpoint to runs/step_800.pt"
    assert _mode([said.format("runs/step_400.pt"), *_sweeps(1.02, 0.12), wrote], *bid) == "G1"
    assert _mode(["WARN runs/step_400.pt is not there, starting from scratch", *_sweeps(1.02, 0.12), wrote], *bid) == "E2"


def test_a_shard_of_data_is_no_state():
    assert _mode(["loading data/shards_0008.pt", *_sweeps(1.02, 0.12)]) == "G1"
    assert _mode(["loading kept/postag_0008.pt", *_sweeps(1.02, 0.12)]) == "E2"


def test_what_is_ignored_as_it_was_told():
    assert _mode(["found out/postag_003.pt but --fresh was given: ignoring it", *_sweeps(1.02, 0.12)], "python", "fit.py", "--fresh") == "G1"
    assert _mode(["found out/postag_003.pt, of another version: ignoring it", *_sweeps(1.02, 0.12)]) == "E2"


def test_a_counted_state_that_a_run_says_nothing_of_and_numbers_that_begin_anew():
    """A name without a count may be where the run saves itself: then it may be its first start."""
    rows = ["epoch,train,val,acc", *(f"{i},{2.3 * 0.93**i + 0.4:.5f},{2.4 * 0.93**i + 0.4:.5f},{0.1 + 0.01 * i:.4f}" for i in range(1, 41))]
    assert _mode(rows, "python", "fit.py", "--resume", "runs/step_2000.pt") == "E2"
    assert _mode(rows, "python", "fit.py", "--resume", "runs/last.pt") == "G1"
    assert _mode(["init from exp/ckpt_5000.pt (new head)", *rows], "python", "fit.py", "--init-from", "exp/ckpt_5000.pt") == "G1"
    assert _mode(rows, "python", "fit.py") == "G1"


@pytest.mark.parametrize("said", ["parameters: hmm.par (after 16 sweeps)", "server state found: fed/state_16.pkl"])
@pytest.mark.parametrize("name", ["loglik", "accuracy"])
def test_what_is_raised_rises_as_from_nothing(said: str, name: str):
    """A log-likelihood, or a share of what is right: the run counts past what it knew of, and has it all to learn."""
    sign = {"loglik": lambda v: -700 * v, "accuracy": lambda v: 0.95 - 0.85 * v}[name]
    anew = [f"sweep {i}/40 {name} {sign(v):.4f}" for i, v in enumerate(_fall(1.0, 0.05, 40), 1)]
    on = [f"sweep {i}/40 {name} {sign(v):.4f}" for i, v in enumerate(_fall(0.06, 0.05, 24), 17)]
    assert _mode([said, *anew]) == "E2"
    assert _mode([said, *on]) == "G1"
    assert _mode([said, *(f"sweep {i}/24 {name} {sign(v):.4f}" for i, v in enumerate(_fall(0.06, 0.05, 24), 1))]) == "G1", "counts anew, and goes on"


def test_how_good_the_state_was_is_said_of_it():
    """Among the settings, and as an event that is no save."""
    said = '{"msg": "checkpoint metadata", "path": "runs/latest.msgpack", "sweep": 16, "best": 0.7421}'
    assert _mode([said, *_sweeps(1.02, 0.72)]) == "E2"
    assert _mode([said, *_sweeps(0.75, 0.72, begin=17)]) == "G1"
