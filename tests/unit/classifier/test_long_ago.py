"""What happened long before a run's end and yet explains it: a card's fault that its last error names, a loop that stopped without a word."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import busy, cpu_of, gpu, process, ticks, xid


def broken(error: str, **node):
    """A run that advanced for twenty minutes after what the machine said, and then failed."""
    run = Run().rank(0, "n1", steps(1, 40) + trace(error), code=1, end=1810, times=[*ticks(40, 45), 1809.0])
    return run.node("n1", **node).accounting(end=1811).verdict()


def test_the_last_error_names_the_part_that_failed_earlier_in_the_run():
    assert broken("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered", evidence=[xid(94, 400)]).mode == "B2"
    assert broken("RuntimeError: CUDA error: uncorrectable ECC error encountered", evidence=[xid(64, 300)]).mode == "B2"
    moved = {"gpus_before": (gpu("n1", nvlink_crc_errors=0),), "gpus_after": (gpu("n1", when=1812, nvlink_crc_errors=700),)}
    assert broken("RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution", **moved).mode == "B2"


def test_the_last_error_names_another_thing():
    assert broken("FileNotFoundError: [Errno 2] No such file or directory: 'shard-7.tar'", evidence=[xid(94, 400)]).mode == "A3"
    assert broken("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered", evidence=[xid(74, 400)]).mode == "A3"
    flat = {"gpus_before": (gpu("n1", remapped_rows_uncorrectable=3),), "gpus_after": (gpu("n1", when=1812, remapped_rows_uncorrectable=3),)}
    assert broken("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered", **flat).mode == "A3"


def cut(text: str, times: list[float], limit: float, **node):
    run = Run().rank(0, "n1", text, signal=15, end=limit + 0.5, times=times)
    return run.node("n1", **node).accounting("TIMEOUT", code=0, end=limit, time_limit_s=round(limit)).verdict()


def test_one_process_that_stopped_printing_its_regular_steps_for_most_of_its_life():
    assert cut(steps(1, 40), ticks(40, 0.5), 180).mode == "C3"
    assert cut("".join(f"Iter {i:06d} | nll={3 / i:.4f}\n" for i in range(1, 16)), ticks(15, 2), 240).mode == "C3"


def test_a_process_that_is_known_to_have_slept():
    slept = {"series": [cpu_of("n1", 0, [90.0] * 6 + [0.4] * 18, every=2)], "processes": (process("n1", 100, rank=0, step="0", command=("python", "t.py")),)}
    assert cut(steps(1, 24), ticks(24, 0.5), 48, **slept).mode == "C3"


def test_work_that_takes_a_hundred_times_the_longest_pause_and_most_of_the_run_s_life_is_a_standstill_too():
    assert cut(steps(1, 40) + "running the evaluation on 50000 images\n", ticks(41, 0.5), 180).mode == "C3"


def test_what_leaves_it_open():
    """Work that takes long, a rhythm that has such pauses, a limit that came soon, a GPU that was at work."""
    assert cut(steps(1, 40) + "running the evaluation on 50000 images\n", ticks(41, 0.5), 60).mode == "F3"
    assert cut(steps(1, 40) + "saving the model\n", ticks(41, 0.5), 60).mode == "F3"
    assert cut(steps(1, 6), [0, 20, 40, 60, 80, 100], 190).mode == "F3"
    assert cut(steps(1, 40), ticks(40, 0.5), 36).mode == "F3"
    assert cut(steps(1, 40), ticks(40, 0.5), 180, series=[busy("n1", [80.0] * 180, every=1)]).mode == "F3"


def _at_work_then(readings: list[float], **words: str):
    """A process whose CPU was read every two seconds while it told of 24 steps in 24 s and until its end at 42 s."""
    last = words.get("last", "")
    rows, times = steps(1, 24) + (f"{last}\n" if last else ""), ticks(24, 1.0) + ([24.2] if last else [])
    cpu = {"series": [cpu_of("n1", 0, readings, every=2)], "processes": (process("n1", 100, rank=0, step="0", command=("python", "t.py")),)}
    return cut(rows, times, 42, **cpu).mode


def test_a_process_that_had_worked_and_then_used_no_cpu_at_all():
    """Against what it used before, not against a whole core: on a busy node that is little."""
    assert _at_work_then([90.0] * 12 + [0.0] * 9) == "C3"
    assert _at_work_then([1.9] * 12 + [0.0] * 9) == "C3"
    assert _at_work_then([30.0] * 12 + [0.2] * 9) == "C3"
    assert _at_work_then([30.0] * 12 + [0.2] * 9, last="Saved checkpoint out/last.pt (epoch 2)") == "C3"


def test_a_process_that_works_or_of_which_nobody_knows_reached_its_limit():
    assert _at_work_then([90.0] * 21) == "F3"
    assert _at_work_then([90.0] * 13 + [40.0] * 8) == "F3"
    assert _at_work_then([90.0] * 13 + [0.0] * 7 + [80.0]) == "F3"
    assert _at_work_then([90.0] * 13) == "F3"
    assert _at_work_then([1.9] * 13 + [1.8] * 8, last="scoring the dev set") == "F3"


def test_a_run_that_told_of_much_progress_has_no_pause_of_four_times_its_longest():
    assert cut(steps(1, 12), [40 + 4.0 * i for i in range(12)], 124).mode == "C3"
    assert cut(steps(1, 12), [40 + 4.0 * i for i in range(12)], 98).mode == "F3"
    assert cut(steps(1, 12) + "evaluating on the dev set\n", [40 + 4.0 * i for i in range(13)], 124).mode == "F3"
    assert cut(steps(1, 5), [40 + 4.0 * i for i in range(5)], 78).mode == "F3"
    assert cut(steps(1, 12), [40 + (4.0 * i if i < 9 else 4.0 * i + 12) for i in range(12)], 134).mode == "F3"
