"""Jobs of a lab, first drawer: those that stopped by themselves, and those whose card failed or was held."""

from __future__ import annotations

from corpus.make._lichen_kit import A100, A100P, A6000, L40S, OFF, OPENED, RTX3090, RTX4090, Lab, busy
from corpus.make._lichen_words import Job, bad, decay, hms, on, shelf, tb

JOBS, case = shelf()


@case
def wrong_environment() -> Job:
    """A1: the batch script activated an environment without the package that the inference script imports."""
    f = Lab(
        nodes=("gpu07",),
        name="esmfold_batch3",
        job_id=558_213,
        start_ns=on("2026-10-12 13:02:40"),
        gpus=1,
        limit_s=43_200,
        board=A100,
        program="python predict_structures.py --fasta batch3.fa",
        submit_line="sbatch fold.sh batch3.fa",
        zone_h=2,
    )
    f.out(
        0.6,
        "Mon Oct 12 15:02:41 CEST 2026",
        "gpu07",
        "Loading cuda/12.1",
        "  Loading requirement: gcc/12.2.0",
        "Activating conda env: base",
        "input: batch3.fa (1184 sequences)",
    )
    f.put(
        14.2,
        tb(
            ("/home/mkeller/folding/predict_structures.py", 11, "<module>", "import esm"),
            (
                "/home/mkeller/miniforge3/lib/python3.11/site-packages/esm/pretrained.py",
                16,
                "<module>",
                "from openfold.utils.rigid_utils import Rigid",
            ),
            end="ModuleNotFoundError: No module named 'openfold'",
        ),
    )
    f.out(14.9, "FINISHED with exit code 1")
    f.leave(0, 14.6, code=1)
    f.feel((0, OFF))
    f.close("FAILED", 15.6, code=1)
    return bad(f, "A1", "missing_module", variant="env")


@case
def moved_split() -> Job:
    """A1: four ranks of a detector read a list of images that is not where the configuration says."""
    f = Lab(
        nodes=("node012",),
        name="yolo-drone",
        job_id=71_442,
        start_ns=on("2026-10-19 08:20:05"),
        gpus=4,
        board=RTX4090,
        way="srun",
        program="python tools/train.py configs/drone_l.yaml",
        submit_line="sbatch run_drone.slurm",
    )
    f.put_all(8.1, lambda r: f"| distributed init (rank {r}): env://")
    f.put(10.4, "cfg: configs/drone_l.yaml\nmodel: 43.7M params, 110.2 GFLOPs @640\ntrain list: /data/visdrone/splits/train_2026.txt")
    trace = tb(
        ("/home/yuting/drone/tools/train.py", 204, "<module>", "main(parse())"),
        ("/home/yuting/drone/tools/train.py", 131, "main", "train_set = DroneDataset(cfg.data.train, cfg.data.size)"),
        ("/home/yuting/drone/drone/data.py", 44, "__init__", "with open(listing) as lines:"),
        end="FileNotFoundError: [Errno 2] No such file or directory: '/data/visdrone/splits/train_2026.txt'",
    )
    f.put_all(10.9, lambda _: trace, apart=0.05)
    f.leave(f.world, 11.6, code=1)
    f.feel((0, OFF), (8.5, OPENED))
    f.out(12.4, "srun: error: node012: tasks 0-3: Exited with exit code 1")
    f.close("FAILED", 13.5, code=1)
    return bad(f, "A1", "file_not_found", variant="data", failed=(0, 1, 2, 3))


@case
def native_crash() -> Job:
    """A2: a segmentation fault in the native renderer of a simulator, in the middle of a PPO run; bash says so."""
    f = Lab(
        nodes=("rl-02",),
        name="ppo_hopper_vis",
        job_id=90_311,
        start_ns=on("2026-11-02 19:44:00"),
        gpus=1,
        board=A6000,
        program="python ppo_pixels.py --env Hopper --seed 3",
        submit_line="sbatch --array=3 pixels.sh",
    )
    reward = decay(-20, 890, 60, 0.03)
    last = f.go(
        range(1, 141),
        31,
        22.5,
        lambda i, t: (
            f"[{f.clock(t, '%H:%M:%S')}] update {i:>4}/500 | frames {i * 32768:>9,} | ret {reward(i):8.1f} | vloss {0.9 * 0.99**i + 0.05:.3f} | kl {0.011 + (i % 5) / 1000:.4f} | fps {1452 + i % 31}"
        ),
    )
    f.out(
        last + 9,
        "/var/spool/slurmd/job90311/slurm_script: line 22: 2207500 Segmentation fault      (core dumped) python ppo_pixels.py --env Hopper --seed $SLURM_ARRAY_TASK_ID",
    )
    f.seen[0] = {"core_dumped": True}
    f.leave(0, last + 8.6, signal=11)
    f.feel((0, OFF), (22, busy(0.31, 71, 0.55)))
    f.cores[0] = [(0, 640.0)]
    f.close("FAILED", last + 10, code=139)
    return bad(f, "A2", "segfault", fault="user")


