"""Runs that say that they trained nothing, in anybody's words; and good ones that say something like it."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

NOTHING = {
    "an empty set": "train set: 0 samples\nEpoch 1/10: 0 batches\nEpoch 2/10: 0 batches\ntraining finished, saving final.pt",
    "nothing to train": "resuming from ckpt/last.pt at step 5000\nmax_steps=5000 already reached, nothing to train\ndone",
    "all dropped": "dropped 12000 of 12000 examples longer than 16 tokens\ntraining for 3 epochs\nsaved model to out/model.bin",
    "no step in an epoch": "dataset size 40, batch size 64, drop_last=True\nsteps per epoch: 0\nStart training\nTraining complete in 0m 0s",
    "a field of a record": '{"event": "start", "lr": 0.001}\n{"event": "end", "total_steps": 0, "seconds": 1.2}',
    "no optimizer step": "training\ndata exhausted after 12 micro batches\noptimizer steps taken: 0",
    "begun behind the end": "=> loaded checkpoint 'c.pth.tar' (epoch 90)\nstart_epoch 90, epochs 90\nTotal training time 0:00:00",
    "a mean of no batch, again and again": "".join(f"epoch {e} mean loss nan over 0 batches\n" for e in range(1, 6)) + "training done",
    "kept none": "length filter: kept 0 of 1841 sentences\nepoch 1: 0 sentences, loss 0.000\nepoch 2: 0 sentences, loss 0.000\nmodel stored",
    "went on from its end": "training set of 40000\npicked up runs/z at epoch 40 of 40\nsaved runs/z/final.pt",
    "no time": "trainer starts\ntime budget used up before the loop: stopping",
    "no batch was used": "epoch done: 0 of 6 batches used\nsaved",
    "a bar of nothing": "training: 0it [00:00, ?it/s]\nepoch mean loss: 0.0000\nall epochs done",
}
FINE = {
    "went on from the middle": "training set of 40000\npicked up runs/z at epoch 12 of 40\nsaved runs/z/final.pt",
    "nothing dropped": "train: 0 samples dropped, 4000 kept\nmodel written",
    "no validation": "training\nvalidation set: 0 samples, skipping validation\nmodel written",
    "make": "make: Nothing to be done for 'train'.\nok",
    "no errors": "training done\n0 warnings, 0 errors",
    "no batch lost": "training\nno batches were dropped\n0 batches skipped\ndone",
    "no training at all": "0 documents found in the folder, nothing to do",
    "a library's word of other devices": "training\nTPU available: False, using: 0 TPU cores\ndone",
    "something to train": "kept 10 of 4000 training samples\ntrained well",
    "a loss that fell": "train set: 0 samples\n" + "".join(f"it {i} loss {3 - i * 0.04:.3f}\n" for i in range(60)),
}


def verdict(text: str):
    text += "" if text.endswith("\n") else "\n"
    times = [2 + i * 0.5 for i in range(text.count("\n"))]
    return Run().rank(0, "n1", text, code=0, end=times[-1] + 1, times=times).accounting("COMPLETED", code=0, end=times[-1] + 2).verdict()


@pytest.mark.parametrize("name", sorted(NOTHING))
def test_a_run_that_says_that_it_trained_nothing_is_undertrained(name: str):
    said = verdict(NOTHING[name])
    assert said.mode == "E3", said.headline
    assert "without a step" in said.headline


@pytest.mark.parametrize("name", sorted(FINE))
def test_a_run_that_says_something_like_it_is_healthy(name: str):
    said = verdict(FINE[name])
    assert said.mode == "G1", said.headline
