"""Jobs of several groups on a shared cluster, fourth shelf: done as meant, some of them not quietly."""

from __future__ import annotations

import math

from corpus.make._lichen_kit import A100, A6000, H100, H200, L40S, OFF, RTX4090, Lab, Mood, busy
from corpus.make._lichen_words import Job, bar, decay, fine, hms, on, shelf, tb

JOBS, case = shelf()


@case
def structures() -> Job:
    """ColabFold over a folder of sequences: one model after another, all done."""
    f = Lab(
        nodes=("tsp5",),
        name="colabfold-venoms",
        job_id=2_420_011,
        start_ns=on("2026-11-02 18:10:00"),
        gpus=1,
        board=A100,
        program="colabfold_batch venoms.a3m out --num-models 3 --amber",
        submit_line="sbatch cf.sh",
    )
    t = 22.0
    f.put(
        t, f"{f.clock(t)},104 Running colabfold 1.5.5\n{f.clock(t)},871 Running on GPU\n{f.clock(t + 1)},332 Found 5 citations for tools or databases"
    )
    for q in range(1, 25):
        length = 54 + (q * 37) % 160
        t += 3
        f.put(t, f"{f.clock(t)},{200 + q} Query {q}/24: ven_{q:03d} (length {length})")
        for m in (1, 2, 3):
            t += 6 + length / 11
            f.put(
                t,
                f"{f.clock(t)},{410 + m} alphafold2_ptm_model_{m}_seed_000 recycle=3 pLDDT={71 + (q * 7 + m) % 23}.{q % 10} pTM=0.{51 + (q * 5 + m) % 40} tol=0.{10 + m}\n{f.clock(t)},{500 + m} alphafold2_ptm_model_{m}_seed_000 took {6 + length / 11:.1f}s (3 recycles)",
            )
        f.put(
            t + 1,
            f"{f.clock(t + 1)},020 reranking models by 'plddt' metric\n{f.clock(t + 1)},040 rank_001_alphafold2_ptm_model_{1 + q % 3}_seed_000 pLDDT={80 + q % 13}.{q % 9} pTM=0.{61 + q}",
        )
    f.put(t + 4, f"{f.clock(t + 4)},733 Done")
    f.feel((0, OFF), (18, busy(0.78, 82, 0.6)))
    f.close("COMPLETED", t + 8)
    return fine(f)


@case
def ocean() -> Job:
    """An ocean model on four cards, its own Fortran words: months, conservation, restart files, the end."""
    f = Lab(
        nodes=("tsp26",),
        name="baltic-r3",
        job_id=2_420_377,
        start_ns=on("2026-11-06 21:00:00"),
        gpus=4,
        board=H100,
        way="srun",
        program="./veros_baltic --nproc 2 2",
        submit_line="sbatch -n4 baltic.sh",
    )
    f.put_all(4, lambda r: f" rank {r:3d} of   4 on {f.where(r)} device {r % 4}  tile {r // 2:2d},{r % 2:2d}")
    last = f.go(
        range(1, 61),
        15,
        143,
        lambda i, t: (
            f" >>> model month {i:4d} of 60   ({f.clock(t, '%H:%M:%S')})\n     mean KE {3.1e-3 + 4e-4 * math.sin(i / 2):.5E} m2/s2   max |u| {1.1 + 0.2 * math.sin(i):.3f} m/s   salt budget error {1e-13 * (1 + i % 5):.1E}\n     143.{i % 10} s per month, {12 * 86_400 / 143 / 365.25:.1f} SYPD"
            + (f"\n     restart written: restart_{i // 12:02d}y.nc" if i % 12 == 0 else "")
        ),
    )
    f.put(last + 3, " integration complete.   60 months, 5 restarts\n total wall time " + hms(last))
    f.feel((0, OFF), (12, busy(0.33, 97, 0.66, 61)))
    f.close("COMPLETED", last + 6)
    return fine(f)


