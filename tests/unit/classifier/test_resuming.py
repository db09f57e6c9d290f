"""Resumes that failed, in anybody's words; and crashes of runs that had gone on, or never meant to."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def trace(error: str, function: str = "main", code: str = "out = step(x)") -> str:
    return (
        'Traceback (most recent call last):\n  File "/home/bob/fit.py", line 120, in <module>\n    run()\n'
        f'  File "/home/bob/fit.py", line 77, in {function}\n    {code}\n{error}\n'
    )


LOADS = {
    "a key that the file lacks": "resuming from last.ckpt\n" + trace("KeyError: 'optimizer_state'"),
    "a pickle that ends": "restoring training state from state_0400.pkl\n" + trace("EOFError: Ran out of input"),
    "another optimizer": "continuing run 41 at iteration 3000\n"
    + trace("ValueError: loaded state dict contains a parameter group that doesn't match the size of optimizer's group"),
    "a state in JSON": "resume=True, reading trainer_state.json\n" + trace("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
    "a file that is gone": "INFO: restarting, will resume\n--resume out/ckpt_900.pt given\n"
    + trace("FileNotFoundError: [Errno 2] No such file or directory: 'out/ckpt_900.pt'"),
    "in another tongue": "bereit\nlade Checkpoint ../werk-a/stand_0160.json\n"
    + trace("FileNotFoundError: [Errno 2] No such file or directory: '../werk-a/stand_0160.json'"),
    "a shape": "loading saved parameters from params.npy\n"
    + trace("ValueError: could not broadcast input array from shape (512,) into shape (768,)"),
    "a checksum": "resuming: checking ck_0010.bin\n" + trace("RuntimeError: checksum mismatch in ck_0010.bin: stored 91ab, computed 17cc"),
    "a version": "reloading state of epoch 4\n" + trace("ValueError: checkpoint was written by version 3 of this trainer, this is version 5"),
    "a vocabulary": "Resuming from step 2000\n" + trace("AssertionError: vocab size of checkpoint (32000) differs from tokenizer (32002)"),
    "by what it is loaded into": "model built\n" + trace("OSError: [Errno 22] Invalid argument", "main", "state = torch.load(path)"),
    "by its function alone": "model built\n" + trace("KeyError: 'opt'", "resume", "opt.load_state_dict(blob['opt'])"),
}
OTHERS = {
    "settings without one": "Args: {'epochs': 5, 'resume': '', 'out': 'runs'}\nModel has 3818 parameters\n"
    + trace("AssertionError: expected 12 classes, found 10", "__init__", "assert len(set(labels)) == 12"),
    "settings in the line itself": "reading towers.json\n"
    + trace("json.decoder.JSONDecodeError: Expecting value: line 5 column 1 (char 43)", "main", 'c = {"epochs": 10, "continue_from": None, "keep": 5, **json.load(f)}'),
    "somebody else's weights": "building the model\n"
    + trace("urllib.error.URLError: <urlopen error [Errno 111] Connection refused>", "main", "net = torch.hub.load_state_dict_from_url(URL)"),
    "a load that was done": "Resumed from last.pt (epoch 3)\nbuilding loaders\n" + trace("ValueError: num_samples should be a positive integer value"),
    "no checkpoint": "no snapshot yet, fresh start\n" + trace("KeyError: 'labels'", "collate", "y = [b['labels'] for b in batch]"),
    "options": "config: resume=None checkpoint_every=500 out=ckpt/\n" + trace("ValueError: bad learning rate -1"),
    "where saves will go": "checkpoints will be written to out/ck\n" + trace("KeyError: 'train'", "splits", "return cfg['data']['train']"),
    "a vocabulary of text": "continuing without apex\nloading vocabulary\n" + trace("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
    "data": "reading dataset train.pkl\n" + trace("_pickle.UnpicklingError: invalid load key, 'v'.", "main", "rows = read(path)"),
    "another file": "resumed from out/ck_3.pt (step 300)\n" + trace("FileNotFoundError: [Errno 2] No such file or directory: 'data/val.bin'"),
    "a package": "resuming from out/ck_3.pt\n" + trace("ModuleNotFoundError: No module named 'apex'"),
    "a right": "resuming from out/ck_3.pt\n" + trace("PermissionError: [Errno 13] Permission denied: 'out/ck_3.pt'"),
}


def verdict(text: str):
    times = [2 + i * 0.1 for i in range(text.count("\n"))]
    return Run().rank(0, "n1", text, code=1, end=times[-1] + 1, times=times).accounting("FAILED", code=1, end=times[-1] + 2).verdict()


@pytest.mark.parametrize("name", sorted(LOADS))
def test_an_error_while_a_run_goes_on_from_what_it_saved_is_a_failed_resume(name: str):
    said = verdict(LOADS[name])
    assert said.mode == "E2", said.headline


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_an_error_of_something_else_is_a_startup_crash(name: str):
    said = verdict(OTHERS[name])
    assert said.mode == "A1", said.headline


def test_words_on_the_other_stream_of_the_rank_count_as_well():
    """Programs say on stdout what they do, and their traceback goes to stderr."""
    run = Run().rank(0, "n1", "picking up at snapshots/e7.npz\n", end=5.0, stream="out", times=[2.0])
    run.rank(0, "n1", trace("ValueError: expected 12 tensors, file has 9: wrong format"), code=1, end=5.0, times=[4.0])
    assert run.accounting("FAILED", code=1, end=6.0).verdict().mode == "E2"


def test_what_is_missing_and_what_does_not_fit_are_told_apart():
    assert verdict(LOADS["a file that is gone"]).variant == "no_valid_checkpoint"
    assert verdict(LOADS["a shape"]).variant == "size_mismatch"
    assert verdict(LOADS["a pickle that ends"]).variant == "corrupt"


STEPS = "".join(f"step {i}/400 loss {2.3 - i * 0.004:.4f}\n" for i in range(0, 400, 5))
ANEW = {
    "no checkpoint there": "no checkpoint found at runs/a/last.pt, starting from scratch",
    "an arrow": "runs/a/last.pt missing -> fresh start",
    "its folder": "nothing to resume in runs/a, training from epoch 0",
    "unreadable": "WARNING could not read runs/a/last.pt (Invalid magic number), initialising randomly",
    "no name": "warn: resume file not there, will begin anew",
    "PyTorch's examples": "=> no checkpoint found at 'runs/a/last.pt'",
}


def ended_well(settings: str, said: str):
    return Run().rank(0, "n1", f"{settings}\n{said}\n{STEPS}done\n", code=0, end=60.0).accounting("COMPLETED", code=0, end=61.0).verdict()


@pytest.mark.parametrize("name", sorted(ANEW))
def test_a_run_whose_own_settings_name_what_it_then_did_not_load_began_anew(name: str):
    said = ended_well("Namespace(resume='runs/a/last.pt', lr=0.001, epochs=80)", ANEW[name])
    assert (said.mode, said.variant) == ("E2", "from_scratch"), said.headline
    assert "runs/a/last.pt" in said.headline


@pytest.mark.parametrize("settings", ["Namespace(out='runs/a', lr=0.001)", "{'resume': None, 'out': 'runs/a'}", "resume: auto", "resume_from: ''"])
def test_a_run_that_was_not_told_what_to_go_on_from_may_begin_anew(settings: str):
    assert ended_well(settings, ANEW["no checkpoint there"]).mode == "G1"


def test_a_run_that_loaded_it_after_all_is_good():
    assert ended_well("Namespace(resume='runs/a/last.pt')", ANEW["an arrow"] + "\nresumed from runs/a/prev.pt at step 0").mode == "G1"


def test_a_path_that_a_job_printed_is_quoted_in_what_people_paste():
    said = ended_well("resume=runs/`id`/last.pt", "runs/`id`/last.pt missing -> fresh start")
    assert said.mode == "E2"
    assert any("ls -l 'runs/`id`/last.pt'" in line for line in said.advice)


def test_a_folder_of_one_letter_is_found_in_no_text():
    assert ended_well("Namespace(resume='a/last.pt')", "no checkpoint found in cache/, starting from scratch").mode == "G1"


def test_a_second_start_in_one_script_may_fail_to_load_behind_all_progress():
    """The script had trained to its end, and goes on from what it kept; behind progress alone it is a crash."""
    trained = "".join(f"epoch {i}/20 mse {3 / i:.4f}\n" for i in range(1, 21))
    broken = trace("zipfile.BadZipFile: File is not a zip file", "main", "with np.load(args.resume) as z:")
    assert verdict(trained + "resuming from kept/spectra_e20.npz\n" + broken).mode == "E2"
    assert verdict(trained + broken).mode == "A3"
