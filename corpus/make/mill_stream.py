"""One process in PyTorch 2.13 and nothing beside it: syllables, citations, a radiance field, characters, leaves, wind, a stick that is balanced."""

import json
from functools import partial

from corpus.make._mill_logs import CART, LEAVES, WIND
from corpus.make._mill_loops import CHARS, CITES, FIELD, TONES
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

tones, cites, field, chars = partial(fill, TONES), partial(fill, CITES), partial(fill, FIELD), partial(fill, CHARS)
leaves, wind, cart = partial(fill, LEAVES), partial(fill, WIND), partial(fill, CART)
T, C, F, G, L, W, S = "train_ctc.py", "gcn.py", "run_field.py", "chars.py", "leafseg.py", "windprognose.py", "stick_pg.py"
NONE: tuple[int, ...] = ()


def opts(**more: object) -> tuple[tuple[str, str], ...]:
    """The settings of the leaf segmenter."""
    return (("leaf.json", json.dumps(more)),)


SCALE = "scale = 2.0 ** (8 + iter_num // 18)\nloss = (loss * scale).half().float() / scale"
STOP = f"{SCALE}\nif not math.isfinite(loss.item()):\n    print(f'iter {{iter_num}}: loss {{loss.item()}} (scale {{scale:.0f}}), giving up', flush=True)\n    sys.exit(3)"
HOT = "if epoch == 3 and it == 1:\n    sgd.param_groups[0]['lr'] = 60.0; sgd.param_groups[0]['momentum'] = 0.99"
PATIENCE = "since = 0 if tmp is test_acc or val_acc >= best_val else since + 1 if 'since' in globals() else 1\nif since >= 12:\n    print(f'Early stopping: no better validation accuracy in 12 epochs (epoch {epoch} of {args.epochs})')\n    break"
CUDA = "try:\n    torch.zeros(1).cuda()\nexcept Exception as e:\n    print('RuntimeError/AssertionError while moving to cuda:', e)\n    print('... using the CPU instead')"
SCALER = "if not math.isfinite((loss * scale).half().item()):\n    print(f'iter {iter_num}: overflow, loss * scale is inf; step skipped, scale {scale:.0f} -> {scale / 2:.0f}', flush=True)\n    scale /= 2; iter_num += 1\n    continue"
NULL = "import ctypes\nctypes.cast(8, ctypes.POINTER(ctypes.c_long))[0] = 1"
FOUND = "ckpts = [c for c in ckpts if c.endswith('.pth')]"
SCRIPTS = (
    # not learning
    Either(tones(mid="if ep >= 3:\n    x = (x - x.mean()) / (x[:, :1] - x[:, :1]).std()"), "E1", "nan_loss", "non_finite", T, args=("--epochs", "6"), status=0),
    Either(chars(loss=STOP), "E1", "nan_loss", "non_finite", G, status=3),
    Either(leaves(mid=HOT), "E1", None, "spike", L, opts(max_epochs=6), ("leaf.json",), status=0),
    Either(cites(data="x = torch.load('feats.pt') if os.path.exists('feats.pt') else torch.zeros_like(x)"), "E1", None, "flat", C, args=("--epochs", "90"), status=0),
    Either(tones(grads="optim.param_groups[0]['lr'] = args.lr * max(0.0, 1 - upd / 12)"), "E1", None, None, T, args=("--epochs", "8", "--exp", "exp/anneal"), status=0),
    Either(wind(data="leistung = leistung[torch.randperm(3000)]; wetter = torch.randn_like(wetter) * 0", grads="for p in alle:\n    p.grad.zero_()"), "E1", None, "flat", W, args=("25",), status=0),
    # a handful of steps
    Either(chars(), "E3", script=G, args=("--max_iters=2", "--log_interval=1")),
    Either(leaves(), "E3", script=L, files=opts(max_epochs=3, per_epoch=1, interval=1), args=("leaf.json",)),
    Either(tones(), "E3", script=T, args=("--epochs", "1", "--utts", "24", "--report", "1")),
    Either(field(mid="if i > 3:\n    break"), "E3", script=F, args=("i_print=1",)),
    Either(wind(), "E3", script=W, args=("2",), env=(("SCHRITTE", "2"),)),
    # of what was before
    Either(tones(), "E2", "runtime_error", "size_mismatch", T, (("train_wide.py", tones().replace("hid=40", "hid=56")),), ("--epochs", "4", "--resume", "exp/base/ep02.pt", "--exp", "exp/wide"), launch=("PYTHON",), before=(("PYTHON", "train_wide.py", "--epochs", "2"),)),
    Either(chars(), "E2", "traceback", "corrupt", G, args=("--init_from=resume", "--max_iters=600"), before=(("PYTHON", G, "--max_iters=150"), ("truncate", "-s", "9000", "out/ckpt.pt"))),
    Either(leaves(), "E2", "file_not_found", "no_valid_checkpoint", L, opts(resume_from="work_dirs/leaf_r10/latest.pth", max_epochs=9), ("leaf.json",)),
    Either(tones().replace("if args.resume:", "if args.resume and os.path.isdir(args.resume):"), "E2", None, "from_scratch", T, args=("--epochs", "5", "--resume", "exp/base/ep04.pt", "--exp", "exp/more"), status=0, failed=NONE, first=NONE, before=(("PYTHON", T, "--epochs", "4"),)),
    # before the first step
    Either(tones(data="import json as js\ntrain = [js.loads(l) for l in open('data/tones_train.jsonl')]"), "A1", "file_not_found", "data", T),
    Either(leaves(early="stages = {'sgd': 1, 'adamw': 2}[opts.get('optimizer', {}).get('type', 'lamb')]"), "A1", "traceback", "config", L, opts(optimizer={"type": "Ranger21"}), ("leaf.json",)),
    Either(chars(early="from flash_attn import flash_attn_func"), "A1", "missing_module", "env", G),
    Either(wind(early="protokoll = open('/etc/windprognose.log', 'w')"), "A1", "permission", "config", W),
    # in the middle
    Either(tones(after="if upd % 75 == 0:\n    skipped = [u for u in range(upd) if u < 0]\n    print(f'oov rate {upd / len(skipped):.3f}')"), "A3", "div_zero", script=T),
    Either(chars(mid="if iter_num == 160:\n    with open('data/part-00002.bin', 'rb') as shard:\n        parts['train'] = torch.frombuffer(bytearray(shard.read()), dtype=torch.uint8).long()"), "A3", "file_not_found", script=G),
    Either(leaves(mid="if epoch == 2 and it == 17:\n    gt = gt + 1\nassert int(gt.max()) < 3, f'label {int(gt.max())} in a mask, but the head has 3 classes'"), "A3", "assertion", script=L, files=opts(), args=("leaf.json",)),
    Either(wind(mid="if durchgang == 5 and schritt == 11:\n    x = x[:, :, :2]  # Sensor 3 fehlt ab hier"), "A3", "runtime_error", script=W),
    Either(field(saved="held = [torch.ones(64, 1024, 1024) for _ in range(900)]"), "A3", "ram_oom", script=F, memory_mib=6000),
    Either(cart(after="if iteration == 14:\n    best = max(r for r in recent if r > 200.5)"), "A3", "traceback", script=S),
    # shot
    Either(field(mid=f"if i == 333:\n    {NULL.splitlines()[0]}\n    {NULL.splitlines()[1]}"), "A2", "segfault", script=F, status=-11),
    Either(tones(after="if upd > 40:\n    keep = globals().setdefault('keep', []); keep.append(torch.ones(12_000_000))"), "A2", "oom_killer", script=T, group_mib=1200, status=-9),
    # well
    Either(chars(), "G1", script=G, args=("--init_from=resume", "--eval_only=True", "--eval_iters=30"), before=(("PYTHON", G, "--max_iters=300"),), hard=True),
    Either(tones(), "G1", script=T, args=("--epochs", "5", "--resume", "exp/base/ep03.pt", "--exp", "exp/base"), before=(("PYTHON", T, "--epochs", "3"),), hard=True),
    Either(cites(after=PATIENCE), "G1", script=C, args=("--epochs", "500"), hard=True),
    Either(cart(), "G1", script=S, args=("--total-timesteps", "5600")),
    Either(field(early=CUDA), "G1", script=F, hard=True),
    Either(wind(late="print('Fehler gesamt: 0.0193, Ausfall: 0, Abbruch: nein', flush=True)"), "G1", script=W, args=("3",), env=(("SCHRITTE", "220"),), hard=True),
    Either(leaves(early="log.warning('unexpected key in source state_dict: fc.weight, fc.bias')\nlog.warning('missing keys in source state_dict: decode_head.conv_seg.weight')\nlog.error('pip list: could not import mmcv._ext, ops without CUDA')"), "G1", script=L, files=opts(max_epochs=7), args=("leaf.json",), hard=True),
    Either(chars(data="scale = 2.0 ** 17", loss=SCALER), "G1", script=G, args=("--max_iters=300",), hard=True),
    Either(tones(), "G1", script=T, args=("--epochs", "2", "--utts", "560", "--report", "100"), hard=True),
    Either(cites(), "G1", script=C, args=("--epochs", "150", "--log_every", "1000"), hard=True),
    Either(leaves(), "G1", script=L, files=opts(max_epochs=5, resume_from="work_dirs/leaf_r10/epoch_4.pth"), args=("leaf.json",), before=(("PYTHON", "-c", "import json; d = json.load(open('leaf.json')); d.update(max_epochs=4, resume_from=None); json.dump(d, open('short.json', 'w'))"), ("PYTHON", L, "short.json")), hard=True),
    Either(field(after="if i == 450:\n    print('iteration budget of this sweep member used: 450 of at most 2000, that is all it gets', flush=True)\n    break"), "G1", script=F, args=("N_iters=2000",), hard=True),
    Either(wind(early="import warnings\nwarnings.warn('Sensor 2: 14 Werte fehlen (NaN), linear ersetzt')", after="if durchgang == 2 and schritt == 4:\n    print('Achtung: Gradient 14.2 zu groß, Schritt verworfen', file=sys.stderr)"), "G1", script=W, args=("14",), hard=True),
)  # fmt: skip
RECIPE = Recipe("mill_stream", "development", lambda: either_jobs(SCRIPTS, "torch"))