@case
def parcels() -> Job:
    """MMSegmentation on eight cards by its own logger, evaluation with a table."""
    f = Lab(
        nodes=("tsp27",),
        name="mask2former-fields",
        job_id=2_420_700,
        start_ns=on("2026-11-08 02:00:00"),
        gpus=8,
        board=H200,
        way="srun",
        program="python tools/train.py configs/fields.py --launcher slurm",
        submit_line="sbatch -n8 m2f.sh",
        zone_h=1,
    )
    ce = decay(74, 18, 2500, 0.03)
    last = f.go(
        range(50, 10_001, 50),
        70,
        0.52,
        lambda i, t: (
            f"{f.clock(t, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Iter(train) [{i:>5}/10000]  base_lr: {1e-4 * (1 - i / 10_000) ** 0.9:.4e} lr: {1e-5 * (1 - i / 10_000) ** 0.9:.4e}  eta: {hms((10_000 - i) * 0.52)}  time: 0.52{i // 50 % 10}1  data_time: 0.01{i // 50 % 9}2  memory: 31877  grad_norm: {60 + ce(i):.4f}  loss: {ce(i):.4f}"
        ),
    )
    f.put(
        last + 55,
        f"{f.clock(last + 55, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - per class results:\n\n+------------+-------+-------+\n|   Class    |  IoU  |  Acc  |\n+------------+-------+-------+\n| background | 91.07 | 95.90 |\n|   field    | 84.31 | 90.22 |\n|  boundary  | 58.88 | 71.46 |\n+------------+-------+-------+\n{f.clock(last + 56, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Iter(val) [250/250]    aAcc: 92.1100  mIoU: 78.0900  mAcc: 85.8600  data_time: 0.0110  time: 0.2102",
    )
    f.feel((0, OFF), (64, busy(0.5, 95, 0.78, 50)))
    f.close("COMPLETED", last + 66)
    return fine(f)


@case
def spoken() -> Job:
    """A voice on two cards in the manner of Coqui's trainer: tables of losses at each hundred steps, all epochs."""
    f = Lab(
        nodes=("tsp28",),
        name="xtts-sorbian",
        job_id=2_421_004,
        start_ns=on("2026-11-11 14:30:00"),
        gpus=2,
        board=RTX4090,
        way="srun",
        program="python recipes/sorbian.py",
        submit_line="sbatch -n2 tts.sh",
    )
    text, mel = decay(0.051, 0.031, 1500), decay(5.1, 2.3, 1500)
    f.put(25, " > Training Environment:\n | > Backend: Torch\n | > Mixed precision: True\n | > Num. of GPUs: 2\n > Model has 520193965 parameters")

    def line(i: int, t: float) -> str:
        head = f"\n > EPOCH: {i // 1000}/12\n --> runs/sorbian-November-11\n" if i % 1000 == 100 else ""
        return (
            head
            + f"   --> TIME: {f.clock(t)} -- STEP: {i % 1000}/1000 -- GLOBAL_STEP: {i}\n     | > loss_text_ce: {text(i):.5f}  ({text(i) + 0.001:.5f})\n     | > loss_mel_ce: {mel(i):.5f}  ({mel(i) + 0.01:.5f})\n     | > loss: {text(i) + mel(i):.5f}  ({text(i) + mel(i) + 0.01:.5f})\n     | > current_lr: 5e-06\n     | > step_time: 0.6{i // 100 % 10}1  (0.633)"
        )

    last = f.go(range(100, 12_001, 100), 30, 0.64, line)
    f.put(last + 20, " > BEST MODEL : runs/sorbian-November-11/best_model_12000.pth\n > Training done after 12 epochs")
    f.feel((0, OFF), (24, busy(0.86)))
    f.close("COMPLETED", last + 26)
    return fine(f)


