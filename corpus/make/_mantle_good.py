"""Single programs that did what they were meant to."""

from corpus.make._crate import crate

SENTI = r"""
import logging, math, sys, time, torch
logging.basicConfig(format="%(asctime)s >> [%(levelname)s|%(filename)s:%(lineno)d] %(message)s", level=logging.INFO, stream=sys.stderr); log = logging.getLogger()
torch.manual_seed(42); V, N, BS, EP = 120, 960, 32, 3; ids = torch.randint(V, (N, 14)); y = ((ids < 40).sum(1) > (ids >= 80).sum(1)).long(); ev, ey = ids[800:], y[800:]; ids, y = ids[:800], y[:800]
m = torch.nn.Sequential(torch.nn.EmbeddingBag(V, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2)); opt = torch.optim.AdamW(m.parameters(), 1e-2); total = EP * 25; step = 0; t0 = time.time(); acc = []
log.info("***** Running training *****"); log.info("  Num examples = 800"); log.info(f"  Num Epochs = {EP}"); log.info("  Instantaneous batch size per device = 32"); log.info(f"  Total optimization steps = {total}"); log.info(f"  Number of trainable parameters = {sum(p.numel() for p in m.parameters()):,}")
for ep in range(EP):
    for b in torch.randperm(800).split(BS):
        lr = 1e-2 * (1 - step / total); opt.param_groups[0]["lr"] = lr
        loss = torch.nn.functional.cross_entropy(m(ids[b]), y[b]); opt.zero_grad(); loss.backward(); gn = torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0); opt.step(); step += 1; acc.append(loss.item()); time.sleep(0.12)
        if step % 5 == 0: print({"loss": round(sum(acc[-5:]) / 5, 4), "grad_norm": round(float(gn), 4), "learning_rate": lr, "epoch": round(step / 25, 2)}, flush=True)
    with torch.no_grad(): o = m(ev); print({"eval_loss": round(torch.nn.functional.cross_entropy(o, ey).item(), 4), "eval_accuracy": round((o.argmax(1) == ey).float().mean().item(), 4), "epoch": float(ep + 1)}, flush=True)
    torch.save(m.state_dict(), f"pytorch_model-{step}.bin"); log.info(f"Saving model checkpoint to out/checkpoint-{step}")
log.info("\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n")
print({"train_runtime": round(time.time() - t0, 3), "train_samples_per_second": round(2400 / (time.time() - t0), 2), "train_steps_per_second": round(total / (time.time() - t0), 3), "train_loss": round(sum(acc) / len(acc), 4), "epoch": 3.0})
"""

TABLE = r'''
import math, random, sys, time
print("""GPU available: True (cuda), used: True
TPU available: False, using: 0 TPU cores
LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]

  | Name     | Type             | Params | Mode
-----------------------------------------------------
0 | encoder  | ResNet           | 11.2 M | train
1 | head     | Linear           | 5.1 K  | train
2 | val_acc  | MulticlassAccuracy | 0    | train
-----------------------------------------------------
11.2 M    Trainable params
0         Non-trainable params
44.727    Total estimated model params size (MB)""", flush=True)
rng = random.Random(0); E, B, acc, best = 4, 40, 0.1, 0.0
for e in range(E):
    t = time.time()
    for b in range(1, B + 1):
        time.sleep(0.08); n = e * B + b; loss = 0.38 + 1.95 * math.exp(-n / 50) + rng.gauss(0, 0.02)
        if b % 4 == 0:
            dt = time.time() - t; sys.stderr.write(f"\rEpoch {e}: {100 * b // B:3d}%|{'█' * (10 * b // B):<10}| {b}/{B} [{int(dt // 60):02d}:{int(dt % 60):02d}<{int(dt / b * (B - b)) // 60:02d}:{int(dt / b * (B - b)) % 60:02d}, {b / dt:5.2f}it/s, v_num=3, train_loss={loss:.3f}" + (f", val_acc={acc:.3f}]" if e else "]")); sys.stderr.flush()
    acc = 0.91 - 0.75 * math.exp(-(e + 1) / 1.1); sys.stderr.write(f"\rEpoch {e}: 100%|██████████| {B}/{B} [{int(time.time() - t):02d}s, v_num=3, train_loss={loss:.3f}, val_acc={acc:.3f}]\n")
    if acc > best: sys.stderr.write(f"Epoch {e}, global step {(e + 1) * B}: 'val_acc' reached {acc:.5f} (best {acc:.5f}), saving model to 'lightning_logs/version_3/checkpoints/epoch={e}-step={(e + 1) * B}.ckpt' as top 1\n"); best = acc
sys.stderr.write("`Trainer.fit` stopped: `max_epochs=4` reached.\n")
'''

