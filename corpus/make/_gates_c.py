"""What became of runs on many cards, third field: all went well, some not smoothly."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, H100, H200, IDLE, L40S, V100, WORK, Fleet, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames, sigterms

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def preferences() -> Made:
    """TRL's DPO: rewards and margins in the Trainer's dictionaries, quoted as version 5 has them."""
    f = Fleet(("tr-1",), "dpo-zephyr", 7_330_010, when("2026-08-02 08:00"), per=8, card=H100, agents=True, script="dpo.py", submit_line="sbatch dpo.sh")
    last = f.steps(0, range(10, 481, 10), 110, 8.8, lambda i, x, _t: f"{{'loss': '{x:.4f}', 'grad_norm': '{3.1 + x:.3f}', 'learning_rate': '{5e-7 * (1 - i / 480):.3e}', 'rewards/chosen': '{-0.02 * (0.69 - x) * 40:.4f}', 'rewards/rejected': '{-0.1 * (0.69 - x) * 40:.4f}', 'rewards/accuracies': '{0.5 + (0.693 - x) * 1.1:.4f}', 'rewards/margins': '{(0.693 - x) * 3.2:.4f}', 'epoch': '{i / 480:.2f}'}}", fall(0.693, 0.46, 90))
    f.say(0, last + 8, f"{{'train_runtime': '{last - 101:.1f}', 'train_samples_per_second': '14.51', 'train_steps_per_second': '0.113', 'train_loss': '0.5418', 'epoch': '1'}}\n***** train metrics *****\n  epoch                    =        1.0\n  train_loss               =     0.5418")
    f.load([(0, IDLE), (100, WORK)])
    f.close("COMPLETED", last + 25)
    return good(f)


@job
def stage_three() -> Made:
    """DeepSpeed ZeRO-3 on two nodes, its own step lines, its agents' last words."""
    f = Fleet(("zr-1", "zr-2"), "qwen14-ct", 7_330_301, when("2026-08-05 01:10"), per=8, card=A100, agents=True, script="ct_z3.py", submit_line="sbatch ct_z3.sh")
    f.say(0, 31, f"[{f.clock(31)},771] [INFO] [partition_parameters.py:345:__exit__] finished initializing model - num_params = 579, num_elems = 14.77B")
    last = f.steps(0, range(5, 401, 5), 120, 21.0, lambda i, x, _t: f"{{'step': {i}, 'loss': {x:.4f}, 'lr': {8e-6 * (1 - i / 440):.2e}, 'samples_per_s': {12.1 + i % 7 / 10:.1f}, 'alloc_gb': 31.8, 'peak_gb': 66.0}}", fall(1.9, 1.41, 70))
    for n in range(2):
        f.launcher[n] += [(last + 66 + k / 8, f"[{f.clock(last + 66)},{300 + k}] [INFO] [launch.py:351:main] Process {f.pid(8 * n + k)} exits successfully.") for k in range(8)]
    f.say(0, last + 50, "16-bit weights gathered on rank 0 and written to /scratch/qwen14-ct/hf")
    f.load([(0, IDLE), (110, WORK)])
    f.close("COMPLETED", last + 72)
    return good(f)


@job
def gentle_slope() -> Made:
    """Diffusion with accelerate's tqdm line, one node of old cards."""
    f = Fleet(("vv-3",), "latent-faces", 7_330_640, when("2026-08-08 17:00"), per=4, card=V100, agents=True, script="faces.py", submit_line="sbatch faces.sh")
    last = f.steps(0, range(40, 2001, 40), 50, 1.45, lambda i, x, t: f"Steps: {100 * i // 2000:>3}%|{'█' * (i // 200):<10}| {i}/2000 [{int(t - 50) // 60:02d}:{int(t - 50) % 60:02d}<{int((2000 - i) * 1.45) // 60:02d}:{int((2000 - i) * 1.45) % 60:02d},  1.45s/it, lr=0.0001, step_loss={x:.4f}]\r", fall(0.61, 0.11, 60))
    f.say(0, last + 9, "\nfid over 2048 samples: 14.8, weights in faces/unet_ema.safetensors\n2000 steps done")
    f.load([(0, IDLE), (46, Load(96, 0, 0.88, 0.83))])
    f.close("COMPLETED", last + 16)
    return good(f)