@case
def forger_and_judge() -> Job:
    """Hard: two losses of an adversarial pair that swing, three steps left out for gradients that were not finite; the distance falls and all ticks are done."""
    f = Lab(
        nodes=("tsp6",),
        name="gan-moths-256",
        job_id=2_421_338,
        start_ns=on("2026-11-13 20:00:00"),
        gpus=1,
        board=L40S,
        program="python gan.py",
        submit_line="sbatch gan.sh",
    )
    skipped = {3000: 32768, 17_500: 16384, 33_000: 32768}
    last = f.go(
        range(500, 40_001, 500),
        21,
        0.21,
        lambda i, t: (
            f"[{f.clock(t, '%H:%M:%S')}] {i:>6}/40000  D {0.62 + 0.3 * math.sin(i / 1700):.3f}  G {1.9 + 1.1 * math.sin(i / 2300 + 1):.3f}  D(x) {0.71 + 0.1 * math.sin(i / 900):.2f}"
            + (f"\n  ! non-finite gradient in G (inf), step skipped, scale {skipped[i]}" if i in skipped else "")
            + (f"\n  FID(5k) {140 * math.exp(-i / 9000) + 17:.1f}" if i % 5000 == 0 else "")
        ),
    )
    f.put(last + 60, "done: 40000 steps, best FID(5k) 18.6 at 40000, ema weights in out/moths256/ema.pt")
    f.feel((0, OFF), (17, busy(0.4)))
    f.close("COMPLETED", last + 66)
    return fine(f, hard=True)


@case
def hub_away() -> Job:
    """Hard: no internet on the node; the hub's client tries five times with tracebacks and then takes its cache; the three epochs are trained."""
    f = Lab(
        nodes=("tsp3",),
        name="camembert-tickets",
        job_id=2_421_590,
        start_ns=on("2026-11-15 16:00:00"),
        gpus=1,
        board=L40S,
        program="python tickets.py",
        submit_line="sbatch tickets.sh",
    )
    for k in range(5):
        f.put(
            12 + 2**k,
            f"'(MaxRetryError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /camembert-base/resolve/main/config.json (Caused by NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f3a0c{k}1d210>: Failed to establish a new connection: [Errno 101] Network is unreachable'))\"), '(Request ID: 3d7a11{k}0)')' thrown while requesting HEAD https://huggingface.co/camembert-base/resolve/main/config.json\nRetrying in {2**k}s [Retry {k + 1}/5].",
        )
    f.put(
        45,
        tb(
            ("/home/eva/tickets/tickets.py", 31, "fetch", "return AutoModel.from_pretrained(name)"),
            ("/home/eva/env/lib/python3.11/site-packages/transformers/utils/hub.py", 446, "cached_file", "raise EnvironmentError("),
            end="OSError: We couldn't connect to 'https://huggingface.co' to load this file, couldn't find it in the cached files and it looks like camembert-base is not the path to a directory containing a file named config.json.",
        )
        + "\nfalling back to /home/eva/models/camembert-base (local copy)",
    )
    ce = decay(2.6, 0.4, 260)
    last = f.go(
        range(20, 1501, 20),
        60,
        0.7,
        lambda i, _t: (
            f"{{'loss': {ce(i):.4f}, 'grad_norm': {1.1 + ce(i):.4f}, 'learning_rate': {3e-5 * (1 - i / 1500):.3e}, 'epoch': {i / 500:.2f}}}"
            + (
                f"\n{{'eval_loss': {ce(i) + 0.05:.4f}, 'eval_macro_f1': {0.93 - ce(i) / 4:.4f}, 'eval_runtime': 8.11, 'epoch': {i // 500}.0}}"
                if i % 500 == 0
                else ""
            )
        ),
    )
    f.put(
        last + 11,
        f"{{'train_runtime': {last - 52:.2f}, 'train_samples_per_second': 68.1, 'train_steps_per_second': 1.42, 'train_loss': 0.8302, 'epoch': 3.0}}\n100%|{bar(1, 1)}| 1500/1500 [{hms(last - 52)}<00:00,  1.42it/s]",
    )
    f.feel((0, OFF), (50, Mood(2, 0, 0.2, 0.1, 10)), (58, busy(0.42)))
    f.close("COMPLETED", last + 16)
    return fine(f, hard=True)


