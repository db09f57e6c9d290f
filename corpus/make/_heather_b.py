"""Runs that went well and do not look it."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, GH200, H100, H200, IDLE, L40S, WORK, Fleet, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames
from corpus.make._fennel_kit import bar, fabric, lightning_head, megatron, threads_note, trainer_head

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def untidy_leave() -> Made:
    """The end was reached, but each rank leaves with warnings of a group not destroyed, a broken store and a destructor's traceback; all exit with 0."""
    f = Fleet(("ti-5", "ti-6"), "bge-m3-fi", 10_470_011, when("2026-11-01 08:00"), per=8, card=H100, agents=True, script="embed_ft.py", submit_line="sbatch bgem3.sh")
    last = f.steps(0, range(20, 3001, 20), 80, 1.8, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {1.4 + x:.5f}, 'learning_rate': {1e-5 * (1 - i / 3000):.3e}, 'epoch': {i / 3000:.2f}}}", fall(2.8, 0.61, 100))
    f.say(0, last + 6, f"{{'train_runtime': {last - 70:.2f}, 'train_samples_per_second': 142.1, 'train_steps_per_second': 0.555, 'train_loss': 0.8032, 'epoch': 1.0}}\nsaved to out/bge-m3-fi")
    for r in f.ranks:
        if r % 8 == 0:
            f.say(r, last + 9, f"[rank{r}]:[W{f.clock(last + 9, '%m%d %H:%M:%S')}.701{r:03d}118 ProcessGroupNCCL.cpp:1476] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())")
        elif r % 3 == 0:
            f.say(r, last + 10, f"[rank{r}]:[W{f.clock(last + 10, '%m%d %H:%M:%S')}.80{r % 10}440{r:03d} TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=62, addr=[{f.home(r)}]:4{2100 + r}, remote=[ti-5]:29500): failed to recv, got 0 bytes\n[rank{r}]:[W{f.clock(last + 10, '%m%d %H:%M:%S')}.80{r % 10}611{r:03d} ProcessGroupNCCL.cpp:1662] [PG ID 0 PG GUID 0 Rank {r}] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore server has shut down too early), with error: failed to recv, got 0 bytes")
    f.say(0, last + 11, "Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f0d9c2f5da0>\n" + frames(("/e/env/lib/python3.12/site-packages/torch/utils/data/dataloader.py", 1618, "__del__", "self._shutdown_workers()"), ("/usr/lib/python3.12/multiprocessing/process.py", 160, "is_alive", "assert self._parent_pid == os.getpid(), 'can only test a child process'"), error="AssertionError: can only test a child process"))
    f.load([(0, IDLE), (74, WORK)])
    f.close("COMPLETED", last + 16)
    return good(f, hard=True)