@job
def trees_on_cards() -> Made:
    """XGBoost over dask on four cards: evaluation lines of each tenth round, the best at the end."""
    f = Fleet(("dx-1",), "credit-gbm", 7_330_905, when("2026-08-13 05:45"), per=4, card=L40S, script="gbm_dask.py", submit_line="sbatch gbm.sh")
    f.each(9, "2026-08-13 05:45:09,{l}11 - distributed.worker - INFO -       Start worker at:     tcp://10.3.0.7:4110{l}", range(1, 4))
    last = f.steps(0, range(0, 1001, 10), 40, 0.62, lambda i, x, t: f"[{f.clock(t, '%H:%M:%S')}] [{i}]\ttrain-logloss:{x:.5f}\tvalid-logloss:{x * 1.04 + 0.004:.5f}", fall(0.69, 0.21, 60))
    f.say(0, last + 6, "rounds: 1000, valid auc 0.8871, model: /proj/risk/gbm_0813.ubj")
    f.load([(0, IDLE), (38, Load(93, 0, 0.72, 0.64, 10))])
    f.close("COMPLETED", last + 11)
    return good(f)


@job
def proteins() -> Made:
    """A folding model under plain srun, one line a minute, EMA at the end."""
    f = Fleet(("fo-1", "fo-2", "fo-3"), "boltz-ft", 7_331_222, when("2026-08-19 03:03"), per=4, card=H200, script="fold.py", submit_line="sbatch -N3 fold.sh")
    f.each(14, "boltz-ft rank={r}/12 host={node} dev={l}")
    last = f.steps(0, range(4, 401, 4), 95, 15.1, lambda i, x, t: f"boltz-ft {f.clock(t, '%d %H:%M')} n={i} loss/diff={x:.4f} loss/disto={x * 0.8:.4f} lddt={0.9 - x / 6:.3f} crop=384", fall(2.8, 0.9, 60))
    f.say(0, last + 15, "boltz-ft n=400 reached, ema weights -> ft/ema_400.ckpt")
    f.load([(0, IDLE), (90, Load(95, 41, 0.71, 0.88, 18))])
    f.close("COMPLETED", last + 22)
    return good(f)


@job
def speakers() -> Made:
    """A speech project's own CSV of epochs on two nodes, done after its last."""
    f = Fleet(("sp-a", "sp-b"), "ecapa-vox", 7_331_560, when("2026-08-22 18:00"), per=4, card=A100, script="speaker.py", submit_line="sbatch vox.sh")
    f.say(0, 20, "epoch,train_aam,eer_voxO,lr,minutes")
    last = f.steps(0, range(1, 25), 20, 610, lambda i, x, _t: f"{i},{x:.4f},{0.9 + x / 2.2:.3f},{0.001 * 0.9 ** i:.6f},10.{i % 7}", fall(9.8, 0.8, 2))
    f.say(0, last + 3, "# 24 epochs, best eer 1.287 at 24")
    f.load([(0, IDLE), (18, WORK)])
    f.close("COMPLETED", last + 9)
    return good(f)


@job
def embeddings() -> Made:
    """Recommender on Blackwell: samples a second, AUC twice, the end of the day's data."""
    f = Fleet(("rc-1",), "dlrm-day", 7_331_801, when("2026-08-27 00:10"), per=8, card=B200, agents=True, script="dlrm.py", submit_line="sbatch dlrm.sh")
    last = f.steps(0, range(1000, 60_001, 1000), 80, 0.018, lambda i, x, t: f"[{f.clock(t, '%H:%M:%S')}] batch {i:>6}/60000 bce {x:.5f} qps {65536 / 0.018:,.0f}" + (f"\n[{f.clock(t, '%H:%M:%S')}] eval auc {0.81 - x / 10:.5f}" if i in (30_000, 60_000) else ""), fall(0.21, 0.118, 6000))
    f.say(0, last + 4, f"[{f.clock(last + 4, '%H:%M:%S')}] day_22 consumed, tables flushed")
    f.load([(0, IDLE), (76, Load(90, 46, 0.61, 0.92, 20))])
    f.close("COMPLETED", last + 9)
    return good(f)


@job
def patience() -> Made:
    """Hard: early stopping ends it at epoch 31 of 200, the validation loss had not improved for eight epochs; the best is restored."""
    f = Fleet(("es-1", "es-2"), "tft-load", 7_332_100, when("2026-08-29 09:00"), per=4, card=A100, script="tft.py", submit_line="sbatch tft.sh")
    curve = fall(0.81, 0.27, 3)
    last = f.steps(0, range(1, 32), 30, 88, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} tft epoch {i}/200 train {x:.4f} val {curve(min(i, 23)) * 1.06 + max(0, i - 23) * 0.004:.4f}", curve)
    f.say(0, last + 1, "Monitored metric val did not improve in the last 8 records. Best score: 0.314. Signaling Trainer to stop.")
    f.say(0, last + 4, f"{f.clock(last + 4, '%H:%M:%S')} tft best epoch 23 restored, test q-risk 0.0713, bye")
    f.load([(0, IDLE), (28, WORK)])
    f.close("COMPLETED", last + 9)
    return good(f, hard=True)


