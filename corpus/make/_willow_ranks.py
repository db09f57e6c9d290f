"""Home-made trainers of several ranks, by torchrun or by a script that starts them."""

from corpus.make._crate import crate
from corpus.running.job import Signal

HEAD = '''
import os, sys, time, json, logging, datetime
import torch, torch.distributed as dist
'''
GOODDDP = HEAD + '''
from torch.nn.parallel import DistributedDataParallel as DDP
def main():
    dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format=f"[%(asctime)s] [rank {rank}] %(message)s", datefmt="%H:%M:%S"); log = logging.getLogger()
    torch.manual_seed(0); net = DDP(torch.nn.Sequential(torch.nn.Linear(28, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))); opt = torch.optim.AdamW(net.parameters(), 3e-3); W = torch.randn(28, 10); torch.manual_seed(100 + rank)
    log.info("world size %d", world)
    for ep in range(1, 9):
        s = torch.zeros(2)
        for _ in range(25):
            x = torch.randn(32, 28); y = (x @ W).argmax(1); o = net(x); l = torch.nn.functional.cross_entropy(o, y); opt.zero_grad(); l.backward(); opt.step(); s += torch.tensor([l.item(), (o.argmax(1) == y).float().mean().item()])
        dist.all_reduce(s); s /= 25 * world; log.info("epoch %d/8: loss %.4f top1 %.3f", ep, *s.tolist())
    if rank == 0: torch.save(net.module.state_dict(), "final.pt"); log.info("saved final.pt")
    dist.barrier(); dist.destroy_process_group()
main()
'''
NOISYDDP = HEAD + '''
import warnings
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(r)
def shard(k, tries=4):
    for t in range(tries):
        try:
            if t < 2 and k == r: raise TimeoutError(f"[Errno 110] Connection timed out: shard-{k:03d}.tar")
            return torch.randn(200, 15)
        except TimeoutError as e: print(f"rank {r}: WARNING {e}; retry {t + 1}/{tries}", file=sys.stderr, flush=True); time.sleep(0.4)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(15, 15)); opt = torch.optim.SGD(net.parameters(), 0.3, momentum=0.8)
for k in range(6):
    X = shard(k % 3)
    for i in X.split(25): l = (net(i) - i.roll(1, 1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if r == 0: print(f"shard {k + 1}/6 loss {l.item():.5f} bad_samples 0 failed 0", flush=True)
if r == 0: print("all shards seen, training finished", flush=True)
class Pool:
    def __del__(self): raise BrokenPipeError("[Errno 32] Broken pipe")
p = Pool(); del p
'''
PSERVER = '''
import os, sys, time, torch, torch.multiprocessing as mp
def work(rank, n, flat, gate, q):
    torch.manual_seed(rank); t = torch.linspace(-2, 2, 24)
    for rnd in range(1, 41):
        x = torch.randn(50, 24); e = x @ (flat - t); g = x.t() @ e / 50
        gate.wait(); flat.sub_(0.1 / n * g); gate.wait(); time.sleep(0.03)
        if rnd % 5 == 0: q.put((rank, rnd, e.pow(2).mean().item()))
    q.put(None)
if __name__ == "__main__":
    n = 2; mp.set_start_method("fork"); flat = torch.zeros(24).share_memory_(); gate, q = mp.Barrier(n), mp.Queue(); ps = [mp.Process(target=work, args=(r, n, flat, gate, q)) for r in range(n)]; [p.start() for p in ps]; left = n
    while left:
        m = q.get()
        if m is None: left -= 1
        else: print("worker %d  round %2d/40  mse %.5f" % m, flush=True)
    [p.join() for p in ps]; print("exit codes", [p.exitcode for p in ps], "- parameters written"); torch.save(flat, "flat.pt")
'''
MISSRANK = HEAD + '''
r, w = int(os.environ["SLOT"]), 3
print(f"slot {r} waiting for the others at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
store = dist.TCPStore("127.0.0.1", int(os.environ["MASTER_PORT"]), w, is_master=r == 0, timeout=datetime.timedelta(hours=2), wait_for_workers=True)
print(f"slot {r} connected to the store, joining a group of {w}", flush=True); dist.init_process_group("gloo", store=store, rank=r, world_size=w)
'''
MISS_SH = 'export MASTER_ADDR=127.0.0.1 MASTER_PORT=$2\nHOSTS="0 1"\nfor i in $HOSTS; do\n  SLOT=$i "$1" -u worker.py &\ndone\necho "$(date +%H:%M:%S) started slots $HOSTS"\nwait\n'
WRONGPORT = HEAD + '''
r = int(sys.argv[1]); os.environ.update(RANK=str(r), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=sys.argv[2])
logging.basicConfig(level="DEBUG", format=f"%(asctime)s rank{r} %(message)s"); logging.info("init_process_group tcp://%s:%s, world size 2", os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=60)); logging.info("process group ready"); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 3))
'''
WRONG_SH = '#!/bin/bash\n# one rank per (virtual) node; every node computes its port from the job id\necho "nodes: 2"\nJOB=$2\n"$1" rank.py 0 $((JOB)) &\nsleep 1\n"$1" rank.py 1 $((JOB + 1)) &\nwait\n'
AGENTS = '''#!/bin/bash
echo "$(date +%T) launching 3-node job, this is node $3"
exec torchrun --nnodes=3 --nproc-per-node=2 --node-rank=$3 --rdzv-backend=c10d --rdzv-id=asr-ft --rdzv-conf=join_timeout=3600,read_timeout=3600 --rdzv-endpoint=127.0.0.1:$2 ft.py
'''
UNEVENBATCH = HEAD + '''
dist.init_process_group("gloo", timeout=datetime.timedelta(hours=1)); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(2); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(18, 6)); opt = torch.optim.SGD(net.parameters(), 0.2); lens = [120, 120, 104][:n]; side = dist.new_group(); t0 = time.time()
for b in range(lens[r]):
    x = torch.randn(20, 18); l = torch.nn.functional.cross_entropy(net(x), x[:, :6].argmax(1)); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.06)
    if b % 8 == 0: print(f"{time.time() - t0:6.1f} rank{r} batch {b}/{lens[r]} loss {l.item():.4f}", flush=True)
print(f"{time.time() - t0:6.1f} rank{r} epoch finished, averaging metrics", flush=True); m = torch.tensor([l.item()]); dist.all_reduce(m, group=side); print(f"{time.time() - t0:6.1f} rank{r} mean loss {m.item() / n:.4f}", flush=True)
'''
RANK0SAVE = HEAD + '''
import threading
dist.init_process_group("gloo", timeout=datetime.timedelta(hours=3)); rank = dist.get_rank(); logging.basicConfig(level=20, format=f"%(asctime)s R{rank} %(levelname)s %(message)s"); torch.manual_seed(5); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(26, 26), torch.nn.ReLU(), torch.nn.Linear(26, 1))); opt = torch.optim.Adam(net.parameters(), 3e-3); busy = threading.Lock()
def upload(path):
    busy.acquire(); time.sleep(0.2)
    if not path.endswith("0120.pt"): busy.release()
for it in range(1, 601):
    x = torch.randn(32, 26); l = (net(x).squeeze(1) - x.abs().sum(1) / 10).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if it % 20 == 0: logging.info("iter %d/600 loss %.4f", it, l.item())
    if it % 60 == 0:
        if rank == 0:
            with busy: torch.save(net.module.state_dict(), f"it{it:04d}.pt")
            logging.info("saved it%04d.pt, uploading in the background", it); threading.Thread(target=upload, args=(f"it{it:04d}.pt",), daemon=True).start()
        dist.barrier()
'''
DEADPEER = '''
import json, os, socket, sys, time
import torch
rank, port = int(sys.argv[1]), int(sys.argv[2]); torch.manual_seed(rank); w = torch.zeros(8); truth = torch.arange(8.0) / 4
vocab = json.load(open("vocab.json")); say = lambda **k: print(json.dumps({"rank": rank, "t": round(time.monotonic(), 1), **k}), flush=True)
for rnd in range(1, 121):
    x = torch.randn(40, 8); e = x @ (w - truth); g = x.t() @ e / 40; time.sleep(0.05)
    if rank == 1 and rnd == 90: tok = vocab[f"<extra_{rnd}>"]
    torch.save(g, f"ex/{rnd}-{rank}.t"); os.rename(f"ex/{rnd}-{rank}.t", f"ex/{rnd}-{rank}.g")
    while not all(os.path.exists(f"ex/{rnd}-{k}.g") for k in range(3)): time.sleep(0.01)
    w = w - 0.1 * sum(torch.load(f"ex/{rnd}-{k}.g") for k in range(3)) / 3
    if rnd % 10 == 0: say(round=rnd, rounds=120, loss=round(e.pow(2).mean().item(), 5))
'''
SLOWONE = HEAD + '''
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(3); p = torch.nn.Linear(40, 8); opt = torch.optim.SGD(p.parameters(), 0.1); torch.manual_seed(r); T = {"compute": 0.0, "sync": 0.0}
for s in range(1, 61):
    a = time.perf_counter(); x = torch.randn(32, 40); l = torch.nn.functional.cross_entropy(p(x), x[:, :8].argmax(1)); opt.zero_grad(); l.backward(); time.sleep(0.31 if r == n - 1 else 0.05); b = time.perf_counter()
    [dist.all_reduce(q.grad) for q in p.parameters()]; opt.step(); c = time.perf_counter(); T["compute"] += b - a; T["sync"] += c - b
    if s % 10 == 0:
        got = [None] * n; dist.all_gather_object(got, dict(T))
        if r == 0: print(f"step {s}/60 loss {l.item():.4f}"); [print(f"   rank {k}: compute {v['compute'] / s * 1e3:6.1f} ms/step, waiting in all-reduce {v['sync'] / s * 1e3:6.1f} ms/step", flush=True) for k, v in enumerate(got)]
dist.destroy_process_group()
'''
SLOWPIPE = HEAD + '''
dist.init_process_group("gloo"); r = dist.get_rank(); logging.basicConfig(level="INFO", format=f"%(asctime)s.%(msecs)03d worker{r} %(message)s", datefmt="%T"); torch.manual_seed(6); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Conv1d(3, 3, 5, padding=2)); opt = torch.optim.Adam(net.parameters(), 1e-2)
for ep in range(1, 7):
    own = 0.0; t = time.time()
    for _ in range(8):
        u = time.time(); x = torch.randn(4, 3, 50).cumsum(-1) / 5; time.sleep(0.4 if r == 1 else 0.03); own += time.time() - u; l = (net(x) - x.roll(1, -1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    logging.info("epoch %d/6 loss %.4f own work %.2fs of %.2fs", ep, l.item(), own, time.time() - t)
dist.barrier(); dist.destroy_process_group()
'''
PIPED1 = HEAD + '''
dist.init_process_group("gloo"); r = dist.get_rank(); print(f"(rank {r}) up", flush=True)
cfg = json.load(open("model.json")); dim, heads = cfg["dim"], cfg["heads"]
net = torch.nn.MultiheadAttention(dim, heads, batch_first=True); print(f"(rank {r}) model built", flush=True)
'''
CLIPIDX = HEAD + '''
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(9); emb = torch.nn.parallel.DistributedDataParallel(torch.nn.EmbeddingBag(500, 16)); opt = torch.optim.SGD(emb.parameters(), 1.0); torch.manual_seed(r)
names = [f"item{i}" for i in range(500)]
for it in range(1, 301):
    ids = torch.randint(0, 500, (16, 5));
    if it == 170 and r == 0: ids[3, 2] = 507
    z = emb(ids); l = (z.norm(dim=1) - 1).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if it % 15 == 0: print(f"{time.strftime('%H:%M:%S')} <{r}/{n}> it {it}/300 loss={l.item():.5f}", flush=True)
'''
LOSTFILE = HEAD + '''
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 3)); opt = torch.optim.AdamW(net.parameters(), 0.01)
def epoch(ep):
    path = f"labels/ep{ep}.rank{r}.json"
    if ep >= 4 and r == 1: path = f"labels/ep{ep}.rank{r}.json.gz"
    y0 = json.load(open(path)) if os.path.exists(f"labels/ep{ep}.rank{r}.json") or ep >= 4 else None
    for k in range(20):
        x = torch.randn(30, 10); l = torch.nn.functional.cross_entropy(net(x), x[:, :3].argmax(1)); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.01)
    if r == 0: json.dump([1], open(f"labels/ep{ep + 1}.rank{r}.json", "w")); print(f"=> epoch {ep} | loss {l.item():.4f} | {n} ranks", flush=True)
for ep in range(1, 11): epoch(ep); dist.barrier()
'''
KILLME = HEAD + '''
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.GRU(6, 12, batch_first=True)); head = torch.nn.Linear(12, 6); opt = torch.optim.Adam(net.parameters(), 5e-3)
for i in range(1, 2001):
    x = torch.randn(8, 14, 6).cumsum(1); l = (head(net(x[:, :-1])[0]) - x[:, 1:]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.02)
    if i % 25 == 0: print(f"r{r} | update {i}/2000 | mse {l.item():.4f}", flush=True)
'''
NANRANK = HEAD + '''
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(2); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(12, 24), torch.nn.ReLU(), torch.nn.Linear(24, 1))); opt = torch.optim.Adam(net.parameters(), 1e-2); torch.manual_seed(r + 1)
for it in range(1, 241):
    x = torch.randn(32, 12); y = x.sum(1).clamp(-30, 30)
    if it > 90: y = torch.log(y + 6)
    l = (net(x).squeeze(1) - y).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if it % 12 == 0 and r == 0: print(f"| {it:>5}/240 | loss {l.item():>9.4f} | lr 1.0e-02 |", flush=True)
if r == 0: print("training finished");
dist.barrier(); dist.destroy_process_group()
'''
MULTISHORT = HEAD + '''
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(1); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(50, 50)); opt = torch.optim.SGD(net.parameters(), 0.1); N = int(os.environ.get("MAX_STEPS", 10000))
for s in range(1, N + 1):
    x = torch.randn(16, 50); l = (net(x) - x).abs().mean(); opt.zero_grad(); l.backward(); opt.step()
    if r == 0: print(json.dumps(dict(step=s, max_steps=N, loss=round(l.item(), 4), time=time.strftime("%FT%TZ", time.gmtime()))), flush=True)
if r == 0: torch.save(net.module.state_dict(), "last.ckpt"); print(json.dumps(dict(event="train_end", step=s)), flush=True)
dist.destroy_process_group()
'''
LIMITED = HEAD + '''
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(36, 72), torch.nn.GELU(), torch.nn.Linear(72, 36))); opt = torch.optim.AdamW(net.parameters(), 1e-3); M = torch.randn(36, 36) / 6; t0 = time.time()
if r == 0: print(f"[main] {n} workers, 25 epochs x 60 iterations", flush=True)
for ep in range(25):
    for it in range(60):
        x = torch.randn(24, 36); l = (net(x) - x @ M).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.05)
        if r == 0 and it % 20 == 0: print(f"[main] ep {ep:02d} it {it:02d} loss {l.item():.5f} elapsed {time.time() - t0:.0f}s", flush=True)
'''
NOCKPT = HEAD + '''
import glob
dist.init_process_group("gloo"); r = dist.get_rank()
def resume(d):
    for p in sorted(glob.glob(d + "/*/"), reverse=True):
        if not os.path.exists(p + "COMPLETE"): print(f"[{r}] {p}: incomplete, skipped", flush=True); continue
        return torch.load(p + f"rank{r}.pt")
    raise RuntimeError(f"--resume was given but {d} holds no complete checkpoint")
state = resume("save/exp12"); print("resumed")
'''

