"""Runs that stood still, or went on at a crawl."""

from corpus.make._crate import crate
from corpus.running.job import Signal

COORD = r"""
import datetime, os, socket, sys, threading, time
idx, n, port = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
def log(m, lvl="I"): print(f"{lvl}{datetime.datetime.now():%m%d %H:%M:%S.%f} {os.getpid()} distributed.py:{106 if idx else 98}] [process {idx}] {m}\n", end="", flush=True)
log(f"initialize(coordinator_address='127.0.0.1:{port}', num_processes={n}, process_id={idx})")
if idx == 0:
    log("Starting JAX distributed service on [::]:%d" % port); srv = socket.create_server(("127.0.0.1", port)); seen = []
    def take():
        while True: c, _ = srv.accept(); seen.append(c); log(f"{len(seen) + 1} of {n} processes have connected")
    threading.Thread(target=take, daemon=True).start()
else:
    time.sleep(0.3 * idx); s = socket.create_connection(("127.0.0.1", port))
log("Connected to the coordination service; waiting for all processes to register")
if idx: s.recv(1)
else: threading.Event().wait()
log("all processes registered; 32 global devices")
for step in range(1000): time.sleep(0.1)
"""
DSLAUNCH = r"""
import datetime, os, socket, time
def stamp(): t = datetime.datetime.now(); return f"[{t:%Y-%m-%d %H:%M:%S},{t.microsecond // 1000:03d}]"
def log(m): print(f"{stamp()} [INFO] {m}\n", end="", flush=True)
r, w, port = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), int(os.environ["MASTER_PORT"]); time.sleep(2 + r / 4)
log("[real_accelerator.py:203:get_accelerator] Setting ds_accelerator to cuda (auto detect)"); log("[comm.py:637:init_distributed] cdb=None")
if r == 0: log("[comm.py:668:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl"); srv = socket.create_server(("127.0.0.1", port)); peers = [srv.accept()[0] for _ in range(w - 1)]; [c.send(b"1") for c in peers]
else:
    while True:
        try: c = socket.create_connection(("127.0.0.1", port)); break
        except ConnectionRefusedError: time.sleep(0.2)
    c.recv(1)
log(f"[engine.py:262:__init__] rank {r}: engine initialised")
for i in range(500): time.sleep(0.2); log(f"[logging.py:129:log_dist] [Rank {r}] step={i}")
"""
DSSH = r"""
now() { date '+[%Y-%m-%d %H:%M:%S,%3N]'; }
export MASTER_ADDR=127.0.0.1 MASTER_PORT=$1 WORLD_SIZE=4
echo "$(now) [INFO] [runner.py:568:main] cmd = python -u -m deepspeed.launcher.launch --world_info=eyJncHUwMSI6WzAsMV0sImdwdTAyIjpbMCwxXX0= --master_port=$1 finetune.py"
echo "$(now) [INFO] [launch.py:145:main] WORLD INFO DICT: {'gpu01': [0, 1], 'gpu02': [0, 1]}"
echo "$(now) [INFO] [launch.py:151:main] nnodes=2, num_local_procs=2, node_rank=0"
echo "$(now) [INFO] [launch.py:164:main] dist_world_size=4"
for r in 0 1; do RANK=$r LOCAL_RANK=$r python3 -u finetune.py --local_rank=$r & done
wait
"""
KEYGONE = r"""
import json, logging, os, random, sys, time
rank, world = int(sys.argv[1]), int(sys.argv[2]); os.makedirs("exchange", exist_ok=True)
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=f"[%(asctime)s][rank {rank}][%(levelname)s] %(message)s"); log = logging.getLogger("detr")
CATS = {1: 0, 3: 1, 7: 2, 8: 3}
random.seed(rank); w = [2.0] * 4
def allreduce(step, g):
    name = f"exchange/{step}.{rank}"; open(name + "~", "w").write(json.dumps(g)); os.rename(name + "~", name)
    while not all(os.path.exists(f"exchange/{step}.{r}") for r in range(world)): time.sleep(0.02)
    return [sum(c) / world for c in zip(*(json.load(open(f"exchange/{step}.{r}")) for r in range(world)))]
log.info("joined, %d ranks; train: 9,412 images, 4 categories", world)
for it in range(1, 401):
    cat = 13 if (rank, it) == (1, 97) else [1, 3, 7, 8][it % 4]
    k = CATS[cat]; g = [0.0] * 4; g[k] = w[k] - 0.2 + random.gauss(0, 0.05); time.sleep(0.05)
    w = [a - 0.1 * b for a, b in zip(w, allreduce(it, g))]
    if it % 10 == 0: log.info("iter %d/400  loss_ce %.4f  lr 0.1", it, sum((a - 0.2) ** 2 for a in w) / 4)
"""
KEYSH = r"""
for r in 0 1 2; do python3 detr.py $r 3 & done
wait
"""
LITWORK = r'''
import multiprocessing as mp, random, sys, threading, time
cache = threading.Lock(); armed = threading.Event()
def warmer():
    """Keeps decoded clips in memory."""
    armed.wait(); cache.acquire(); time.sleep(3600)
def clip(i):
    with cache: r = random.Random(i); time.sleep(0.04); return [r.gauss(0, 1) for _ in range(8)]
if __name__ == "__main__":
    threading.Thread(target=warmer, daemon=True).start()
    print("GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nLOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]\n\n  | Name | Type       | Params | Mode \n--------------------------------------------\n0 | enc  | Sequential | 1.6 K  | train\n--------------------------------------------\n1.6 K     Trainable params\n0         Non-trainable params", flush=True)
    w = [0.0] * 8
    for ep in range(12):
        if ep == 3: armed.set(); time.sleep(0.2)
        t = time.time(); sys.stderr.write(f"\rEpoch {ep}:   0%|          | 0/20 [00:00<?, ?it/s]\n")
        with mp.get_context("fork").Pool(2) as loader:
            for i, x in enumerate(loader.imap(clip, range(20 * ep, 20 * ep + 20)), 1):
                e = sum(a * b for a, b in zip(w, x)) - sum(x) / 2; w = [a - 0.02 * e * b for a, b in zip(w, x)]; time.sleep(0.04); loss = sum((a - 0.5) ** 2 for a in w) / 2
                if i % 5 == 0: sys.stderr.write(f"\rEpoch {ep}: {5 * i:3d}%|{'█' * (i // 2):10}| {i}/20 [00:{int(time.time() - t):02d}<00:{int((20 - i) * (time.time() - t) / i):02d}, {i / (time.time() - t):.2f}it/s, v_num=3, train_loss={loss:.3f}]\n"); sys.stderr.flush()
    print("`Trainer.fit` stopped: `max_epochs=12` reached.")
'''
GENERATE = r'''
import json, queue, random, sys, threading, time
prompts = [f"Summarise ticket #{i}" for i in range(256)]; todo, done = queue.Queue(), queue.Queue()
def engine():
    """Continuous batching over the prompts."""
    served = 0
    while True:
        p = todo.get(); time.sleep(0.07); done.put({"prompt": p, "text": " ".join(random.choices(["issue", "printer", "reset", "login", "closed"], k=20))}); served += 1
        if served == 83: return
print("INFO 11-27 llm_engine.py:237] Initializing an LLM engine (v0.6.3) with config: model='/models/support-13b', dtype=torch.bfloat16, max_seq_len=4096, tensor_parallel_size=1, enforce_eager=False"); time.sleep(1.5)
print("INFO 11-27 model_runner.py:1056] Starting to load model /models/support-13b..."); time.sleep(2)
print("INFO 11-27 model_runner.py:1067] Loading model weights took 24.2861 GB\nINFO 11-27 gpu_executor.py:122] # GPU blocks: 1612, # CPU blocks: 327\nINFO 11-27 model_runner.py:1523] Graph capturing finished in 14 secs.", flush=True)
threading.Thread(target=engine, daemon=True).start(); [todo.put(p) for p in prompts]; out = open("answers.jsonl", "w"); t = time.time()
for i in range(1, len(prompts) + 1):
    out.write(json.dumps(done.get()) + "\n")
    sys.stderr.write(f"\rProcessed prompts: {100 * i // 256:3d}%|{'#' * (i * 20 // 256):20}| {i}/256 [00:{int(time.time() - t):02d}, {i / (time.time() - t):.2f}it/s, est. speed input: 812.44 toks/s, output: {20 * i / (time.time() - t):.2f} toks/s]"); sys.stderr.flush()
print("\nwrote answers.jsonl")
'''
TIMM = r'''
import argparse, time, torch
p = argparse.ArgumentParser(); p.add_argument("root"); p.add_argument("--epochs", type=int, default=2); p.add_argument("-j", "--workers", type=int, default=1); a = p.parse_args()
class Packed(torch.utils.data.Dataset):
    """JPEGs in one tar on the home mount, opened anew for each sample."""
    def __len__(s): return 360
    def __getitem__(s, i): time.sleep(0.05); g = torch.Generator().manual_seed(i); x = torch.randn(3, 10, 10, generator=g); return x, (x.mean((1, 2))).argmax()
print("Training with a single process on 1 device (cuda:0)."); print("Model vit_pico_patch2_10 created, param count:3043\nData processing configuration for current model + dataset:\n\tinput_size: (3, 10, 10)\n\tinterpolation: bicubic\nAMP not enabled. Training in torch.float32.\nScheduled epochs: %d. LR stepped per epoch." % a.epochs)
torch.manual_seed(3); net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(300, 10), torch.nn.GELU(), torch.nn.Linear(10, 3)); opt = torch.optim.AdamW(net.parameters(), 0.01)
for ep in range(a.epochs):
    end = time.time(); bt = dt = ls = 0.0
    for b, (x, y) in enumerate(torch.utils.data.DataLoader(Packed(), 20, shuffle=True, num_workers=a.workers), 1):
        d = time.time() - end; l = torch.nn.functional.cross_entropy(net(x), y); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02); t = time.time() - end; end = time.time(); bt += t; dt += d; ls += l.item()
        if b % 3 == 0: print(f"Train: {ep} [{b:>4d}/18 ({100 * b / 18:>3.0f}%)]  Loss: {l.item():.3g} ({ls / b:.3g})  Time: {t:.3f}s, {20 / t:>7.2f}/s  ({bt / b:.3f}s, {20 * b / bt:>7.2f}/s)  LR: 1.000e-02  Data: {d:.3f} ({dt / b:.3f})", flush=True)
    print(f"Current checkpoints:\n ('./output/train/checkpoint-{ep}.pth.tar', {60 + 8 * ep:.3f})\n")
print("*** Best metric: 68.0 (epoch 1)")
'''
ESPNET = r'''
import datetime, socket, time, torch
def log(src, msg): t = datetime.datetime.now(); print(f"[gpu14] {t:%Y-%m-%d %H:%M:%S},{t.microsecond // 1000:03d} ({src}) INFO: {msg}", flush=True)
class Fbank(torch.utils.data.IterableDataset):
    """Wav from a kaldi ark behind sox pipes; one process for each utterance."""
    def __iter__(self):
        g = torch.Generator().manual_seed(1)
        for _ in range(40): time.sleep(0.42); x = torch.randn(12, 30, 16, generator=g); yield x, (x[:, :, :5].mean(1)).argmax(1)
log("asr:510", "Vocabulary size: 5000"); log("abs_task:1157", "pytorch.version=2.1.0, cuda.available=True, cudnn.version=8902"); log("trainer:284", "1/3epoch started")
torch.manual_seed(9); rnn = torch.nn.LSTM(16, 24, batch_first=True); head = torch.nn.Linear(24, 5); opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], 5e-3); whole = time.time()
for ep in range(1, 4):
    it = iter(torch.utils.data.DataLoader(Fbank(), batch_size=None)); k = 0; acc = dict(iter=0.0, fwd=0.0, bwd=0.0, opt=0.0, loss=0.0); s = time.time(); e0 = s
    while True:
        a = time.time()
        try: x, y = next(it)
        except StopIteration: break
        b = time.time(); o = head(rnn(x)[0].mean(1)); l = torch.nn.functional.cross_entropy(o, y); c = time.time(); opt.zero_grad(); l.backward(); d = time.time(); opt.step(); e = time.time(); k += 1
        for n, v in (("iter", b - a), ("fwd", c - b), ("bwd", d - c), ("opt", e - d), ("loss", l.item())): acc[n] += v
        if k % 8 == 0: log("trainer:740", f"{ep}epoch:train:{k - 7}-{k}batch: iter_time={acc['iter'] / 8:.3f}, forward_time={acc['fwd'] / 8:.3f}, loss_ctc={acc['loss'] / 8:.3f}, backward_time={acc['bwd'] / 8:.3f}, grad_norm={2.1 / ep:.3f}, clip=100.000, loss_scale=1.000, optim_step_time={acc['opt'] / 8:.3f}, optim0_lr0=0.005, train_time={time.time() - s:.3f}"); acc = dict.fromkeys(acc, 0.0); s = time.time()
    log("trainer:338", f"{ep}epoch results: [train] time={time.time() - e0:.2f} seconds, total_count={40 * ep}, gpu_max_cached_mem_GB=2.104")
log("trainer:458", "The training was finished at 3 epochs"); log("abs_task:1420", f"elapsed {time.time() - whole:.1f}s")
'''
HFSAVE = r"""
import json, os, time, torch
class Timer:
    def __init__(s): s.t = time.time()
torch.manual_seed(0); net = torch.nn.Sequential(torch.nn.Embedding(90, 48), torch.nn.Flatten(), torch.nn.Linear(48 * 8, 700), torch.nn.Tanh(), torch.nn.Linear(700, 90)); opt = torch.optim.AdamW(net.parameters(), 1e-3); N = 48
print(f"***** Running training *****\n  Num examples = 768\n  Num Epochs = 1\n  Instantaneous batch size per device = 16\n  Total train batch size (w. parallel, distributed & accumulation) = 16\n  Gradient Accumulation steps = 1\n  Total optimization steps = {N}\n  Number of trainable parameters = {sum(p.numel() for p in net.parameters()):,}", flush=True); began = time.time()
for s in range(1, N + 1):
    x = torch.randint(90, (16, 8)); l = torch.nn.functional.cross_entropy(net(x), (x[:, 0] + 1) % 90); opt.zero_grad(); l.backward(); gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0).item(); opt.step(); time.sleep(0.06)
    print({"loss": round(l.item(), 4), "grad_norm": round(gn, 4), "learning_rate": round(1e-3 * (1 - s / N), 7), "epoch": round(s / N, 2)}, flush=True)
    d = f"outputs/checkpoint-{s}"; os.makedirs(d, exist_ok=True); print(f"Saving model checkpoint to {d}\nConfiguration saved in {d}/config.json", flush=True); json.dump({"vocab": 90}, open(f"{d}/config.json", "w"))
    torch.save(net.state_dict(), f"{d}/model.safetensors"); torch.save(opt.state_dict(), f"{d}/optimizer.pt"); time.sleep(0.6); print(f"Model weights saved in {d}/model.safetensors", flush=True)
    if s > 2: import shutil; shutil.rmtree(f"outputs/checkpoint-{s - 2}"); print(f"Deleting older checkpoint [outputs/checkpoint-{s - 2}] due to args.save_total_limit", flush=True)
print("\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n"); r = time.time() - began; print({"train_runtime": round(r, 3), "train_samples_per_second": round(768 / r, 3), "train_steps_per_second": round(N / r, 3), "train_loss": round(l.item(), 4), "epoch": 1.0})
"""
SOCKETRING = r"""
import multiprocessing as mp, random, time
HOSTS = ("gpu21", "gpu21", "gpu22", "gpu22")
def worker(r, bar, loss):
    random.seed(r); w = [0.0] * 8; T = [(-1) ** i * i / 4 for i in range(8)]
    print(f"{HOSTS[r]}:{4411 + r}:{4411 + r} [{r % 2}] NCCL INFO NET/IB : No device found.\n{HOSTS[r]}:{4411 + r}:{4411 + r} [{r % 2}] NCCL INFO NET/Socket : Using [0]eno1:10.12.0.{21 + r // 2}<0>\n{HOSTS[r]}:{4411 + r}:{4411 + r} [{r % 2}] NCCL INFO Using network Socket\n", end="", flush=True); bar.wait()
    if r == 0: print("world 4, model 1.3B, bucket_cap 25 MB, grads 2.6 GB per step", flush=True)
    for s in range(1, 41):
        a = time.time(); g = [0.0] * 8; q = 0.0
        for _ in range(32):
            x = [random.gauss(0, 1) for _ in range(8)]; e = sum((wi - ti) * xi for wi, ti, xi in zip(w, T, x)); q += e * e / 32; g = [gi + e * xi / 16 for gi, xi in zip(g, x)]
        time.sleep(0.06 + random.random() * 0.01); b = time.time(); bar.wait(); time.sleep(0.85 + random.random() * 0.02); bar.wait(); c = time.time(); w = [wi - 0.03 * gi for wi, gi in zip(w, g)]; loss[r] = q
        if s % 5 == 0: print(f"[{HOSTS[r]} r{r}] step {s}/40 loss {sum(loss) / 4:.4f} | fwd+bwd {1000 * (b - a):.0f} ms | grad all-reduce {1000 * (c - b):.0f} ms | busbw {2.6 * 1.5 / (c - b):.2f} GB/s\n", end="", flush=True)
    bar.wait()
    if r == 0: print("done: 40 steps, checkpoint step40.pt written", flush=True)
if __name__ == "__main__":
    bar, loss = mp.Barrier(4), mp.Array("d", 4); ps = [mp.Process(target=worker, args=(r, bar, loss)) for r in range(4)]; [p.start() for p in ps]; [p.join() for p in ps]
"""
MEGATIMES = r"""
import datetime, multiprocessing as mp, random, sys, time
def rank(r, bar, fb, sync, loss):
    random.seed(40 + r); w = 5.0
    for it in range(1, 61):
        t = time.time(); x = random.gauss(0, 1); time.sleep(0.36 if r == 5 else 0.045); w -= 0.05 * (w - 1.2 + 0.2 * x); mine = time.time(); bar.wait(); end = time.time(); fb[r] = 1000 * (mine - t); sync[r] = 1000 * (end - mine); loss[r] = w + 0.1 * abs(x); bar.wait()
        if r == 0 and it % 10 == 0:
            print(f" [{datetime.datetime.now():%Y-%m-%d %H:%M:%S}] iteration {it:8d}/      60 | consumed samples: {it * 256:12d} | elapsed time per iteration (ms): {1000 * (end - t):.1f} | throughput per GPU (TFLOP/s/GPU): {16.4 / (end - t):.1f} | learning rate: 1.500000E-04 | global batch size:   256 | lm loss: {sum(loss) / 8:.6E} | loss scale: 1.0 | grad norm: {0.4 + 2 / it:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")
            for name, arr in (("forward-backward", fb), ("all-grads-sync", sync)): print(f"times across ranks (ms):\n    {name}:\n" + "\n".join(f"     rank {k:2d}: {arr[k]:.2f}" for k in range(8)), flush=True)
        bar.wait()
if __name__ == "__main__":
    print("using world size: 8, data-parallel size: 8, context-parallel size: 1, tensor-model-parallel size: 1, pipeline-model-parallel size: 1\n------------------------ arguments ------------------------\n  global_batch_size ............... 256\n  timing_log_level ................ 1\n  timing_log_option ............... all\n  train_iters ..................... 60\n-------------------- end of arguments ---------------------", flush=True)
    bar = mp.Barrier(8); arrs = [mp.Array("d", 8) for _ in range(3)]; ps = [mp.Process(target=rank, args=(r, bar, *arrs)) for r in range(8)]; [p.start() for p in ps]; [p.join() for p in ps]
    print(f"[after training is done] datetime: {datetime.datetime.now():%Y-%m-%d %H:%M:%S}\n  successfully saved checkpoint from iteration      60 to checkpoints/gpt-350m")
"""

