"""Runs that did their work: some tidy, some that look bad."""

from corpus.make._crate import crate

VISREF = r"""
import argparse, datetime, time, torch
from collections import deque
p = argparse.ArgumentParser(description="PyTorch Classification Training"); p.add_argument("--model", default="resnet8"); p.add_argument("--epochs", type=int, default=5); p.add_argument("--lr", type=float, default=0.1); p.add_argument("--lr-step-size", type=int, default=3); args = p.parse_args()
print("Not using distributed mode"); print(args)

class Smoothed:
    def __init__(self): self.d = deque(maxlen=20); self.t = 0.0; self.n = 0
    def up(self, v): self.d.append(v); self.t += v; self.n += 1
    def __str__(self): s = sorted(self.d); return f"{s[len(s) // 2]:.4f} ({self.t / self.n:.4f})"

torch.manual_seed(0)
print("Loading data"); t0 = time.time(); X = torch.randn(960, 3, 12, 12); Y = torch.randint(8, (960,)); X[torch.arange(960), Y % 3, Y] += 0.9; print("Took", time.time() - t0)
print("Creating model")
model = torch.nn.Sequential(torch.nn.Conv2d(3, 12, 3, padding=1), torch.nn.BatchNorm2d(12), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d((12, 1)), torch.nn.Flatten(), torch.nn.Linear(144, 8))
opt = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4); sched = torch.optim.lr_scheduler.StepLR(opt, args.lr_step_size, 0.1)
print("Start training"); start = time.time()
for epoch in range(args.epochs):
    model.train(); loss_m, acc_m, tm = Smoothed(), Smoothed(), Smoothed(); e0 = end = time.time()
    for i, idx in enumerate(torch.randperm(768).split(32)):
        out = model(X[idx]); loss = torch.nn.functional.cross_entropy(out, Y[idx]); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.05)
        loss_m.up(loss.item()); acc_m.up((out.argmax(1) == Y[idx]).float().mean().item() * 100); tm.up(time.time() - end); end = time.time()
        if i % 8 == 0: print(f"Epoch: [{epoch}]  [{i:>2}/24]  eta: {datetime.timedelta(seconds=int(tm.t / tm.n * (24 - i)))}  lr: {opt.param_groups[0]['lr']}  img/s: {32 / tm.d[-1]:.4f}  loss: {loss_m}  acc1: {acc_m}  time: {tm.d[-1]:.4f}  data: 0.0007  max mem: 412")
    print(f"Epoch: [{epoch}] Total time: {datetime.timedelta(seconds=int(time.time() - e0))}"); sched.step(); model.eval()
    with torch.no_grad(): o = model(X[768:]); top = o.topk(5, 1)[1]
    print(f"Test:   Acc@1 {(top[:, 0] == Y[768:]).float().mean() * 100:.3f} Acc@5 {(top == Y[768:, None]).any(1).float().mean() * 100:.3f}")
    torch.save({"model": model.state_dict(), "epoch": epoch, "args": args}, "checkpoint.pth")
print(f"Training time {datetime.timedelta(seconds=int(time.time() - start))}")
"""
ABSL = r"""
import datetime, os, sys, time
import numpy as np
def info(line, msg): now = datetime.datetime.now(); print(f"I{now:%m%d %H:%M:%S.%f} {os.getpid():>7} train.py:{line}] {msg}", file=sys.stderr, flush=True)
rng = np.random.default_rng(2026); STEPS, EVERY = 600, 50
info(61, "JAX process: 0 / 1"); info(62, "JAX local devices: [CudaDevice(id=0)]"); info(77, "Hyper parameters: {'batch_size': 64, 'learning_rate': 0.3, 'warmup_steps': 60, 'num_steps': 600}")
W = np.zeros((28, 6)); T = rng.normal(size=(28, 6)); info(95, f"Model has {W.size} parameters")
t0 = time.time(); acc = []
for step in range(1, STEPS + 1):
    x = rng.normal(size=(64, 28)); y = (x @ T).argmax(1); z = x @ W; z -= z.max(1, keepdims=True); p = np.exp(z); p /= p.sum(1, keepdims=True)
    loss = -np.log(p[np.arange(64), y] + 1e-9).mean(); p[np.arange(64), y] -= 1; W -= 0.3 * min(1, step / 60) * x.T @ p / 64; acc.append((z.argmax(1) == y).mean()); time.sleep(0.012)
    if step == 1: time.sleep(3.8); info(133, "Initial compilation completed in 3.82 s.")
    if step % EVERY == 0: info(141, f"[{step}] steps_per_sec={EVERY / (time.time() - t0):.4f}, train_accuracy={np.mean(acc[-EVERY:]):.5f}, train_loss={loss:.5f}, learning_rate={0.3 * min(1, step / 60):.4f}"); t0 = time.time()
    if step % 200 == 0: np.savez(f"ckpt_{step}.npz", W=W); info(160, f"Saved checkpoint at step {step}: ckpt_{step}.npz")
xe = rng.normal(size=(2000, 28)); info(171, f"[{STEPS}] eval_accuracy={((xe @ W).argmax(1) == (xe @ T).argmax(1)).mean():.5f}"); info(180, "Training finished.")
"""
TRANSCRIBE = r'''
"""Transcribe a manifest with the medium model; one JSON line a file."""
import json, pathlib, random, time
manifest = [json.loads(l) for l in pathlib.Path("manifest_dev.jsonl").read_text().splitlines()]
print(f"[load] model=asr-medium-v2 compute_type=float16 beam=5  ({len(manifest)} files, {sum(m['dur'] for m in manifest) / 60:.1f} min of audio)", flush=True)
time.sleep(2.5); print("[load] ready in 2.5 s", flush=True)
random.seed(5); begin = time.time(); audio = 0.0; out = open("hyp.jsonl", "w"); words = "the a of and in to is was for on that by with from at it as his are or".split(); err = n = 0
for i, m in enumerate(manifest, 1):
    t = time.time(); time.sleep(m["dur"] / 60); hyp = " ".join(random.choices(words, k=int(m["dur"] * 2.4))); audio += m["dur"]; k = random.randint(0, 3); err += k; n += len(hyp.split())
    out.write(json.dumps({"id": m["id"], "text": hyp}) + "\n")
    print(f"{i:3d}/{len(manifest)}  {m['id']}  {m['dur']:5.1f}s -> {len(hyp.split()):3d} words  rtf {(time.time() - t) / m['dur']:.3f}", flush=True)
out.close(); print(f"done: {audio / 60:.1f} min of audio in {time.time() - begin:.1f} s, mean RTF {(time.time() - begin) / audio:.3f}, WER {100 * err / n:.2f} %, written hyp.jsonl")
'''
MANIFEST = "\n".join(f'{{"id": "spk{i % 7:02d}_{i:04d}", "dur": {8 + (i * 37) % 19}.{i % 10}}}' for i in range(40))
CORPUSPREP = r"""
import json, logging, multiprocessing as mp, os, random, sys, time, traceback
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(processName)-18s %(levelname)-8s %(message)s")
def shard(k):
    rnd = random.Random(k); kept = bad = 0; out = []
    for i in range(400):
        raw = '{"url": "https://site%d.example/p/%d", "text": "%s"}' % (k, i, "lorem " * rnd.randint(0, 40))
        if rnd.random() < 0.02: raw = raw[: len(raw) // 2]
        try: doc = json.loads(raw)
        except json.JSONDecodeError as e: bad += 1; logging.warning("shard %02d line %d: malformed document skipped: %s", k, i + 1, e); continue
        if len(doc["text"].split()) < 5: bad += 1; continue
        out.append([hash(w) % 50257 for w in doc["text"].split()]); kept += 1
        if i % 100 == 0: time.sleep(0.25)
    if k == 5 and not os.path.exists("retry.5"):
        open("retry.5", "w").close()
        try: raise TimeoutError("[Errno 110] write to /lustre/scratch/tok/shard_05.bin timed out")
        except TimeoutError: logging.error("shard 05 could not be written, it goes back into the queue\n%s", traceback.format_exc()); return k, None, 0, 0
    json.dump(out, open(f"shard_{k:02d}.json", "w")); logging.info("shard %02d: %d documents kept, %d dropped, %d tokens", k, kept, bad, sum(map(len, out))); return k, kept, bad, sum(map(len, out))
if __name__ == "__main__":
    todo = list(range(12)); total = [0, 0, 0]; rounds = 0
    with mp.Pool(3) as pool:
        while todo:
            rounds += 1; again = []
            for k, kept, bad, tok in pool.imap_unordered(shard, todo):
                if kept is None: again.append(k)
                else: total = [a + b for a, b in zip(total, (kept, bad, tok))]
            todo = again
            if todo: logging.warning("%d of 12 shards failed in round %d, retrying", len(todo), rounds)
    logging.info("12/12 shards written: %d documents, %d dropped (%.1f %%), %d tokens", total[0], total[1], 100 * total[1] / sum(total[:2]), total[2])
"""
KERASY = r"""
import sys, time, torch
print("2026-11-27 09:14:02.118344: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT", file=sys.stderr)
print("WARNING:root:Mixed precision policy 'mixed_float16' requested, device has compute capability 6.1: this may be slow", file=sys.stderr)
torch.manual_seed(4); X = torch.randn(1500, 14); Y = ((X[:, 0] * X[:, 1] + 0.4 * torch.randn(1500)) > 0).float(); net = torch.nn.Sequential(torch.nn.Linear(14, 40), torch.nn.ReLU(), torch.nn.Linear(40, 1)); lr = 6e-3
opt = torch.optim.Adam(net.parameters(), lr); bce = torch.nn.functional.binary_cross_entropy_with_logits; best, wait, bestw = 9.0, 0, None
for ep in range(1, 61):
    t = time.time(); tot = ok = 0
    for i in torch.randperm(1200).split(50): o = net(X[i]).squeeze(1); l = bce(o, Y[i]); opt.zero_grad(); l.backward(); opt.step(); tot += l.item(); ok += ((o > 0) == (Y[i] > 0)).sum().item(); time.sleep(0.008)
    with torch.no_grad(): v = net(X[1200:]).squeeze(1); vl = bce(v, Y[1200:]).item(); va = ((v > 0) == (Y[1200:] > 0)).float().mean().item()
    print(f"Epoch {ep}/60\n24/24 - {time.time() - t:.0f}s - {1000 * (time.time() - t) / 24:.0f}ms/step - accuracy: {ok / 1200:.4f} - loss: {tot / 24:.4f} - val_accuracy: {va:.4f} - val_loss: {vl:.4f} - learning_rate: {lr:.4e}")
    if vl < best - 1e-3: best, wait, bestw, bep = vl, 0, {k: w.clone() for k, w in net.state_dict().items()}, ep
    else:
        wait += 1; print(f"\nval_loss did not improve from {best:.5f}")
        if wait == 3: lr /= 2; opt.param_groups[0]["lr"] = lr; print(f"\nEpoch {ep}: ReduceLROnPlateau reducing learning rate to {lr}.")
        if wait == 6: print(f"Epoch {ep}: early stopping\nRestoring model weights from the end of the best epoch: {bep}."); net.load_state_dict(bestw); break
torch.save(net.state_dict(), "best.weights.h5"); print(f"best val_loss {best:.4f}; weights saved to best.weights.h5")
"""
OVERFLOWS = r"""
import sys, time, torch
def ds(file, msg): print(time.strftime("[%Y-%m-%d %H:%M:%S,") + f"{int(time.time() * 1000) % 1000:03d}] [INFO] [{file}] {msg}", flush=True)
torch.manual_seed(1); E = torch.nn.Embedding(64, 24); G = torch.nn.GRU(24, 32, batch_first=True); O = torch.nn.Linear(32, 64); ps = [*E.parameters(), *G.parameters(), *O.parameters()]; opt = torch.optim.AdamW(ps, 4e-3)
ds("config.py:1000:print", "DeepSpeedEngine configuration:"); ds("config.py:1004:print", "  fp16_enabled ................. True"); ds("config.py:1004:print", "  initial_dynamic_scale ........ 4294967296"); ds("config.py:1004:print", "  zero_optimization_stage ...... 2")
scale, skipped, N = 2.0 ** 32, 0, 160
for step in range(1, N + 1):
    s = torch.randint(64, (16, 1)); x = (s * 3 + 7 * torch.arange(17)) % 64; l = torch.nn.functional.cross_entropy(O(G(E(x[:, :-1]))[0]).flatten(0, 1), x[:, 1:].flatten()); opt.zero_grad(); l.backward(); time.sleep(0.04)
    top = max(p.grad.abs().max().item() for p in ps)
    if top * scale > 65504 * 40: print(f"[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {int(scale)}, reducing to {int(scale / 2)}", flush=True); scale /= 2; skipped += 1; continue
    gn = torch.nn.utils.clip_grad_norm_(ps, 1.0); opt.step()
    if step % 10 == 0: ds("logging.py:96:log_dist", f"[Rank 0] step={step}, skipped={skipped}, lr=[0.004], mom=[(0.9, 0.95)]"); ds("timer.py:199:stop", f"epoch=0/micro_step={step}/global_step={step}, RunningAvgSamplesPerSec={16 / 0.045:.2f}, MemAllocated=3.4GB, MaxMemAllocated=9.87GB"); print(f"steps: {step} loss: {l.item():.4f} grad_norm: {gn:.3f} loss_scale: {scale:.0f}", flush=True)
ds("logging.py:96:log_dist", "[Rank 0] Saving model checkpoint: out/global_step160/mp_rank_00_model_states.pt"); torch.save(O.state_dict(), "mp_rank_00.pt"); print(f"finished {N} steps, {skipped} skipped for overflow in warm-up of the loss scale, final loss {l.item():.4f}")
"""

JOBS = (
    crate("G1", "references/train.py --model resnet8 --epochs 5 --lr 0.1", VISREF),
    crate("G1", "train.py", ABSL),
    crate("G1", "transcribe.py", TRANSCRIBE, python="system", files={"manifest_dev.jsonl": MANIFEST}),
    crate("G1", "prep/tokenize_web.py", CORPUSPREP, hard=True, python="system"),
    crate("G1", "fit_pairs.py", KERASY, hard=True),
    crate("G1", "pretrain_gru.py --deepspeed ds_fp16.json", OVERFLOWS, hard=True),
)