@job
def born_again() -> Made:
    """Hard: torchrun starts its workers anew after one of them lost a socket; they go on from the last snapshot and reach the end."""
    f = Fleet(("mr-1",), "videomae-l", 7_332_480, when("2026-08-31 11:40"), per=4, card=H100, agents=True, script="vmae.py", submit_line="sbatch vmae.sh")
    mid = f.steps(0, range(50, 1501, 50), 60, 1.1, lambda i, x, t: f"[{f.clock(t)}] vmae {i}/4000 rec={x:.4f}", fall(1.1, 0.4, 200))
    f.say(2, mid + 3, frames(("/x/vmae.py", 99, "<module>", "main()"), ("/x/vmae.py", 71, "main", "clip = remote.get(key)"), error="ConnectionError: remote end closed connection without response"), "[rank2]: ")
    f.launcher[0].append((mid + 5, f"E{f.clock(mid + 5, '%m%d %H:%M:%S')}.771000 1210311 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 2 (pid: 1210480) of binary: /x/env/bin/python"))
    sigterms(f, 0, mid + 4.8, [0, 1, 3])
    f.launcher[0].append((mid + 6, f"I{f.clock(mid + 6, '%m%d %H:%M:%S')}.112000 1210311 torch/distributed/elastic/agent/server/api.py:906] [default] Worker group FAILED. 2/3 attempts left; will restart worker group\nI{f.clock(mid + 6, '%m%d %H:%M:%S')}.113000 1210311 torch/distributed/elastic/agent/server/api.py:699] [default] Restarting worker group"))
    f.say(0, mid + 40, f"[{f.clock(mid + 40)}] snapshot of step 1450 found, going on")
    last = f.steps(0, range(1500, 4001, 50), mid + 45, 1.1, lambda i, x, t: f"[{f.clock(t)}] vmae {i}/4000 rec={x:.4f}", fall(1.1, 0.4, 200))
    f.say(0, last + 5, f"[{f.clock(last + 5)}] vmae 4000/4000 complete, encoder saved")
    f.launcher[0].append((last + 8, f"I{f.clock(last + 8, '%m%d %H:%M:%S')}.410000 1210311 torch/distributed/elastic/agent/server/api.py:879] [default] worker group successfully finished. Waiting 300 seconds for other agents to finish."))
    f.load([(0, IDLE), (56, WORK), (mid + 5, IDLE), (mid + 44, WORK)])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


@job
def slow_epoch() -> Made:
    """Hard: the file system is slow for nine minutes, steps take six times as long there, then all is as before; the end is the planned one."""
    f = Fleet(("we-1", "we-2"), "wrf-unet", 7_332_800, when("2026-09-02 20:20"), per=4, card=H100, script="wrf.py", submit_line="sbatch wrf.sh")
    last = f.steps(0, range(25, 4001, 25), 70, lambda i: 7.2 if 1400 < i <= 1475 else 1.2, lambda i, x, t: f"{f.clock(t)} wrf-unet s={i:>5} rmse={x:.4f} dt={7.2 if 1400 < i <= 1475 else 1.2:.1f}" + (" [io slow]" if 1400 < i <= 1475 else ""), fall(3.9, 0.7, 200))
    slow = 70 + 1400 * 1.2
    f.kernel("we-2", slow + 140, "kernel_hung_task", "INFO: task pt_data_worker:41877 blocked for more than 120 seconds.", process="pt_data_worker", pid=41_877, blocked_s=120)
    f.say(0, last + 5, f"{f.clock(last + 5)} wrf-unet 4000 steps, skill vs persistence 0.61")
    f.load([(0, IDLE), (66, WORK), (slow, Load(17, 9, 0.3, 0.79, 100)), (slow + 75 * 7.2, WORK)])
    f.close("COMPLETED", last + 11)
    return good(f, hard=True)


