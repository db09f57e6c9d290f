"""Empty loaders, zero steps, and what is divided by them."""

from corpus.running.job import Recipe
from corpus.running.snippets import EARLY, Snippet
from corpus.running.spread import both

SNIPPETS = (
    Snippet("batches = []\nper_epoch = total // len(batches)", "div_zero", "data", ("data", "first")),
    Snippet("accumulate = int(os.environ.get('GRAD_ACCUM', '0'))\nupdates = total / accumulate", "div_zero", "config", EARLY),
    Snippet("correct, seen = 0, 0\naccuracy = correct / seen", "div_zero", "data", ("mid", "first")),
    Snippet("warmup = 0\nscale = step / warmup", "div_zero", "config", ("mid",)),
    Snippet("heads, width = 0, 512\nhead_dim = width // heads", "div_zero", "config", ("config", "first")),
    Snippet("validation = [x for x in range(step) if x < 0]\nmean = sum(validation) / len(validation)", "div_zero", "data", ("mid",)),
    Snippet("gpus = len(os.environ.get('CUDA_VISIBLE_DEVICES', '').split(',')) - 1\nper_gpu = 256 // gpus", "div_zero", "config", ("config",)),
    Snippet("elapsed = 0.0\nrate = step * 32 / elapsed", "div_zero", "config", ("mid",)),
    Snippet("remaining = total % (rank * 4)", "div_zero", "config", EARLY),
    Snippet("ratio = perplexity_ratio(loss, 0.0)", "div_zero", "data", ("mid",), helpers="def perplexity_ratio(now, base):\n    return now / base\n"),
    Snippet("from fractions import Fraction\nshare = Fraction(step, rank)", "div_zero", "config", ("mid",)),
    Snippet("import statistics\nlosses = [0, 0]\nweights = [x / sum(losses) for x in losses]", "div_zero", "data", ("data", "mid")),
    Snippet("q, r = divmod(total, int('0'))", "div_zero", "config", ("config", "mid")),
)
RECIPE = Recipe("nothing_to_divide_by", "development", lambda: both(SNIPPETS, 2))
