"""Ranks of which nobody but the clock says that they stood still."""

from __future__ import annotations

from tests.unit.classifier.records import Run
from tests.unit.classifier.signals import process

Log = list[tuple[float, str]]


def verdict(logs: list[Log], limit: float):
    """All ranks write what they write, and are ended by the time limit."""
    run = Run()
    for rank, rows in enumerate(logs):
        run.rank(rank, "n1", "".join(f"{text}\n" for _, text in rows), signal=15, end=limit, local=rank, times=[t for t, _ in rows] or None)
    return run.accounting("TIMEOUT", code=0, end=limit + 1, time_limit_s=round(limit)).verdict()


def loop(begin: float, number: int, every: float, rank: int = 0) -> Log:
    return [(begin + i * every, f"[rank {rank}] iteration {i + 1} - train_loss {3 / (i + 1):.3f}") for i in range(number)]


def test_regular_progress_and_then_none_of_all_ranks_is_a_hang():
    assert verdict([loop(4, 15, 1), loop(4, 15, 1, 1)], 60).mode == "C2"
    assert verdict([loop(5, 6, 5), []], 120).mode == "C2"


def test_progress_to_the_limit_is_the_limit_s():
    assert verdict([loop(3, 56, 1), loop(3, 56, 1, 1)], 60).mode == "F3"
    assert verdict([loop(15, 4, 15), []], 70).mode == "F3"


def test_a_pause_as_long_as_the_progress_before_it_is_no_hang_yet():
    assert verdict([[*loop(2, 60, 0.7), (44.5, "running the evaluation")], []], 58).mode == "F3"


def test_no_word_of_any_rank_or_none_after_its_first_ones_is_a_meeting_that_did_not_take_place():
    assert verdict([[], [], [], []], 60).mode == "C1"
    assert verdict([[(1.5, f"hello from rank {rank} of 2")] for rank in range(2)], 40).mode == "C1"


def test_words_of_long_work_before_the_silence_leave_it_open():
    assert verdict([[(2, f"rank {rank}: reading the dataset into memory")] for rank in range(2)], 60).mode == "F3"
    assert verdict([[(2, f"[{rank}] compiling model (max-autotune)")] for rank in range(2)], 60).mode == "F3"


def test_one_rank_that_counts_who_came_to_the_end_is_enough():
    waiting = [(2 + i * 5.0, f"leader: 1 of 3 followers registered so far ({i * 5}s)") for i in range(10)]
    assert verdict([waiting, [(2, "follower 1: registered")], []], 60).mode == "C1"


def test_ranks_that_one_task_started_are_counted_by_their_own_words():
    both = [(2 + i * 0.5, f"[rank{rank}] it {i} loss {3 / (i + 1):.4f}") for i in range(20) for rank in (0, 1)]
    assert verdict([both], 60).mode == "C2"
    meeting = [(3, f"rank {rank} of 4 init_process_group") for rank in (0, 1, 3)]
    assert verdict([[(2, "spawning 4 processes"), *meeting]], 50).mode == "C1"
    alone = [(2 + i * 0.5, f"it {i} loss {3 / (i + 1):.4f}") for i in range(20)]
    assert verdict([alone], 60).mode not in {"C1", "C2"}


def alone(begin: float, number: int, every: float, end: float, *, state: str = "TIMEOUT", last: str = ""):
    """One process without a card that counts regularly, says a last word, and is ended."""
    rows = loop(begin, number, every) + ([(begin + number * every, last)] if last else [])
    run = Run().rank(0, "n1", "".join(f"{text}\n" for _, text in rows), signal=15, end=end, times=[t for t, _ in rows])
    return run.accounting(state, code=0, end=end + 1, time_limit_s=round(end) if state == "TIMEOUT" else 3600).verdict()


def test_one_process_that_was_silent_for_most_of_its_work_up_to_a_limit_stood_still():
    """How long it took to its first step is no part of it."""
    assert alone(70, 10, 0.5, 145).mode == "C3"
    assert alone(70, 10, 0.5, 145, last="asking the label server").mode == "C3"
    assert alone(10, 20, 0.4, 130, state="CANCELLED").mode == "C3"


def test_one_process_whose_silence_is_short_for_its_work_reached_its_limit():
    assert alone(10, 100, 0.5, 72).mode == "F3"
    assert alone(10, 8, 9, 98).mode == "F3"
    assert alone(70, 10, 0.5, 110, last="running the evaluation").mode == "F3"
    assert alone(10, 20, 0.4, 55, state="CANCELLED").mode == "F4"


