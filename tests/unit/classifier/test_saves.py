"""Lines that tell of a save in words that no pattern knows, and lines that look like one."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.saves import HINT, told

SAVES = (
    "[saved] pebbles.pkl at step 50",
    "ts=00:36:14 lvl=INFO msg=\"state kept\" epoch=10 path=run-1/state.json",
    "t=81.2 lvl=info node=n2 worker=0 event=checkpoint step=1 file=table-1.npz s=1.08",
    "Saved checkpoints at logs/blobs/000001.tar",
    "<10> u and v kept at iter 10",
    "ring[0/4] kept weights at sweep 3",
    "10:00:01 r0 | checkpoint -> radar.pt (step 30)",
    "{\"ts\": 1.2, \"worker\": 0, \"event\": \"saved\", \"file\": \"mem.json\", \"update\": 40}",
    "[rank0@n1] kept last.pt, step 40",
    "[23/11 12:31:24][ruche 0/3][INFO] modele.json enregistre (tour 40)",
    "weights.json was written, round 12",
    "I0203 part0 | snapshot box/centres-3.json",
    "{\"ts\": 1.0, \"role\": \"server\", \"event\": \"snapshot\", \"path\": \"table.pt\", \"round\": 3}",
    "saved state_step30.pt",
    "  -> ckpt/ep_003.pt (0.4 s)",
    "=> model_12.pth",
    "   22.06s -> pairs_roll.pt  0.90s",
    "12:03:11 => ckpt/a.ckpt",
    "[00:03:11] -> out/model.pth",
    "  3.2 s -> w.npz",
    "2026-01-02 03:04:05,678 INFO ckpt: wrote out/000120.ckpt in 2.11s",
    "checkpointing ... done (3.1s)",
    "Zwischenstand nach Schritt 40 gesichert",
    "Modell gespeichert: out/ep3.pt",
    "modèle sauvegardé (étape 30)",
    "modelo guardado en out/p3.pkl",
    "saving step 40 took 1.2 s",
    "save: 1.31 s (step 12)",
    "[ckpt] step 12 written in 0.8s",
    "CKPT step=12 secs=0.91",
    "(save) iteration 40 -> /scratch/x/it40.npz",
    "persisted weights (epoch 3)",
    "dumped 124M parameters after update 300",
    "Stored network to /data/w3.h5",
    "checkpoint 12 stored",
    "state written after round 7",
    "parameters flushed to disk at step 90",
    "已保存模型到 out/3.pt",
    "step 30 | saved",
    "epoch 3: best so far, kept as best.pt",
    "saved at step 30",
    "model saved (val 0.31)",
    "*** checkpoint epoch 3 -> ck3.pt",
    "weights @ step 30 saved to w.bin",
    "snapshot 4 of 40 taken, 1.2 s",
)
OTHERS = (
    "saved 31% memory by checkpointing activations",
    "no checkpoint saved",
    "saving every 50 steps",
    "checkpoint interval: 50",
    "will save to out/",
    "saved figure to loss.png",
    "  1.2s -> metrics.json",
    "   22.06s -> loading x.pt",
    "12:00:01 -> loss.png",
    "3.1s -> loaded last.pt",
    "wrote predictions.csv",
    "wrote 1200 records to shard_0003.npz",
    "saved features of 1200 images to feats.h5",
    "loaded checkpoint out/3.pt",
    "restored weights from step 40",
    "resuming from checkpoint step 40",
    "save_dir=out save_steps=50",
    "stored vocab in vocab.json",
    "wrote config.yaml",
    "Saved tokenizer to out/",
    "could not save checkpoint at step 40",
    "kept 12 of 40 sentences",
    "gradient checkpointing enabled",
    "writing logs to out/log.txt",
    "saving embeddings at step 4",
    "state machine ready",
    "keeping the learning rate at 0.1",
    "model parameters: 120M",
    "the model is written in JAX",
    "state: RUNNING",
    "step 30 loss 0.3 lr 0.1",
    "deleted old checkpoint out/3.pt",
    "checkpoint <- radar.pt, going on behind step 4",
    "saved samples at step 400",
    "wrote sample grid to grid_3.png",
    "time saved: 3 s",
    "Model loaded from w.pt",
    "writing results after 12 steps",
    "saved metrics.json at epoch 3",
    "kept the 3 best",
    "checkpoint every 10 epochs -> out/",
    "snapshot of the data set: v3",
    "stored 1200 rows at batch 3",
    "wrote batch 3 of 12 to part-3.parquet",
    "event=start from=checkpoint",
    "policy: keep 3",
)


@pytest.mark.parametrize("line", SAVES)
def test_a_state_that_was_kept(line):
    assert told(line) is not None
    assert HINT.search(line.encode()) is not None


@pytest.mark.parametrize("line", OTHERS)
def test_what_is_no_save(line):
    assert told(line) is None


@pytest.mark.parametrize(
    ("line", "data"),
    [
        ("[saved] pebbles.pkl at step 50", {"step": 50}),
        ('lvl=INFO msg="state kept" epoch=10 path=run-1/state.json', {"epoch": 10}),
        ("centres of round 30 written to mem.npz", {"step": 30}),
        ("saved agent.pt, bye", {}),
    ],
)
def test_the_count_that_a_save_names(line, data):
    assert told(line) == data