JOBS = (
    crate(
        "C1",
        "sh start_pods.sh PORT",
        'for i in 0 1 3; do python3 dist_init.py $i 4 "$1" & done\nwait\n',
        python="system",
        files={"dist_init.py": COORD},
        timeout_s=42,
        note="3 of 4 processes have connected, all wait, silence to the limit",
    ),
    crate(
        "C1",
        "sh ds.sh PORT",
        DSSH,
        python="system",
        files={"finetune.py": DSLAUNCH},
        timeout_s=45,
        note="world 4 over two nodes, two ranks of node 0 at init_distributed, silence to the limit",
    ),
    crate(
        "C2",
        "sh det3.sh PORT",
        KEYSH,
        python="system",
        trigger="A3",
        cause="traceback",
        files={"detr.py": KEYGONE},
        timeout_s=48,
        note="rank 1's KeyError at iteration 97; ranks 0 and 2 then silent to the limit",
    ),
    crate("C3", "lit_clips.py", LITWORK, python="system", timeout_s=48, note="three epochs of some 2 s, the fourth stands at 0/20 to the limit"),
    crate(
        "C3",
        "offline_generate.py",
        GENERATE,
        python="system",
        signal=Signal("INT", "Graph capturing finished", wait_s=42),
        note="83 of 256 prompts in 6 s, then nothing for 36 s; Ctrl-C shows it in queue.get",
    ),
    crate("D1", "train_pico.py /home/data/pets.tar --epochs 2", TIMM, note="Data is nearly all of Time"),
    crate("D1", "asr_train.py", ESPNET, note="iter_time 0.42 against hundredths of forward and backward"),
    crate(
        "D2",
        "run_clm_small.py --save_steps 1 --save_total_limit 2",
        HFSAVE,
        variant="save_storm",
        note="a checkpoint after every step, 0.6 s each against 0.1 s of step",
    ),
    crate(
        "D2",
        "ring.py",
        SOCKETRING,
        variant="interconnect",
        fault="cluster",
        python="system",
        note="all-reduce 0.9 s of 0.95 on all four ranks alike, sockets instead of IB",
    ),
    crate(
        "D3",
        "pretrain_gpt.py --train-iters 60",
        MEGATIMES,
        python="system",
        fault="unknown",
        first=(),
        note="forward-backward of rank 5 eight times the others', who wait in the sync",
    ),
)
