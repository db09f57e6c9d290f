"""RuntimeErrors of libraries and programs with nothing finer to them."""

from corpus.running.job import Recipe
from corpus.running.snippets import Snippet
from corpus.running.spread import both

SNIPPETS = (
    Snippet("torch.randn(4, 16) @ torch.randn(32, 8)", "runtime_error", "config", ("first", "mid"), "torch"),
    Snippet("nn.Linear(16, 4)(torch.randn(2, 17))", "runtime_error", "config", ("first", "mid"), "torch"),
    Snippet("w = torch.ones(2, requires_grad=True)\nl = (w * w).sum()\nl.backward()\nl.backward()", "runtime_error", "config", ("first", "mid"), "torch"),
    Snippet("torch.ones(2).sum().backward()", "runtime_error", "config", ("first", "mid"), "torch"),
    Snippet("torch.ones(4).view(3, 2)", "runtime_error", "data", ("data", "mid"), "torch"),
    Snippet("nn.functional.nll_loss(torch.randn(3, 4), torch.tensor([0., 1., 2.]))", "runtime_error", "config", ("first", "mid"), "torch"),
    Snippet("torch.cat([torch.ones(2, 3), torch.ones(3, 2)])", "runtime_error", "data", ("data", "mid"), "torch"),
    Snippet("w = torch.ones(2, requires_grad=True)\nw += 1", "runtime_error", "config", ("first",), "torch"),
    Snippet("torch.stack([torch.ones(3), torch.ones(4)])", "runtime_error", "data", ("data", "mid"), "torch"),
    Snippet("raise RuntimeError('scheduler stepped before the optimizer was made')", "runtime_error", "config", ("config", "mid")),
    Snippet("sizes = {1: 'a'}\nfor key in sizes:\n    sizes[key + 1] = 'b'", "runtime_error", "config", ("data", "mid")),
    Snippet("import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\nt.start()", "runtime_error", "config", ("config", "mid")),
    Snippet("def rows():\n    raise StopIteration\n    yield 1\nnext(rows())", "runtime_error", "data", ("data", "mid")),
    Snippet("raise RuntimeError(f'cannot reserve work space for tile {step}')", "runtime_error", "config", ("mid",)),
)
RECIPE = Recipe("shapes", "development", lambda: both(SNIPPETS, 6, most=26))