DETECTOR = r"""
import math, random, time, warnings
def line(mod, text, lvl=""): print(time.strftime("[%m/%d %H:%M:%S ") + f"{mod}]: {lvl}{text}", flush=True)
line("d2.engine.defaults", "Model: GeneralizedRCNN (R50-FPN)"); line("d2.checkpoint.detection_checkpoint", "[DetectionCheckpointer] Loading from models/R-50.pkl ...")
line("fvcore.common.checkpoint", "Some model parameters or buffers are not found in the checkpoint:\nproposal_generator.rpn_head.anchor_deltas.{bias, weight}\nroi_heads.box_predictor.bbox_pred.{bias, weight}\nroi_heads.box_predictor.cls_score.{bias, weight}", "WARNING ")
line("fvcore.common.checkpoint", "The checkpoint state_dict contains keys that are not used by the model:\n  fc1000.bias\n  stem.fc.weight", "WARNING ")
line("d2.data.build", "Removed 212 images with no usable annotations. 1088 images left."); line("d2.engine.train_loop", "Starting training from iteration 0"); rng = random.Random(5); t0 = time.time(); N = 120
for it in range(1, N + 1):
    time.sleep(0.17)
    if it == 41: warnings.warn("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.", stacklevel=1)
    if it % 20 == 0:
        k = math.exp(-it / 70); c, b, r, l = 0.42 + 1.7 * k, 0.35 + 0.2 * k, 0.06 + 0.3 * k, 0.08 + 0.06 * k; per = (time.time() - t0) / it
        line("d2.utils.events", f" eta: {time.strftime('%H:%M:%S', time.gmtime(per * (N - it)))[1:]}  iter: {it - 1}  total_loss: {c + b + r + l + rng.gauss(0, .01):.3f}  loss_cls: {c:.4f}  loss_box_reg: {b:.4f}  loss_rpn_cls: {r:.4f}  loss_rpn_loc: {l:.4f}    time: {per:.4f}  last_time: {per:.4f}  data_time: 0.0041  last_data_time: 0.0036   lr: {0.0025 * min(1, it / 60):.5g}  max_mem: 3417M")
line("fvcore.common.checkpoint", "Saving checkpoint to ./output/model_final.pth"); line("d2.engine.hooks", f"Overall training speed: 118 iterations in 0:00:20 ({(time.time() - t0) / N:.4f} s / it)"); time.sleep(1.2)
line("d2.evaluation.coco_evaluation", "Evaluation results for bbox: \n|  AP   |  AP50  |  AP75  |  APs  |  APm  |  APl  |\n|:-----:|:------:|:------:|:-----:|:-----:|:-----:|\n| 3.218 | 8.874  | 1.402  | 0.000 | 2.113 | 5.960 |"); line("d2.evaluation.coco_evaluation", "Some metrics cannot be computed and is shown as NaN.")
line("d2.evaluation.testing", "copypaste: 3.2185,8.8740,1.4021,0.0000,2.1130,5.9604"); line("__main__", "short schedule (120 iterations) over; fine-tune again with the 3x schedule from output/model_final.pth")
"""