def test_last_words_of_waiting_need_less_silence_than_words_of_work():
    """A program that waits has nothing to do; one that exports may be at it."""
    for last in ("waiting for the saver thread", "upload_begin runs/a.pt", "acquiring /scratch/.cache.lock", "syncing runs ..."):
        assert alone(10, 12, 4, 88, last=last).mode == "C3", last
    for last in ("exporting to onnx", "scoring the dev set"):
        assert alone(10, 12, 4, 88, last=last).mode == "F3", last
        assert alone(10, 12, 1, 88, last=last).mode == "C3", last


def test_a_pause_that_the_run_had_made_before_is_no_standstill():
    rows = [row for k in range(3) for row in [*loop(5 + 40 * k, 10, 1), (15.5 + 40 * k, "evaluating")]]
    run = Run().rank(0, "n1", "".join(f"{text}\n" for _, text in rows), signal=15, end=150, times=[t for t, _ in rows])
    assert run.accounting("TIMEOUT", code=0, end=151, time_limit_s=150).verdict().mode == "F3"


def test_a_question_or_a_lock_before_any_progress_is_waited_for_to_the_limit():
    for last in ("out/ is not empty. Overwrite? [y/N]", "(Pdb)", "waiting for a client to attach on port 5678", "another process holds build.lock, waiting"):
        assert alone(2, 0, 1, 120, last=last).mode == "C3", last
    for last in ("building the vocabulary", "reading 120 files", "compiling"):
        assert alone(2, 0, 1, 120, last=last).mode == "F3", last


def _epochs(end: float, number: int = 20, every: float = 2, state: str = "TIMEOUT"):
    """Rows that name an epoch and numbers, and neither a step nor a loss."""
    rows = [(5 + i * every, f"epoch {i + 1}: train {3 / (i + 1):.3f} val {3.3 / (i + 1):.3f}") for i in range(number)]
    run = Run().rank(0, "n1", "".join(f"{text}\n" for _, text in rows), signal=15, end=end, times=[t for t, _ in rows])
    return run.accounting(state, code=0, end=end + 1, time_limit_s=round(end) if state == "TIMEOUT" else 3600).verdict()


def test_rows_of_epochs_have_a_rhythm_too():
    """The times of the rows themselves tell it, where no series of steps or losses does."""
    assert _epochs(125).mode == "C3"
    assert _epochs(400, state="CANCELLED").mode == "C3"


def test_rows_of_epochs_up_to_the_end():
    """Pauses no longer than the others, and one a little longer, are none."""
    assert _epochs(45).mode == "F3"
    assert _epochs(52).mode == "F3"
    assert _epochs(50, state="CANCELLED").mode == "F4"
    assert _epochs(240, number=5, every=40).mode == "F3"


def _in_the_script(numbers: tuple[str, ...], name: str = "PMI_RANK"):
    """A launcher in the script itself: one log, whose first process alone reports, then nothing up to the limit."""
    rows = [(5 + i * 1.2, f"[0] generation {10 * i}/40000 best objective {4 / (i + 1):.4f}") for i in range(9)]
    run = Run().batch("".join(f"{text}\n" for _, text in rows), signal=15, end=200, times=[t for t, _ in rows])
    run.node("n1", processes=tuple(process(pid=300 + i, step="batch", command=("python", "swim.py"), environment={name: n}) for i, n in enumerate(numbers)))
    return run.accounting("TIMEOUT", code=0, end=201, time_limit_s=200).verdict()


def test_processes_that_a_launcher_numbered_are_ranks():
    assert _in_the_script(("0", "1", "2")).mode == "C2"
    assert _in_the_script(("0", "1"), "OMPI_COMM_WORLD_RANK").mode == "C2"


def test_workers_that_inherit_one_number_are_none():
    assert _in_the_script(("0", "0", "0"), "RANK").mode == "C3"
    assert _in_the_script(("0",)).mode == "C3"


def test_who_waits_says_so_in_any_language():
    """A short silence behind such words is a wait's; the same behind an export's is none yet."""
    steady = [(1 + i * 1.5, f"it {i} loss {3 / (i + 1):.4f}") for i in range(6)]
    for words in ("esperando la cola de escuchas", "warte auf die nächste Datei", "en attente du verrou", "aguardando o servidor", "czekam na plik"):
        assert verdict([[*steady, (10, words)]], 40).mode == "C3", words
    assert verdict([[*steady, (10, "exporting the weights")]], 40).mode == "F3"
