"""Runs of several ranks that stood, at the start or later."""

from corpus.make._crate import crate

NODES = '''
"""Entry point of the pre-training; started by torchrun on every node of the allocation."""
import os
import torch.distributed as dist

print(f"[{os.environ['RANK']}] starting, local rank {os.environ['LOCAL_RANK']}", flush=True)
dist.init_process_group("gloo")
print(f"[{os.environ['RANK']}] process group ready", flush=True)
'''
MULTINODE = """
export MASTER_ADDR=127.0.0.1
export MASTER_PORT=$1
export NNODES=3
echo "NNODES=$NNODES MASTER=$MASTER_ADDR:$MASTER_PORT node_rank=${NODE_RANK:-0}"
echo "launching agents, rendezvous id llama-1b-7731, at $(date -u +%T)"
torchrun --nnodes=$NNODES --nproc-per-node=2 --rdzv-id=llama-1b-7731 --rdzv-backend=c10d --rdzv-endpoint=$MASTER_ADDR:$MASTER_PORT pretrain.py
"""
WRONGPORT = """
import configparser, datetime, logging, os, sys
import torch, torch.distributed as dist
rank = int(sys.argv[1]); ini = configparser.ConfigParser(); ini.read(f"hosts/worker{rank}.ini")
logging.basicConfig(stream=sys.stdout, level="DEBUG", format=f"%(asctime)s worker{rank} %(levelname)s: %(message)s")
addr, port = ini["master"]["addr"], int(ini["master"]["port"])
logging.info("torch %s, %d threads", torch.__version__, torch.get_num_threads())
logging.info("joining %s:%d as rank %d of 2 (timeout 30 min)", addr, port, rank)
dist.init_process_group("gloo", init_method=f"tcp://{addr}:{port}", rank=rank, world_size=2, timeout=datetime.timedelta(minutes=30))
logging.info("joined")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))
"""
TWOHOSTS = """
mkdir -p hosts
printf '[master]\\naddr = 127.0.0.1\\nport = %s\\n' "$2" > hosts/worker0.ini
printf '[master]\\naddr = 127.0.0.1\\nport = %s\\n' 29501 > hosts/worker1.ini
"$1" worker.py 0 &
"$1" worker.py 1 &
wait
"""
UNPACK = """
import fcntl, os, time
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
def say(*a): print(time.strftime("[%H:%M:%S]"), f"rank {rank}:", *a, flush=True)
say("node-local scratch: unpacking imagenet.tar.zst if no other did")
lock = open(f"scratch/.unpack.{rank // 2}", "w")
if rank == 2:
    say("another process holds scratch/.unpack.1, waiting for it")
    fcntl.flock(lock, fcntl.LOCK_EX)
else: say("data is there")
import torch, torch.distributed as dist
say("init_process_group(gloo)")
dist.init_process_group("gloo")
say("group of", world, "complete")
torch.manual_seed(0); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
"""
UNPACKSH = """
( flock 9; exec sleep 500 ) 9> scratch/.unpack.1 &
sleep 1
export MASTER_ADDR=127.0.0.1 MASTER_PORT=$2 WORLD_SIZE=4
for RANK in 0 1 2 3; do export RANK; "$1" train_resnet.py & done
wait
"""
SUBGROUP = """
import argparse, torch, torch.distributed as dist, torch.nn.functional as F
p = argparse.ArgumentParser(); p.add_argument("--eval-every", type=int, default=80); p.add_argument("--iters", type=int, default=600); a = p.parse_args()
dist.init_process_group("gloo"); me, n = dist.get_rank(), dist.get_world_size(); metrics = dist.new_group(list(range(n)), backend="gloo")
torch.manual_seed(4); enc = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(30, 50), torch.nn.ReLU(), torch.nn.Linear(50, 12))); opt = torch.optim.AdamW(enc.parameters(), 3e-3); P = torch.randn(12, 30); torch.manual_seed(30 + me)
def data(k): y = torch.randint(12, (k,)); return P[y] + 1.5 * torch.randn(k, 30), y
best = 0.0
for it in range(1, a.iters + 1):
    x, y = data(32); l = F.cross_entropy(enc(x), y); opt.zero_grad(); l.backward(); opt.step()
    if it % 16 == 0: print(f"{me}> it {it} ce {l.item():.4f}", flush=True)
    if it % a.eval_every == 0:
        with torch.no_grad(): x, y = data(500); hit = (enc.module(x).argmax(1) == y).float().mean()
        best = max(best, hit.item())
        if it < 2 * a.eval_every or me == 0:  # the curve is logged by everybody only once
            print(f"{me}> it {it} reducing the validation accuracy", flush=True); dist.all_reduce(hit, group=metrics)
            if me == 0: print(f"0> it {it} val acc {hit.item() / n:.3f}", flush=True)
"""
SHMQUEUE = '''
import queue, sys, threading, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(9)
vocab = {w: i for i, w in enumerate("a b c d e f g h i j k l m n o p".split())}
lines = [" ".join(list(vocab)[(i + j) % 16] for j in range(10)) for i in range(1500)]
if rank == 1: lines[705] = lines[705].replace(" ", " \\u00e6 ", 1)
ready = queue.Queue(maxsize=8)
def tokenise():
    """Fills the queue while the model trains."""
    for at in range(rank, len(lines) - 16, 16): ready.put(torch.tensor([[vocab[w] for w in lines[at + k].split()][:10] for k in range(0, 16, 2)])); time.sleep(0.02)
    ready.put(None)
threading.Thread(target=tokenise, name="tokeniser", daemon=True).start()
emb = torch.nn.Embedding(16, 24); out = torch.nn.Linear(24, 16); net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(emb, torch.nn.Tanh(), out)); opt = torch.optim.SGD(net.parameters(), 0.8)
step = 0
while (b := ready.get()) is not None:
    l = torch.nn.functional.cross_entropy(net(b[:, :-1]).flatten(0, 1), b[:, 1:].flatten()); opt.zero_grad(); l.backward(); opt.step(); step += 1
    if step % 5 == 0: print(f"r{rank} step {step}/93: lm_loss={l.item():.4f} queue={ready.qsize()}", flush=True)
print(f"r{rank} out of data after {step} steps")
'''
FIFOSHARD = '''
import os, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size(); torch.manual_seed(0)
unet = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Conv2d(1, 6, 3, padding=1), torch.nn.SiLU(), torch.nn.Conv2d(6, 1, 3, padding=1))); opt = torch.optim.Adam(unet.parameters(), 2e-3); torch.manual_seed(rank)
def stats(path, value):
    """One line per step, for the dashboard."""
    with open(path, "a") as f: f.write(f"{value}\\n")
board = f"dash/rank{rank}"
for step in range(1, 1001):
    x = torch.zeros(8, 1, 12, 12); x[:, :, torch.randint(12, (1,))] = 1; t = torch.rand(8, 1, 1, 1); eps = torch.randn_like(x)
    l = (unet(x * (1 - t) + eps * t) - eps).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.03)
    if step % 10 == 0:
        print(f"[step {step:>5}/1000] rank {rank} eps_mse {l.item():.4f}", flush=True); stats(board, l.item())
    if step == 120 and rank == 2: os.remove(board); os.mkfifo(board)
'''
JOBS = (
    crate("C1", "sh submit_pretrain.sh PORT", MULTINODE, files={"pretrain.py": NODES}, timeout_s=60, note="three nodes wanted, one agent; no rank ever starts, silent to the limit"),
    crate("C1", "sh two_hosts.sh PYTHON PORT", TWOHOSTS, files={"worker.py": WRONGPORT}, timeout_s=65, note="worker 1 goes to another port than worker 0; neither says joined, to the limit"),
    crate("C1", "sh rn50.sh PYTHON PORT", UNPACKSH, files={"train_resnet.py": UNPACK}, folders=("scratch",), timeout_s=60, note="ranks 0, 1, 3 in init_process_group, rank 2 still at a lock; no group, to the limit"),
    crate("C2", "contrast.py --eval-every 80", SUBGROUP, ranks=2, timeout_s=60, note="rank 0 alone reduces in a group of both at it 160, rank 1 is in the next step's; silent to the limit"),
    crate("C2", "stream_lm.py", SHMQUEUE, ranks=2, timeout_s=60, trigger="A3", cause="traceback", note="KeyError in rank 1's tokeniser thread at step 40 or so; both ranks alive and silent to the limit"),
    crate("C2", "denoiser.py", FIFOSHARD, ranks=3, folders=("dash",), timeout_s=65, note="rank 2 does not come back from step 130's line; the others stand in the next step's reduction, to the limit"),
)  # fmt: skip