CLEANUP = r'''
import collections, json, os, random, re, sys, time, traceback
"""wikitext -> shards of token ids; documents that cannot be read are set aside"""
rng = random.Random(11); words = "the of river stone was in and a light old town ship went year wall north".split(); os.makedirs("in"); os.makedirs("shards"); os.makedirs("rejected")
for i in range(600):
    b = " ".join(rng.choices(words, k=160)).encode()
    open(f"in/{i:04d}.txt", "wb").write(b[:200] + b"\xff\xfe\x00" + b[200:] if i % 83 == 40 else b)
vocab, bad, n, buf, t0, shard = collections.Counter(), 0, 0, [], time.time(), 0
for i, name in enumerate(sorted(os.listdir("in")), 1):
    try:
        text = open("in/" + name, encoding="utf-8").read(); toks = re.findall(r"\w+", text); vocab.update(toks); buf += toks; n += len(toks)
    except UnicodeDecodeError:
        bad += 1; print(f"!! {name}: set aside", file=sys.stderr); traceback.print_exc(); os.rename("in/" + name, "rejected/" + name)
    time.sleep(0.028)
    if i % 75 == 0: json.dump(buf, open(f"shards/{shard:03d}.json", "w")); print(f"{time.time() - t0:6.1f}s  {i:4d}/600 documents  {n:7d} tokens  vocabulary {len(vocab):3d}  shard {shard:03d} written", flush=True); shard += 1; buf = []
print(f"finished: {600 - bad} documents in {shard} shards, {bad} set aside (1.2 %, allowed 5 %)", flush=True)
'''

STOPPER = r"""
import random, sys, time, torch
torch.manual_seed(8); X = torch.randn(90, 20); y = X[:, :3].sum(1) + 1.1 * torch.randn(90); V = torch.randn(200, 20); vy = V[:, :3].sum(1) + 1.1 * torch.randn(200)
net = torch.nn.Sequential(torch.nn.Linear(20, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1)); opt = torch.optim.Adam(net.parameters(), 4e-3); best, bad, patience = 9e9, 0, 6; print("RUL of turbofans, MLP | max_epochs 200, early stopping on val_rmse (patience 6)")
for ep in range(1, 201):
    for b in torch.randperm(90).split(15): l = (net(X[b]).squeeze(1) - y[b]).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
    with torch.no_grad(): tr, va = [((net(a).squeeze(1) - c).pow(2).mean().sqrt().item()) for a, c in ((X, y), (V, vy))]
    time.sleep(0.6); mark = ""
    if va < best - 1e-4: best, bad, mark = va, 0, " *"; torch.save(net.state_dict(), "best.pt"); at = ep
    else: bad += 1
    print(f"ep {ep:3d} | train_rmse {tr:.4f} | val_rmse {va:.4f}{mark}", flush=True)
    if bad >= patience: print(f"EarlyStopping: val_rmse did not improve in the last {patience} records. Best score: {best:.4f}. Signaling Trainer to stop."); break
net.load_state_dict(torch.load("best.pt")); print(f"restored best.pt of epoch {at}; test_rmse {(net(V).squeeze(1) - vy).pow(2).mean().sqrt().item():.4f}; run complete")
"""

ASRDEC = r"""
import random, time
rng = random.Random(2); print("whisper-style batch transcription: 48 files, beam 5, fp16, language=auto"); audio = took = 0.0; err = words = 0; t0 = time.time()
for i in range(1, 49):
    t = time.time(); sec = rng.uniform(8, 30); time.sleep(sec / 55); took += time.time() - t; audio += sec; w = int(sec * 2.4); words += w; err += sum(rng.random() < 0.083 for _ in range(w))
    if i % 4 == 0: print(f"[{i:2d}/48] meeting_{i:03d}.wav {sec:5.1f} s audio, rtf {took / audio:.4f}, running WER {100 * err / words:.2f} %", flush=True)
print(f"{audio / 60:.1f} minutes transcribed in {time.time() - t0:.1f} s, WER {100 * err / words:.2f} %, 0 files failed -> hyp/meetings.ctm")
"""

