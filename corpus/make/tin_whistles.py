"""One process without a library: a chess club's ladder in Perl, bicycles over a bridge in awk, a squeezer of text in Python."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._brook_plain import CHESS, RAEDER, SQUEEZE
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

chess, raeder, squeeze = partial(fill, CHESS), partial(fill, RAEDER), partial(fill, SQUEEZE)
C, R, S = "ladder.pl", "raeder.sh", "squeeze.py"
EARLIER = (("perl", C, "keep=60", "pause=0"),)
TAKES = '    @s = @old; $first = $pass + 1;\n    print "We take up the ladder $o{from} after pass $pass.\\n";\n'
assert TAKES in CHESS
MIRROR = "for my $host ('results.chess', 'mirror.chess', 'localhost') {\n    last if eval { die \"connect to $host: Connection refused\" if $host ne 'localhost'; 1 };\n    print STDERR \"Could not fetch the result sheets: $@\";\n}\nprint \"The sheets came from the third place we asked.\\n\";"
COPIES = 'my $t = time;\nsystem("dd if=/dev/urandom of=$o{book}.all bs=1M count=14 conv=fsync 2>/dev/null; sleep 0.2");\nprintf "The whole archive is copied once more, which took %.2f s.\\n", time - $t;'
ARCHIVE = "open my $d, '>>', 'diary.bin' or die \"diary: $!\";\nprint $d pack('d*', @s) x 20;\nclose $d;"
LOCK = "if ($pass == 24) {\n    print \"Pass 24: the treasurer's book is asked for.\\n\";\n    open my $book, '>>', 'club.lock' or die;\n    flock $book, 2;\n}"
HUP = "$SIG{HUP} = sub { print \"Signal HUP has come; the book is closed and opened again, nothing is lost.\\n\" };"
TERM = "$SIG{TERM} = sub { print \"Somebody taps us on the shoulder; we close the books here.\\n\"; exit 143 };"


def ladder(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Perl."""
    return alone(label, text, C, python="system", command=more.pop("command", ("perl", C, *given)), **more)


def club() -> Iterator[LocalJob]:
    """Prose."""
    yield ladder(GOOD, chess(), "keep=30", "passes=80")
    yield ladder(HARD, chess(early=MIRROR), "passes=72")
    yield ladder(HARD, chess(), "from=ladder.txt", "passes=90", "gain=0.1", before=(("perl", C, "keep=20", "passes=20", "gain=0.1", "pause=0"),))
    yield ladder(HARD, chess(early=HUP), "passes=96", signal=Signal("HUP", "pass 24 of", C, 0.1), ends=lambda s: s == 0)
    yield ladder(fell("A1", None, "config"), chess(), "passes=60", "gian=3")
    yield ladder(fell("A1", "missing_module", "env"), chess(early="require Statistics::Robust::Scale;"))
    yield ladder(fell("A3", "div_zero"), chess(after="if ($pass == 36) {\n    my @draws = grep { $_->[0] == $_->[1] } @games;\n    printf \"Wins for each draw: %.1f.\\n\", @games / @draws;\n}"))
    yield ladder(fell("A3", "file_not_found"), chess(), "book=/club/2026/ladder.txt", "keep=25", "passes=100")
    yield ladder(fell("A2", None), chess(after=ARCHIVE), "passes=200", file_kib=90, ends=lambda s: s == -25)
    yield ladder(fell("E2", "file_not_found", "no_valid_checkpoint"), chess(), "from=2025/ladder.txt", "passes=130", before=EARLIER)
    yield ladder(anew(), chess().replace(TAKES, '    my @s = @old;\n    print "The ladder $o{from} of pass $pass lies open before us.\\n";\n'), "from=ladder.txt", "passes=100", before=EARLIER)
    yield ladder(HANDFUL, chess(), "passes=2", "games=14", "tell=1")
    yield ladder(SAVES, chess(after=COPIES), "passes=26", "pause=0", "tell=2")
    yield ladder(HALTED, chess(early=TERM), "passes=9000", signal=ctrl_c(r"pass 140 of", "TERM"))
    yield ladder(STANDS, chess(after=LOCK), command=("bash", "-c", "flock club.lock sleep 4000 & sleep 0.5; perl ladder.pl passes=900"), timeout_s=150)


LIES = '    read -r ab gewichte < "$STAND" || exit 1\n    sage "Stand $STAND gelesen, Schritt $ab"\n'
assert LIES in RAEDER
VORHER = (("env", "-u", "STAND", "SCHRITTE=260", "bash", R),)
PROBE = "grep -qE '^[0-9]+( -?[0-9.e-]+){4}$' \"$STAND\" || { echo \"raeder.sh: Stand $STAND ist beschädigt, Zeile passt nicht: $(head -c 30 \"$STAND\")\" >&2; exit 65; }"
VORSCHAU = "sleep 60 &\nvorschau=$!\nkill -9 $vorschau\nwait $vorschau\nsage \"Vorschau endete mit $?, es geht auch ohne\"\ngnuplot -e 'plot 1' || sage 'kein Bild diesmal'"
ERST = "if [ ! -e letzter/stand.txt ]; then sage 'WARNUNG: letzter/stand.txt nicht gefunden (erster Lauf an dieser Brücke?), beginne bei 0'; fi"
NULLT = "if (s == 140) { rate = 0; for (j = 0; j < 4; j++) w[j] = 0; print \"# Pause der Anpassung\" }"


