"""Host memory that the process is refused: by the bound on its address space (``ulimit -v``), to Python, NumPy and PyTorch."""

from collections.abc import Iterator
from dataclasses import replace

from corpus.running.job import LocalJob, Recipe
from corpus.running.snippets import EARLY, Snippet
from corpus.running.spread import on_other_versions, spread

BIG = "3_000_000_000"
SNIPPETS = (
    Snippet(f"buffer = bytearray({BIG})", "ram_oom", "env", ("data", "mid")),
    Snippet("rows = [0] * 900_000_000", "ram_oom", "env", ("data", "mid")),
    Snippet("text = 'x' * 5_000_000_000", "ram_oom", "env", ("config", "mid")),
    Snippet("features = np.zeros((300_000, 4096), dtype=np.float32)", "ram_oom", "env", ("data", "first"), "numpy"),
    Snippet("pairs = np.ones((40_000, 40_000))", "ram_oom", "env", ("data", "mid"), "numpy"),
    Snippet("cache = np.arange(900_000_000) * 2.5", "ram_oom", "env", ("mid",), "numpy"),
    Snippet("table = torch.empty(3_000_000, 1024)", "ram_oom", "env", ("data", "mid"), "torch"),
    Snippet("layer = nn.Linear(60_000, 60_000)", "ram_oom", "env", ("first",), "torch"),
    Snippet("scores = torch.randn(1500, 1, 1024) * torch.randn(1, 1500, 1024)", "ram_oom", "env", ("mid",), "torch"),
    Snippet("import io\nspool = io.BytesIO()\nwhile True:\n    spool.write(b'x' * (1 << 27))", "ram_oom", "env", ("data", "mid")),
    Snippet("samples = []\nwhile True:\n    samples.append(bytes(1 << 26))", "ram_oom", "env", ("data", "mid")),
)


def jobs() -> Iterator[LocalJob]:
    """Under a bound that lets the libraries in and the request out."""
    for job in (*spread(SNIPPETS, offset=8), *on_other_versions(SNIPPETS, offset=3, most=5)):
        yield replace(job, memory_mib={"torch": 2600, "torch-old": 9000, "numpy": 1600}.get(job.python, 700))


RECIPE = Recipe("small_address_space", "development", jobs)
_ = EARLY
