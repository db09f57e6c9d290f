"""Assertions that do not hold: shapes, sizes, settings, ranges."""

from corpus.running.job import Recipe
from corpus.running.snippets import EARLY, Snippet
from corpus.running.spread import both

SNIPPETS = (
    Snippet("assert total % 7 == 0, f'total steps {total} must be a multiple of 7'", "assertion", "config", ("config",)),
    Snippet("batch = [1, 2, 3]\nassert len(batch) == 4", "assertion", "data", ("data", "mid")),
    Snippet("hidden, heads = 770, 12\nassert hidden % heads == 0, 'hidden size must be divisible by the number of heads'", "assertion", "config", EARLY),
    Snippet("assert loss < 1e-9, f'loss {loss:.3f} is above the bound'", "assertion", "config", ("mid",)),
    Snippet("tokens = [5, 70000]\nassert max(tokens) < 50257, (max(tokens), 50257)", "assertion", "data", ("data", "mid")),
    Snippet("assert world == 8, 'this recipe wants eight processes'", "assertion", "config", ("config",)),
    Snippet("x = torch.zeros(4, 16)\nassert x.shape == (4, 32), x.shape", "assertion", "data", ("first", "mid"), "torch"),
    Snippet("torch.testing.assert_close(torch.ones(3), torch.ones(3) + 0.01)", "assertion", "config", ("first", "mid"), "torch"),
    Snippet("np.testing.assert_allclose(np.ones(3), np.ones(3) * 1.1, rtol=1e-3)", "assertion", "data", ("data", "mid"), "numpy"),
    Snippet("assert isinstance(os.environ.get('EXPERIMENT'), str)", "assertion", "config", ("config",)),
    Snippet("check_range(step)", "assertion", "data", ("mid",), helpers="def check_range(value):\n    assert 0 <= value < 30, 'index out of the shard'\n"),
    Snippet("raise AssertionError('optimizer state and parameters differ in length')", "assertion", "config", ("first", "mid")),
    Snippet("import unittest\nunittest.TestCase().assertEqual([1, 2], [1, 2, 3])", "assertion", "data", ("data", "mid")),
)
RECIPE = Recipe("checks", "development", lambda: both(SNIPPETS, 5))