@job
def told_in_time() -> Made:
    """Hard: Slurm's warning signal comes near the limit, the script saves as it was told to, but the end comes first and as planned."""
    f = Fleet(("wl-1",), "mamba-hg38", 7_333_120, when("2026-09-04 04:40"), per=4, card=H200, limit_s=14_400, script="mamba_dna.py", submit_line="sbatch --time=4:00:00 --signal=USR1@600 mamba.sh")
    last = f.steps(0, range(200, 12_001, 200), 60, 1.15, lambda i, x, t: f"({f.clock(t, '%H:%M:%S')}) mamba-hg38 {i}/12000 nats={x:.4f} {1_139_000 + i % 900} bp/s", fall(1.386, 1.19, 700))
    f.say(0, 13_800, f"({f.clock(13_800, '%H:%M:%S')}) caught SIGUSR1 (10 min to the limit): saving emergency.ckpt\n({f.clock(13_812, '%H:%M:%S')}) emergency.ckpt written, carrying on")
    f.say(0, last + 20, f"({f.clock(last + 20, '%H:%M:%S')}) mamba-hg38 12000/12000, eval nats 1.1968, done")
    f.load([(0, IDLE), (55, WORK)])
    f.close("COMPLETED", last + 29)
    return good(f, hard=True)


@job
def noisy_fabric() -> Made:
    """Hard: NCCL at INFO with warnings of plugins and GPUDirect that are not there, a refused connection that is tried again; nothing comes of it."""
    f = Fleet(("nf-1", "nf-2"), "siglip-so", 7_333_450, when("2026-09-05 22:00"), per=4, card=H100, script="siglip.py", submit_line="sbatch siglip.sh")
    f.each(12, "{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.\n{node}:400{r:02d}:405{r:02d} [{l}] misc/ibvwrap.cc:94 NCCL WARN Call to ibv_open_device failed\n{node}:400{r:02d}:405{r:02d} [{l}] NCCL INFO NET/IB : Using [0]mlx5_1:1/IB [RO]; OOB ib1:10.50.0.{r}<0>")
    f.say(5, 14, "nf-2:40005:40505 [1] misc/socket.cc:552 NCCL WARN socketPollConnect: connect to 10.50.0.0<38911> returned Connection refused, retrying\nnf-2:40005:40505 [1] NCCL INFO comm 0x55d0 rank 5 nranks 8 cudaDev 1 busId 3b000 - Init COMPLETE")
    f.say(2, 15, "nf-1:40002:40502 [2] transport/p2p.cc:171 NCCL WARN Cuda failure 217 'peer access is not supported between these two devices'\nnf-1:40002:40502 [2] NCCL INFO Connected all rings, use ring PXN 0 GDR 0")
    last = f.steps(0, range(50, 2501, 50), 40, 1.4, lambda i, x, t: f"siglip {f.clock(t, '%H:%M:%S')} step={i} sigmoid-loss={x:.4f} i2t@1={min(0.7, i / 3600):.3f}", fall(9.7, 1.9, 160))
    f.say(0, last + 6, "siglip step=2500 finished; zero-shot 0.611")
    f.load([(0, IDLE), (36, WORK)])
    f.close("COMPLETED", last + 13)
    return good(f, hard=True)


@job
def bad_pages() -> Made:
    """Hard: a document in a hundred thousand cannot be read; each is told with its traceback, left out, and the run goes on to its end."""
    f = Fleet(("dc-1", "dc-2"), "nougat-v2", 7_333_800, when("2026-09-06 10:10"), per=4, card=A100, agents=True, script="nougat.py", submit_line="sbatch nougat.sh")
    last = f.steps(0, range(100, 5001, 100), 55, 0.8, lambda i, x, t: f"[rank0] {f.clock(t, '%H:%M:%S')} nougat it {i}/5000 ce {x:.4f} cer~{x / 11:.3f}", fall(3.8, 0.5, 250))
    for k, (r, at) in enumerate(((3, 300.0), (6, 1210.0), (1, 2222.0), (6, 3100.0))):
        f.say(r, at, f"[rank{r}] skipped arxiv/{2100 + k}.0{k}417.pdf\n" + frames(("/n/nougat.py", 60, "page", "image = render(pdf, number)"), ("/n/raster.py", 18, "render", "return doc[number].get_pixmap(dpi=96)"), error=("RuntimeError: cannot find page 9 in page tree", "IndexError: page not in document", "MemoryError", "ValueError: bad stride")[k]))
    f.say(0, last + 5, f"[rank0] {f.clock(last + 5, '%H:%M:%S')} nougat 5000/5000; 4 documents skipped of 412190; saved")
    f.load([(0, IDLE), (50, WORK)])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