def count(label: Label, text: str, *env: str, **more: Any) -> LocalJob:
    """awk, its settings before it."""
    return alone(label, text, R, python="system", command=("env", *env, "bash", R), **more)


def bruecke() -> Iterator[LocalJob]:
    """German."""
    yield count(GOOD, raeder(), "SCHRITTE=420", "ALLE=30")
    yield count(HARD, raeder(early=ERST), "SCHRITTE=300")
    yield count(HARD, raeder(early=VORSCHAU), "SCHRITTE=360", "RATE=0.08")
    yield count(HARD, raeder(after='printf "# Stand %d gesichert in 0,%d ms\\n", s, 3 + s % 5'), "SCHRITTE=140", "ALLE=7", "SICHERN=1")
    yield count(fell("A1", "permission", "data"), raeder(), "ZAEHLUNG=mai.txt", files={"mai.txt": "0.1 0.2 0.3 4\n" * 40}, locked=("mai.txt",))
    yield count(fell("A2", None, fault="unknown"), raeder(), "SCHRITTE=90000", "RUHE=0.02", signal=Signal("KILL", "^100;", "gawk", 0.2), ends=lambda s: s == 137)
    yield count(strays("flat"), raeder(), "SCHRITTE=300", "RATE=0,05")
    yield count(strays("plateau"), raeder(mid=NULLT), "SCHRITTE=420", "RATE=0.03")
    yield count(anew(), raeder().replace(LIES, '    sage "Stand $STAND vom Schritt $(cut -d" " -f1 "$STAND") liegt vor"\n'), "STAND=stand.txt", "SCHRITTE=520", before=VORHER)
    yield count(fell("E2", None, "corrupt"), raeder(restore=PROBE), "STAND=stand.txt", "SCHRITTE=520", before=(*VORHER, ("bash", "-c", "head -c 200 /dev/urandom | base64 > stand.txt")))


LAPS = (("python3", S, "keep:6", "laps:6"),)
TREE = "if lap == 6:\n    sys.setrecursionlimit(10**8)\n    tree = []\n    for _ in range(400_000):\n        tree = [tree]\n    pathlib.Path('tree.json').write_text(json.dumps(tree))"
WORDS = "WORDS += ['nan', 'killed', 'fatal', 'error', 'traceback', 'overflow']\ntext = ' '.join(R.choice(WORDS) for _ in range(CONF['letters']))[: CONF['letters']]\nprint('~ rare words of the chronicle: nan, killed, fatal, error, traceback, overflow (6 of', len(WORDS), 'words)')"
PARTS = "if i % 240 == 0 and i:\n    t = time.monotonic()\n    with open('part.bin', 'wb') as f:\n        for _ in range(9):\n            f.write(os.urandom(1_000_000))\n        f.flush(); os.fsync(f.fileno())\n    time.sleep(0.1)\n    print(f'~ part.bin rewritten at letter {i} ({time.monotonic() - t:.2f}s)', flush=True)"


def chronicle() -> Iterator[LocalJob]:
    """Bars."""

    def go(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
        return alone(label, text, S, *given, python="system", **more)

    yield go(GOOD, squeeze(), "laps:18")
    yield go(HARD, squeeze(data=WORDS), "seed:21")
    yield go(HARD, squeeze(), "laps:60", "patience:3", "letters:1500")
    yield go(fell("A1", "traceback", "config"), squeeze(), "lpas:20")
    yield go(fell("A1", "traceback", "data"), squeeze(data="text = open('chronik.txt', encoding='ascii').read()"), files={"chronik.txt": "Im Jahre 1421 kam die große Flut.\n" * 40})
    yield go(fell("A3", "ram_oom"), squeeze(after="if lap == 7:\n    print('~ building the table of all pairs', flush=True)\n    pairs = [bytearray(1 << 20) for _ in range(5000)]"), memory_mib=360)
    yield go(fell("A2", "segfault"), squeeze(after=TREE), "laps:30")
    yield go(strays("spike"), squeeze(after="if lap == 8:\n    CONF['rate'] = 40.0\n    print('~ second course: larger steps', flush=True)"), "laps:16", "letters:1800")
    yield go(fell("E2", "assertion", "size_mismatch"), squeeze(), "state:states/lap6.json", "orders:4", "laps:20", before=LAPS)
    yield go(HANDFUL, squeeze(), "letters:40", "laps:2")
    yield go(SAVES, squeeze(mid=PARTS), "laps:4")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from club()
    yield from bruecke()
    yield from chronicle()


RECIPE = Recipe("tin_whistles", "development", jobs)