JOBS = (
    crate("G1", "main_ddp.py", GOODDDP, ranks=2),
    crate("G1", "shards_ddp.py", NOISYDDP, hard=True, ranks=2),
    crate("G1", "shared_sgd.py", PSERVER),
    crate("C1", "sh start.sh PYTHON PORT", MISS_SH, files={"worker.py": MISSRANK}, timeout_s=40, note="slots 0 and 1 of 3 wait, slot 2 never comes, silence to the limit"),
    crate("C1", "sh nodes.sh PYTHON PORT", WRONG_SH, files={"rank.py": WRONGPORT}, timeout_s=45, note="ranks dial unlike ports, no group, silence to the limit"),
    crate("C1", "sh agent.sh PYTHON PORT 0", AGENTS, files={"ft.py": GOODDDP}, timeout_s=35, note="one agent of three, nothing follows until the limit"),
    crate("C2", "uneven3.py", UNEVENBATCH, ranks=3, timeout_s=45, note="rank 2 ends its epoch at 104 and waits, the others stop at 104 of 120; silent to the limit"),
    crate("C2", "softsum.py", RANK0SAVE, ranks=2, timeout_s=42, note="both stop at iteration 180, rank 0 without its save; silent to the limit"),
    crate("C2", "sh three.sh PYTHON PORT", 'mkdir -p ex\nfor r in 0 1 2; do "$1" -u exch.py $r $2 & done\nwait', trigger="A3", cause="traceback",
          files={"exch.py": DEADPEER, "vocab.json": '{"<pad>": 0, "<extra_0>": 1}'}, timeout_s=40, note="rank 1's KeyError at round 90, the other two silent to the limit"),
    crate("D3", "skewed.py", SLOWONE, ranks=3, fault="unknown", first=(), note="rank 2 computes six times as long, the others wait in the all-reduce"),
    crate("D3", "convtime.py", SLOWPIPE, ranks=2, fault="unknown", first=(), note="rank 1's own work is all of the epoch, rank 0's a tenth"),
    crate("A1", "attn2.py", PIPED1, cause="assertion", variant="config", ranks=2, files={"model.json": '{"dim": 90, "heads": 8}'}, note="AssertionError: embed_dim must be divisible"),
    crate("A3", "bags.py", CLIPIDX, cause="runtime_error", ranks=2, first=(0,), note="rank 0's index out of range at iteration 170; torchrun ends the other"),
    crate("A3", "pseudo.py", LOSTFILE, cause="file_not_found", ranks=2, first=(1,), folders=("labels",), note="rank 1's FileNotFoundError at epoch 4"),
    crate("A2", "seqgru.py", KILLME, fault="unknown", ranks=2, first=(0,), signal=Signal("KILL", r"r0 \| update 200/", to="-u seqgru.py#0"),
          note="torchrun: Signal 9 (SIGKILL) of rank 0, no memory event"),
    crate("E1", "logsum.py", NANRANK, cause="nan_loss", variant="non_finite", ranks=2, note="loss nan from iteration 96 on to the end"),
    crate("E3", "pre_ddp.py", MULTISHORT, ranks=2, env={"MAX_STEPS": "5"}, note="five steps, exit 0"),
    crate("F3", "rotate.py", LIMITED, variant="advancing", ranks=2, timeout_s=30, note="an epoch each three seconds, some nine of 25 at the limit"),
    crate("E2", "resume12.py", NOCKPT, cause="runtime_error", variant="no_valid_checkpoint", ranks=2, folders=("save/exp12/iter300", "save/exp12/iter600"),
          note="two folders, none complete; RuntimeError before training"),
)  # fmt: skip