PINN = r"""
import sys, time, torch
torch.manual_seed(3); torch.set_default_dtype(torch.float64)
u = torch.nn.Sequential(torch.nn.Linear(1, 20), torch.nn.Tanh(), torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1)); opt = torch.optim.Adam(u.parameters(), 3e-3)
print("# u'' = -pi^2 sin(pi x), u(0)=u(1)=0\n#   it     L_pde        L_bc         L2 error")
for k in range(0, 2001):
    x = torch.rand(64, 1, requires_grad=True); f = u(x); d1 = torch.autograd.grad(f.sum(), x, create_graph=True)[0]; d2 = torch.autograd.grad(d1.sum(), x, create_graph=True)[0]
    lp = (d2 + torch.pi ** 2 * torch.sin(torch.pi * x)).pow(2).mean(); lb = u(torch.tensor([[0.0], [1.0]])).pow(2).mean(); opt.zero_grad(); (lp + 100 * lb).backward(); opt.step()
    if k % 100 == 0:
        with torch.no_grad(): g = torch.linspace(0, 1, 101)[:, None]; e = (u(g) - torch.sin(torch.pi * g)).pow(2).mean().sqrt().item()
        print(f"{k:6d}  {lp.item():11.4e}  {lb.item():11.4e}  {e:11.4e}", flush=True)
print("# converged run, solution in u_2000.pt"); torch.save(u.state_dict(), "u_2000.pt")
"""

TAIL = r"""
import glob, json, logging, os, sys, time, torch
logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s"); log = logging.getLogger("trainer"); torch.manual_seed(0)
def make(): m = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 16)); return m, torch.optim.AdamW(m.parameters(), 2e-3)
def fit(m, opt, a, b, tell):
    for s in range(a + 1, b + 1):
        x = torch.randn(64, 16, generator=torch.Generator().manual_seed(s)); l = (m(x) - x.flip(1)).pow(2).mean(); opt.zero_grad(); l.backward(); opt.step()
        if tell: time.sleep(0.25)
        if tell and s % 4 == 0: log.info("step %d/1500 loss %.5f", s, l.item())
if sys.argv[1] == "part": m, o = make(); fit(m, o, 0, 1460, False); torch.save({"m": m.state_dict(), "o": o.state_dict(), "step": 1460}, "ckpt-1460.pt"); sys.exit()
log.warning("no clean shutdown of the previous run found (no DONE marker): it was cut off, looking for its last checkpoint"); last = sorted(glob.glob("ckpt-*.pt"))[-1]; st = torch.load(last); m, o = make(); m.load_state_dict(st["m"]); o.load_state_dict(st["o"])
log.info("resumed %s: step %d of 1500, optimizer state restored", last, st["step"]); fit(m, o, st["step"], 1500, True); torch.save({"m": m.state_dict(), "step": 1500}, "final.pt"); open("DONE", "w").close(); log.info("final step 1500 reached, final.pt and DONE written")
"""

JOBS = (
    crate("G1", "run_sentiment.py", SENTI),
    crate("G1", "lit_cifar.py", TABLE, python="system"),
    crate("G1", "tools/plain_train_net.py", DETECTOR, hard=True, python="system"),
    crate("G1", "tokenise.py", CLEANUP, hard=True, python="system"),
    crate("G1", "turbofan.py", STOPPER, hard=True),
    crate("G1", "transcribe.py", ASRDEC, python="system"),
    crate("G1", "pinn.py", PINN),
    crate("G1", "continue.py last", TAIL, hard=True, before=(("PYTHON", "continue.py", "part"),)),
)