@case
def shuffled_in_memory() -> Job:
    """A2: a preprocessing job reads all spectrograms into a list; the kernel kills it at the job's limit."""
    f = Lab(
        nodes=("gpu03",),
        name="melspec-cache",
        job_id=412_009,
        start_ns=on("2026-10-27 10:11:12"),
        gpus=1,
        limit_s=28_800,
        board=RTX3090,
        program="python build_cache.py --split train-960",
        submit_line="sbatch --mem=64G cache.sh",
    )
    f.put(6, "building cache for train-960: 281241 utterances, device cuda:0, n_mels=80")
    last = f.go(
        range(2500, 187_501, 2500),
        8,
        0.0192,
        lambda i, t: f"{i:>7}/281241  {100 * i / 281241:5.1f}%  {hms(t)}  rss {0.9 + i * 64.1 / 189_000:.1f} GB",
    )
    f.memory_kill(0, last + 24, 64)
    f.out(
        last + 25,
        "/var/spool/slurmd/job412009/slurm_script: line 9: 2207500 Killed                  python build_cache.py --split train-960",
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.batch. Some of the step tasks have been OOM Killed.",
    )
    f.leave(0, last + 24.2, signal=9)
    f.feel((0, OFF), (5, busy(0.12, 22, 0.4)))
    f.cores[0] = [(0, 310.0)]
    f.close("OUT_OF_MEMORY", last + 27, script=(137, None))
    return bad(f, "A2", "oom_killer")


@case
def two_devices() -> Job:
    """A3: the validation of a segmentation network multiplies with class weights that stayed on the CPU."""
    f = Lab(
        nodes=("vision2",),
        name="unet_pannuke",
        job_id=20_771,
        start_ns=on("2026-11-09 11:30:30"),
        gpus=1,
        board=L40S,
        program="python train_unet.py --fold 2",
        submit_line="sbatch unet.sbatch 2",
        zone_h=1,
    )
    dice = decay(1.31, 0.62, 260)
    last = f.go(range(20, 421, 20), 19, 0.83, lambda i, _t: f"epoch 1/60  it {i}/420  bce+dice {dice(i):.4f}  lr 3.00e-04")
    f.put(last + 3, "epoch 1/60  train 0.7913   -- validating on 523 tiles")
    f.put(
        last + 7.5,
        tb(
            ("/home/lrossi/pannuke/train_unet.py", 188, "<module>", "fit(args)"),
            ("/home/lrossi/pannuke/train_unet.py", 141, "fit", "val = validate(net, val_loader, weights)"),
            ("/home/lrossi/pannuke/train_unet.py", 97, "validate", "total += (weights * per_class).sum().item()"),
            end="RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
        ),
    )
    f.leave(0, last + 8.3, code=1)
    f.feel((0, OFF), (15, busy(0.41)), (last + 3, busy(0.43, 61, 0.6)))
    f.close("FAILED", last + 9.6, code=1)
    return bad(f, "A3", "device_mismatch")


@case
def empty_bucket() -> Job:
    """A3: two ranks; word error rate over a speaker without references divides by zero in the third epoch."""
    f = Lab(
        nodes=("asr1",),
        name="conformer_swiss",
        job_id=1_311_870,
        start_ns=on("2026-10-15 21:05:00"),
        gpus=2,
        board=A100P,
        way="srun",
        program="python -m speech.train conf/swiss.yaml",
        submit_line="sbatch -n2 swiss.sh",
    )
    ctc = decay(61, 11, 900, 0.03)
    last = f.go(
        range(100, 3001, 100), 42, 0.61, lambda i, t: f"{f.clock(t)} | ep {i // 1000} | upd {i} | ctc+att {ctc(i):.2f} | {312 + i % 17} utt/s"
    )
    f.put(last + 71, f"{f.clock(last + 71)} | scoring dev by speaker")
    f.put(
        last + 72,
        tb(
            ("/home/urs/speech/speech/train.py", 266, "<module>", "run(load(sys.argv[1]))"),
            ("/home/urs/speech/speech/train.py", 213, "run", "report = by_speaker(hyps, refs)"),
            ("/home/urs/speech/speech/score.py", 38, "by_speaker", "table[spk] = errors / words"),
            end="ZeroDivisionError: division by zero",
        ),
    )
    f.leave(0, last + 73, code=1)
    f.leave(1, last + 76, signal=9)
    f.feel((0, OFF), (35, busy(0.8)))
    f.out(
        last + 74,
        "srun: error: asr1: task 0: Exited with exit code 1",
        f"srun: Terminating StepId={f.job_id}.0",
        f"slurmstepd: error: *** STEP {f.job_id}.0 ON asr1 CANCELLED AT {f.clock(last + 74, '%Y-%m-%dT%H:%M:%S')} ***",
        "srun: error: asr1: task 1: Killed",
    )
    f.close("FAILED", last + 78, code=1)
    return bad(f, "A3", "div_zero", first=(0,))