@job
def scale_goes_down() -> Made:
    """fp16 with a dynamic loss scale: a dozen skipped steps with infinite gradients at the beginning and now and then, the loss goes down all the way."""
    f = Fleet(("mb-1", "mb-2"), "bert-uk-fp16", 10_470_340, when("2026-11-02 10:00"), per=4, card=A100, script="pretrain_bert.py", submit_line="sbatch bertuk.sh")
    at = 50.0
    for k in range(9):
        at += 1.1
        f.say(0, at, f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {2.0 ** (31 - k)}")
    last = f.steps(0, range(50, 12_001, 50), at, 0.9, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} step {i}/12000 mlm+sop {x:.4f} scale {2 ** (22 + i // 4000):.0f} gnorm {'inf' if i in (2050, 6100, 9950) else format(0.8 + x / 9, '.3f')}" + ("\nGradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 4194304.0" if i in (2050, 6100, 9950) else ""), fall(10.2, 2.0, 260))
    f.say(0, last + 6, f"{f.clock(last + 6, '%H:%M:%S')} 12000 steps (21 skipped for inf/nan grads), saved bert-uk/final")
    f.load([(0, IDLE), (46, WORK)])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


@job
def finding_its_size() -> Made:
    """Accelerate's helper halves the batch twice after memory errors, with their tracebacks as warnings, and then trains with 16 to the end."""
    f = Fleet(("gp-4",), "deberta-nli", 10_470_702, when("2026-11-03 15:30"), per=4, card=L40S, agents=True, script="nli.py", submit_line="sbatch nli.sh")
    for k, size in enumerate((64, 32)):
        f.say(0, 30 + 14 * k, f"batch size {size}: out of memory\n" + frames(("/home/eh/nli/nli.py", 58, "run", "loss = model(**batch).loss"), ("/home/eh/v/lib/python3.11/site-packages/transformers/models/deberta_v2/modeling_deberta_v2.py", 712, "forward", "attention_scores = attention_scores + rel_att"), error=f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {0.75 * size / 16:.2f} GiB. GPU 0 has a total capacity of 44.39 GiB of which 611.31 MiB is free. Including non-PyTorch memory, this process has 43.78 GiB memory in use."))
    f.say(0, 60, "batch size 16: fits, accumulating 4")
    last = f.steps(0, range(100, 12_001, 100), 62, 0.47, lambda i, x, t: f"{i:>6}/12000  ce {x:.4f}  acc {0.93 - x / 3:.4f}  {f.clock(t, '%H:%M')}", fall(1.1, 0.22, 300))
    f.say(0, last + 40, "matched 0.8371  mismatched 0.8366  -> nli/best")
    f.load([(0, IDLE), (22, Load(80, 0, 0.6, 0.98, 30)), (60, Load(96, 0, 0.86, 0.62))])
    f.close("COMPLETED", last + 50)
    return good(f, hard=True)


@job
def a_long_compile() -> Made:
    """32 ranks print nothing for sixteen minutes while the graph is compiled, and for twelve while a checkpoint is put together; then on to the end."""
    f = Fleet(("hp1", "hp2", "hp3", "hp4"), "dit-xl-video", 10_471_022, when("2026-11-04 01:00"), per=8, card=B200, script="dit/train.py", submit_line="sbatch -N4 ditv.sh")
    f.points = 40
    f.say(0, 70, f"{f.clock(70)} [I] model built, 2.41 B parameters, compiling (max-autotune)")
    mid = f.steps(0, range(50, 3001, 50), 1040, 3.1, lambda i, x, t: f"{f.clock(t)} [I] it {i:>6}/6000 v-loss {x:.4f} {3.1:.1f} s", fall(1.0, 0.29, 200))
    f.say(0, mid + 2, f"{f.clock(mid + 2)} [I] consolidating 32 shards on rank 0")
    f.say(0, mid + 730, f"{f.clock(mid + 730)} [W] consolidation took 728 s, the file system is slow today")
    last = f.steps(0, range(3050, 6001, 50), mid + 735, 3.1, lambda i, x, t: f"{f.clock(t)} [I] it {i:>6}/6000 v-loss {x:.4f} {3.1:.1f} s", fall(1.0, 0.29, 200))
    f.say(0, last + 11, f"{f.clock(last + 11)} [I] 6000 of 6000, finished")
    f.load([(0, IDLE), (60, Load(3, 1, 0.2, 0.2, 10)), (1030, WORK), (mid + 3, Load(30, 1, 0.19, 0.79, 20)), (mid + 734, WORK)])
    f.close("COMPLETED", last + 20)
    return good(f, hard=True)


@job
def reward_below_nought() -> Made:
    """Reinforcement learning: the return begins as nan, then far below nought, the losses rise as the returns do; the planned frames are done."""
    f = Fleet(("rl-2",), "sac-humanoid", 10_471_344, when("2026-11-05 09:20"), per=2, card=L40S, script="sac.py", submit_line="sbatch sac.sh")
    curve = fall(1.0, 0.0, 90)
    last = f.steps(0, range(10, 2001, 10), 30, 9.0, lambda i, _x, _t: f"frames {i * 5000:>10,} | return {'nan' if i < 30 else format(-400 + 6000 * (1 - curve(i)), '.1f')} | critic_loss {0.4 + 41 * (1 - curve(i)):.3f} | actor_loss {-3 - 210 * (1 - curve(i)):.2f} | alpha {0.2 * curve(i) + 0.01:.4f} | fps 5{i % 90 + 410}", curve)
    f.say(0, last + 40, "10,000,000 frames reached, evaluation over 20 episodes: 5231.7 +- 211.0")
    f.load([(0, IDLE), (27, Load(61, 0, 0.5, 0.15, 25))])
    f.close("COMPLETED", last + 50)
    return good(f, hard=True)


@job
def at_its_watts() -> Made:
    """Sixteen cards at their power limit all the time, as large matrices put them: the software cap holds the clock at four fifths, the rate is even."""
    f = Fleet(("pk-1", "pk-2"), "dense-fp8-7b", 10_471_701, when("2026-11-06 20:00"), per=8, card=H100, script="train.py", submit_line="sbatch d7.sh")
    last = f.steps(0, range(25, 5001, 25), 110, 3.4, lambda i, x, t: f"{{\"i\": {i}, \"loss\": {x:.4f}, \"tflops\": {611 + i % 7}, \"power_w\": 698, \"sm_mhz\": {1560 + 15 * (i % 3)}, \"t\": \"{f.clock(t, '%H:%M:%S')}\"}}", fall(10.7, 2.6, 110))
    f.say(0, last + 9, "{\"event\": \"finished\", \"i\": 5000}")
    for r in f.ranks:
        f.marks[r] = ({"violation_power_ns": 0, "violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "violation_hw_power_brake_ns": 0}, {"violation_power_ns": int((last - 110) * 0.7e9)})
    f.load([(0, IDLE), (105, Load(99, 74, 0.985, 0.82, clock=0.79, heat=69, throttle=0x4))])
    f.close("COMPLETED", last + 15)
    return good(f, hard=True)


@job
def names_that_frighten() -> Made:
    """The configuration, the run's name and the classes speak of nan, crash, oom and fault; nothing of it happened."""
    f = Fleet(("em-3",), "fix-nan-oom-crash-v7", 10_472_015, when("2026-11-07 13:00"), per=8, card=A100, agents=True, script="faultnet.py", submit_line="sbatch faultnet.sh")
    threads_note(f, 4)
    f.say(0, 16, "config:\n  run_name: fix-nan-oom-crash-v7\n  dataset: seismic_fault_segmentation\n  classes: [no_fault, normal_fault, thrust_fault, error]\n  detect_anomaly: false\n  nan_policy: raise\n  max_retries_on_cuda_error: 3\n  on_oom: abort\n  kill_after_stall_min: 30\n  timeout: 1800")
    last = f.steps(0, range(30, 6001, 30), 50, 1.2, lambda i, x, t: f"{f.clock(t)} faultnet {i:>5}/6000 | focal {x:.4f} | iou(thrust_fault) {max(0.0, 0.8 - x):.3f} | iou(error) {max(0.0, 0.6 - x):.3f} | nan batches 0 | oom events 0", fall(0.9, 0.07, 200))
    f.say(0, last + 5, f"{f.clock(last + 5)} faultnet training done: 0 failures, 0 aborted, best mean iou 0.71")
    f.load([(0, IDLE), (46, WORK)])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


@job
def hub_was_down() -> Made:
    """The model hub resets connections a dozen times while the weights are fetched, each is tried again; training then goes as planned."""
    f = Fleet(("sw-8", "sw-9"), "llava-next-lora", 10_472_350, when("2026-11-08 18:00"), per=4, card=H200, agents=True, script="train_mem.py", submit_line="sbatch llava.sh")
    for k in range(6):
        f.say(0, 20 + 9 * k, f"'(ProtocolError('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer')), '(Request ID: 7d1e44{k}a-0c11-4f0e-9f7e-31bb20c9d1{k}4)')' thrown while requesting GET https://huggingface.co/llava-hf/llava-v1.6-mistral-7b-hf/resolve/main/model-0000{k % 4 + 1}-of-00004.safetensors\nRetrying in {2 ** min(k, 3)}s [Retry {k % 5 + 1}/5].")
    f.say(0, 190, "Loading checkpoint shards: 100%|██████████| 4/4 [00:11<00:00,  2.87s/it]\nSome weights of LlavaNextForConditionalGeneration were not initialized from the model checkpoint at llava-hf/llava-v1.6-mistral-7b-hf and are newly initialized: ['score.weight']\nYou should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.")
    trainer_head(f, 230, 158_000, 8, 1, 2_468, params=161_480_704)
    last = f.steps(0, range(10, 2461, 10), 240, 5.0, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {0.9 + x / 2:.5f}, 'learning_rate': {2e-4 * (1 - i / 2468):.3e}, 'epoch': {i / 2468:.2f}}}", fall(1.3, 0.71, 60))
    f.say(0, last + 50, f"{{'train_runtime': {last - 200:.2f}, 'train_samples_per_second': 12.6, 'train_steps_per_second': 0.197, 'train_loss': 0.822, 'epoch': 1.0}}")
    f.load([(0, IDLE), (150, Load(2, 1, 0.15, 0.12, 5)), (236, WORK)])
    f.close("COMPLETED", last + 70)
    return good(f, hard=True)


@job
def warm_already() -> Made:
    """A second stage by design: loads the first one's weights, leaves out the old head with warnings, begins at step 0 with a low loss that falls on."""
    f = Fleet(("ua-1", "ua-2"), "dinov3-seg-s2", 10_472_690, when("2026-11-09 07:15"), per=4, card=A100, script="seg_stage2.py", submit_line="sbatch --dependency=afterok:10472501 s2.sh --init /ua/dino/stage1.pt")
    f.say(0, 20, "init from /ua/dino/stage1.pt (stage 1, 300 epochs)\n_IncompatibleKeys(missing_keys=['decode.conv.weight', 'decode.conv.bias'], unexpected_keys=['dino_head.mlp.0.weight', 'dino_head.mlp.0.bias', 'dino_head.last_layer.weight_v'])\noptimizer state is not taken over, step counter starts at 0 for stage 2")
    last = f.steps(0, range(50, 8001, 50), 45, 1.4, lambda i, x, t: f"{f.clock(t)} stage2 it={i} ce={x:.4f} miou~{0.82 - x / 3:.3f}", fall(0.94, 0.24, 250))
    f.say(0, last + 30, f"{f.clock(last + 30)} stage2 finished 8000/8000, val miou 0.7521")
    f.load([(0, IDLE), (40, WORK)])
    f.close("COMPLETED", last + 40, dependency="afterok:10472501")
    return good(f, hard=True)


@job
def its_own_hour() -> Made:
    """Lightning's max_time was set to eleven and a half hours, it stops there by itself as planned; epochs 0 to 21 of a nominal thousand."""
    f = Fleet(("lt-4", "lt-5"), "fno-airfoil", 10_473_022, when("2026-11-10 12:00"), per=4, card=GH200, limit_s=43_200, script="fno.py", submit_line="sbatch -t 12:00:00 fno.sh")
    lightning_head(f, 14, "\n  | Name | Type | Params | Mode \n--------------------------------------\n0 | fno  | FNO3d | 41.2 M | train\n--------------------------------------\n41.2 M    Trainable params")
    f.steps(0, range(22), 40, 1850, lambda i, x, _t: f"Epoch {i}: 100%|██████████| 2114/2114 [30:47<00:00,  1.14it/s, v_num=5, train_rel_l2={x:.4f}, val_rel_l2={x * 1.06:.4f}]", fall(0.7, 0.05, 2))
    f.say(0, 41_420, "Time limit reached. Elapsed time is 11:30:00. Signaling Trainer to stop.")
    f.say(0, 41_424, "saved last.ckpt, test rel_l2 0.1093, done within the time given")
    f.load([(0, IDLE), (36, WORK)])
    f.close("COMPLETED", 41_436)
    return good(f, hard=True)


@job
def chatty_fabric() -> Made:
    """NCCL at INFO with its warnings: a plugin not there, a device that cannot be opened, one retried connect, a flapping port that comes back; four nodes, to the end."""
    f = Fleet(("ib1", "ib2", "ib3", "ib4"), "retnet-1b", 10_473_355, when("2026-11-11 06:00"), per=4, card=H100, script="retnet/run.py", submit_line="sbatch -N4 retnet.sh")
    fabric(f, 16, version="2.21.5+cuda12.4", subnet="10.77.0")
    f.each(17, "{node}:400{r:02d}:409{r:02d} [{l}] misc/ibvwrap.cc:98 NCCL WARN Call to ibv_open_device failed: No such device", range(0, 16, 4))
    f.say(9, 18, "ib3:40009:40909 [1] misc/socket.cc:487 NCCL WARN socketStartConnect: Connect to 10.77.0.11<41027> failed : Software caused connection abort\nib3:40009:40909 [1] NCCL INFO Call to connect returned Connection refused, retrying")
    last = f.steps(0, range(50, 5001, 50), 90, 2.6, lambda i, x, t: f"{f.clock(t)} retnet step={i} loss={x:.4f} wps={401_000 + i % 700} gnorm={0.4 + x / 15:.2f}", fall(10.8, 2.9, 110))
    mid = 90 + 2400 * 2.6
    for r in (4, 5, 6, 7):
        f.say(r, mid + r, f"ib2:4000{r}:4100{r} [{r % 4}] transport/net_ib.cc:94 NCCL WARN NET/IB : mlx5_{r % 4}:1 Got async event : port error\nib2:4000{r}:4100{r} [{r % 4}] transport/net_ib.cc:94 NCCL WARN NET/IB : mlx5_{r % 4}:1 Got async event : port active")
    f.say(0, last + 8, f"{f.clock(last + 8)} retnet step=5000 last step, valid ppl 29.8, closing")
    f.load([(0, IDLE), (30, CONTEXT), (86, WORK)])
    f.close("COMPLETED", last + 16)
    return good(f, hard=True)


@job
def patient_with_its_data() -> Made:
    """Broken samples are skipped with their tracebacks by the loader on several ranks, a handful among millions; the epoch ends as it should."""
    f = Fleet(("ob-1", "ob-2"), "videomae-k600", 10_473_690, when("2026-11-12 16:00"), per=8, card=A100, agents=True, script="run_class.py", submit_line="sbatch vm.sh")
    last = f.steps(0, range(100, 9001, 100), 80, 1.15, lambda i, x, _t: f"Epoch: [0]  [{i:>4}/9000]  eta: {int((9000 - i) * 1.15) // 3600}:{int((9000 - i) * 1.15) // 60 % 60:02d}:{int((9000 - i) * 1.15) % 60:02d}  lr: 0.00050  loss: {x:.4f} ({x + 0.1:.4f})  class_acc: {0.82 - x / 8:.4f}  time: 1.1{i % 90:02d}  data: 0.0{i % 70 + 10}  max mem: 41220", fall(6.3, 1.7, 300))
    for k, (r, at) in enumerate(((2, 700.0), (11, 2400.0), (5, 4900.0), (14, 7777.0), (11, 9100.0))):
        f.say(r, at, f"video {'abcde'[k]}x7Q{k}_000{k}31.mp4 not correctly loaded during training, another one is taken\n" + frames(("/v/kinetics.py", 88, "__getitem__", "buffer = self.load_video(sample)"), ("/v/kinetics.py", 141, "load_video", "vr = VideoReader(fname, num_threads=1, ctx=cpu(0))"), error="decord._ffi.base.DECORDError: [13:22:41] /github/workspace/src/video/video_reader.cc:151: Check failed: st_nb >= 0 (-1381258232 vs. 0) ERROR cannot find video stream with wanted index: -1"))
    f.say(0, last + 70, "Epoch: [0] Total time: 2:52:41 (1.1511 s / it)\n* Acc@1 61.204 Acc@5 84.011 loss 1.702\nTraining time 2:53:50")
    f.load([(0, IDLE), (76, Load(94, 0, 0.8, 0.53, 10))])
    f.close("COMPLETED", last + 80)
    return good(f, hard=True)


@job
def patience_ended() -> Made:
    """Early stopping: the validation loss stood for five evaluations, the Trainer stops at 2800 of 20000 steps and loads the best model."""
    f = Fleet(("nb-6",), "clinical-mbert", 10_474_010, when("2026-11-13 09:45"), per=4, card=L40S, agents=True, script="ner_hf.py", submit_line="sbatch ner.sh")
    trainer_head(f, 40, 160_000, 16, 1, 20_000, epochs=8, params=177_262_848)
    curve = fall(1.9, 0.09, 80)
    last = f.steps(0, range(50, 2801, 50), 44, 0.4, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {1.1 + x:.5f}, 'learning_rate': {3e-5 * (1 - i / 20_000):.3e}, 'epoch': {i / 2500:.2f}}}" + (f"\n{{'eval_loss': {curve(min(i, 1800)) * 1.2 + max(0, i - 1800) * 4e-5:.4f}, 'eval_f1': {0.9 - curve(min(i, 1800)) / 3 - max(0, i - 1800) * 2e-6:.4f}, 'eval_runtime': 9.1, 'epoch': {i / 2500:.2f}}}" if i % 200 == 0 else ""), curve)
    f.say(0, last + 4, f"\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n\nLoading best model from out/ner/checkpoint-1800 (score: 0.8471).\n{{'train_runtime': {last - 30:.2f}, 'train_samples_per_second': 160.2, 'train_steps_per_second': 2.5, 'train_loss': 0.2411, 'epoch': 1.12}}\nearly stop: eval_f1 did not get better for 5 evaluations")
    f.load([(0, IDLE), (40, Load(90, 0, 0.7, 0.4, 15))])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


@job
def many_corrected() -> Made:
    """A card counts corrected errors by the hundred and carries old remapped rows, as before the job; the pre-training on three nodes takes no notice."""
    f = Fleet(("cw-1", "cw-2", "cw-3"), "gemma-like-1b", 10_474_344, when("2026-11-14 00:30"), per=8, card=H200, agents=True, script="pretrain_gpt.py", submit_line="sbatch -N3 gl1b.slurm")
    f.points = 16
    last = f.steps(23, range(50, 9001, 50), 120, 2.0, lambda i, x, t: megatron(i, 9000, x, stamp=f.clock(t), ms=2004.0 + i % 23, lr=4e-4 * (1 - i / 9900), batch=768, flops=431.0, norm=0.25 + x / 18, skipped=2 if i == 50 else 0, scale="1.0"), fall(11.2, 2.8, 140), tag="[default7]:")
    f.say(23, last + 25, f"[after training is done] datetime: {f.clock(last + 25)} ", "[default7]:")
    f.marks[13] = ({"ecc_volatile_corrected": 210, "ecc_aggregate_corrected": 4410, "remapped_rows_correctable": 2, "remapped_rows_uncorrectable": 1}, {"ecc_volatile_corrected": 611, "ecc_aggregate_corrected": 4811})
    f.load([(0, IDLE), (80, CONTEXT), (116, WORK)])
    f.close("COMPLETED", last + 40)
    return good(f, hard=True)


@job
def loud_tail() -> Made:
    """After the last epoch the upload of the summary fails with a traceback that is caught; weights lie on disk, all ranks exit with 0."""
    f = Fleet(("vr-1", "vr-2"), "nerf-city", 10_474_680, when("2026-11-15 11:30"), per=4, card=B200, script="city.py", submit_line="sbatch city.sh")
    last = f.steps(0, range(500, 60_001, 500), 50, 0.16, lambda i, x, t: "\r" + bar(i, 60_000, t - 50, tail=f"psnr={31.2 - 18 * x:.2f}, l1={x:.4f}"), fall(0.61, 0.04, 3000))
    f.say(0, last + 6, "\nweights -> city/final.pt (1.1 GB)\nuploading report")
    f.say(0, last + 131, "report could not be uploaded, it stays in city/report.html\n" + frames(("/n/city.py", 310, "upload", "requests.post(url, data=body, timeout=120)"), ("/n/env/lib/python3.12/site-packages/requests/adapters.py", 713, "send", "raise ReadTimeout(e, request=request)"), error="requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='reports.vr.lan', port=443): Read timed out. (read timeout=120)"))
    f.say(0, last + 132, "done: 60000 iterations, test psnr 30.01")
    f.load([(0, IDLE), (46, WORK), (last + 5, Load(0, 0, 0.14, 0.5, 0))])
    f.close("COMPLETED", last + 135)
    return good(f, hard=True)