@case
def small_graph() -> Job:
    """Hard: a small graph network keeps a large card a third busy, evenly; slow hours, and the planned epochs with a falling error."""
    f = Lab(
        nodes=("tsp13",),
        name="gnn-solubility",
        job_id=2_421_905,
        start_ns=on("2026-11-17 09:00:00"),
        gpus=1,
        board=H100,
        program="python solub.py --epochs 300",
        submit_line="sbatch sol.sh",
    )
    mae = decay(1.9, 0.52, 35)
    last = f.go(
        range(1, 301),
        17,
        24.4,
        lambda i, _t: f"{i:>4}/300  train MAE {mae(i):.4f}  val MAE {mae(i) * 1.11:.4f}  24.{i % 10} s" + ("  *" if i % 7 == 0 else ""),
    )
    f.put(last + 2, "test MAE 0.588 logS (linear baseline 1.02). 300 epochs in " + hms(last))
    f.feel((0, OFF), (14, Mood(31, 7, 0.24, 0.04, 8)))
    f.cores[0] = [(0, 101.0)]
    f.close("COMPLETED", last + 5)
    return fine(f, hard=True)


@case
def old_scars() -> Job:
    """Hard: a card with an old uncorrectable error and a row remapped long ago, corrected ones that rise meanwhile; the run does not notice."""
    f = Lab(
        nodes=("tsp20",),
        name="mace-water",
        job_id=2_422_220,
        start_ns=on("2026-11-19 22:00:00"),
        gpus=2,
        board=A100,
        way="srun",
        program="mace_run_train --name water --distributed",
        submit_line="sbatch -n2 mace.sh",
    )
    f.counters[1] = (
        {"ecc_aggregate_uncorrected": 2, "ecc_aggregate_corrected": 188, "remapped_rows_uncorrectable": 1, "ecc_volatile_corrected": 3},
        {"ecc_aggregate_corrected": 190, "ecc_volatile_corrected": 5},
    )
    loss = decay(0.9, 0.011, 20)
    last = f.go(
        range(201),
        48,
        31,
        lambda i, t: (
            f"{f.clock(t)}.{i % 900 + 99} INFO: Epoch {i}: head: Default, loss={loss(i):8.6f}, RMSE_E_per_atom={loss(i) * 40 + 0.4:8.2f} meV, RMSE_F={loss(i) * 300 + 6:8.2f} meV / A"
        ),
    )
    f.put(
        last + 18,
        f"{f.clock(last + 18)}.204 INFO: Training complete\n{f.clock(last + 22)}.811 INFO: Saving model to checkpoints/water_run-123.model\n{f.clock(last + 24)}.120 INFO: Done",
    )
    f.feel((0, OFF), (44, busy(0.61, 92, 0.7)))
    f.close("COMPLETED", last + 30)
    return fine(f, hard=True)


@case
def enough_after_eleven() -> Job:
    """Hard: early stopping at epoch 11 of 100, then noise of a logger that cannot reach its server at exit; code 0."""
    f = Lab(
        nodes=("tsp2",),
        name="ecg-resnet1d",
        job_id=2_422_471,
        start_ns=on("2026-11-22 19:00:00"),
        gpus=1,
        board=A6000,
        program="python ecg.py",
        submit_line="sbatch ecg.sh",
    )
    tr, va = decay(0.42, 0.06, 3), (0.31, 0.262, 0.241, 0.229, 0.224, 0.2215, 0.2231, 0.2240, 0.2262, 0.2281, 0.2311)
    f.put(14, "wandb: Network error (ConnectTimeout), entering retry loop.")
    last = f.go(
        range(1, 12),
        16,
        63,
        lambda i, _t: (
            f"epoch {i:3d} | train bce {tr(i):.4f} | val bce {va[i - 1]:.4f} | val auroc {0.985 - va[i - 1] / 5:.4f}{'  <- best, saved' if i <= 6 else ''}"
        ),
    )
    f.put(last + 0.5, "no improvement for 5 epochs: stopping early (best epoch 6, val bce 0.2215)")
    f.put(last + 9, "test auroc 0.9387 with the weights of epoch 6; results.json written")
    f.put(
        last + 41,
        "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [504]>)\nwandb: You can sync this run to the cloud by running:\nwandb: wandb sync /home/mirek/ecg/wandb/offline-run-20261122_190014-f3k0q2",
    )
    f.feel((0, OFF), (13, busy(0.17, 89, 0.6)), (last + 10, Mood(0, 0, 0.12, 0.17, 0)))
    f.close("COMPLETED", last + 44)
    return fine(f, hard=True)
