"""Progress that no parser knows the words of: a counter that grows in lines of one template, and rows of tables."""

from __future__ import annotations

import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.classifier import scan
from gpualert_slurm.classifier.advance import advance_of
from gpualert_slurm.classifier.log_ends import HEAD_BYTES, TAIL_BYTES
from gpualert_slurm.evidence import Evidence, Where
from tests.unit.classifier.records import Run


def progress(text: str, arrival=None) -> list[Evidence]:
    return [e for e in scan(io.BytesIO(text.encode()), "x.log", Where(), arrival).evidence if e.says == "progress"]


LOOPS = {
    "metric behind an epoch": ("epoch 0: mse 0.4\nepoch 1: mse 0.3\n", 2),
    "XGBoost": ("[10]\ttrain-rmse:0.52\teval-rmse:0.61\n[11]\ttrain-rmse:0.51\teval-rmse:0.60\n[12]\ttrain-rmse:0.49\teval-rmse:0.59\n", 3),
    "behind the seconds since its start": ("[   0.34s] step 10/500 style 0.51\n[   0.67s] step 20/500 style 0.34\n[  11.05s] step 30/500 style 0.27\n", 3),
    "LightGBM": ("[100]\tvalid_0's l2: 0.21\n[200]\tvalid_0's l2: 0.20\n[300]\tvalid_0's l2: 0.19\n", 3),
    "Keras without a loss": ("Epoch 3/10 - 2.1s - acc 0.93\n", 1),
    "bracketed steps": ("[12/100] acc=0.31 time 0.1s\n[13/100] acc=0.35 time 0.1s\n[14/100] acc=0.36 time 0.1s\n", 3),
    "JSON lines": ('{"epoch": 3, "mse": 0.12}\n', 1),
    "JSON lines that say whose they are": (
        '{"ts": 1795337422.93, "worker": 0, "update": 10, "of": 60, "margin": 0.46}\n{"ts": 1795337423.84, "worker": 0, "update": 20, "of": 60, "margin": 0.31}\n',
        2,
    ),
    "a clock before the step": ("t=12 lvl=info step=10 logloss=0.51\nt=12 lvl=info step=20 logloss=0.49\nt=13 lvl=info step=30 logloss=0.44\n", 3),
    "a record whose title names what it counts": ('ts=1 msg="round" n=2 bits_per_letter=3.1\nts=2 msg="round" n=3 bits_per_letter=3.0\nts=3 msg="round" n=4 bits_per_letter=2.9\n', 3),
    "logging's own default format": ("INFO:parcels:[50]\tseen's logloss: 0.69\nINFO:parcels:[100]\tseen's logloss: 0.61\nINFO:parcels:[150]\tseen's logloss: 0.55\n", 3),
    "a stage beside a loss": ("update   240 | stage 1 | bce 0.41\nupdate   280 | stage 2 | bce 0.69\n", 2),
    "a passage of several, in French": ("Passage 2 sur 12 : perte = 1,0887, norme = 4.1\nPassage 3 sur 12 : perte = nan, norme = nan\n", 2),
    "logfmt": ("level=info msg=train step=10 nll=2.1 dur=3ms\n", 1),
    "CSV with a header": ("step,loss,acc\n1,0.52,0.31\n2,0.43,0.33\n", 2),
    "a table of spaces": ("    step         loss      acc         lr\n       1     2.008559    0.880   5.00e-04\n", 1),
    "scikit-learn's boosting": (
        "      Iter       Train Loss   Remaining Time\n         1           1.1234            0.12s\n         2           1.0134            0.11s\n",
        2,
    ),
    "YOLO": (
        "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n        1/3     1.2G      1.234      4.323         12        640\n",
        1,
    ),
    "rows without a header": ("1 0.5 0.30\n2 0.4 0.31\n3 0.4 0.32\n4 0.3 0.33\n5 0.3 0.35\n", 5),
    "a boxed table without a header": ("| 1 | 0.51 |\n| 2 | 0.42 |\n| 3 | 0.33 |\n| 4 | 0.31 |\n", 4),
    "logging's prefix": (
        "INFO:trainer:[12/99] d_real 0.3 d_fake 0.4\nINFO:trainer:[13/99] d_real 0.2 d_fake 0.4\nINFO:trainer:[14/99] d_real 0.2 d_fake 0.5\n",
        3,
    ),
    "loguru's prefix": ("2026-11-21 10:00:00.123 | INFO     | __main__:main:33 - round 3 done, nll 2.31\n", 1),
    "CatBoost": ("".join(f"{i}:\tlearn: {2.5 - i / 10:.7f}\ttotal: {i}ms\tremaining: {9 - i}ms\n" for i in range(5)), 5),
    "a metric before its counter": ("kl=0.31 ret=12.1 (update 3)\nkl=0.33 ret=13.1 (update 4)\nkl=0.35 ret=15.1 (update 5)\n", 3),
    "samples seen": (
        ">>> 100 samples seen, running error 0.31\n>>> 200 samples seen, running error 0.28\n>>> 300 samples seen, running error 0.25\n",
        3,
    ),
    "semicolons": ("epoch;train_loss;val_loss\n1;0.69;0.70\n2;0.59;0.61\n", 2),
    "a box of lines": ("┃ Epoch ┃ Loss  ┃\n│ 1     │ 0.693 │\n│ 2     │ 0.593 │\n", 2),
    "a short word": ("Ep 01 | F1 0.31\nEp 02 | F1 0.41\n", 2),
    "what looks like a logger's name": ("Step: 10 | PPL: 210.3 | 12.3 tok/s\n", 1),
    "a counter beside a fraction, twice": ("Step   100 Train 2.31 Val 2.33\nStep   200 Train 2.21 Val 2.23\n", 2),
    "a counter behind a mark": (">> step=00010 obj=1.2345\n>> step=00020 obj=1.1345\n", 2),
    "a shortened word": ("It.   10  f(x) = 1.234e+01\nIt.   20  f(x) = 1.134e+01\n", 2),
    "times alone": ("Epoch 1 finished in 12.1s\nEpoch 2 finished in 12.0s\nEpoch 3 finished in 12.2s\n", 3),
    "physics": ("it=100 E=-1.234e+02 |g|=0.31\nit=200 E=-1.235e+02 |g|=0.22\nit=300 E=-1.236e+02 |g|=0.11\n", 3),
    "reinforcement": ("Episode 10\tAverage Score: 21.30\nEpisode 20\tAverage Score: 22.00\nEpisode 30\tAverage Score: 29.10\n", 3),
    "German": ("Schritt 10/60 | Verlust 0.4123\nSchritt 20/60 | Verlust 0.3123\n", 2),
    "German passes": ("Durchgang 6 | Zielfunktion 4.92 | Rate 0,05\nDurchgang 12 | Zielfunktion 2.56 | Rate 0,05\n", 2),
    "French": ("itération 14 : coût = 2.12974\nitération 28 : coût = 0.51775\n", 2),
    "Spanish": ("Época 1/5 - pérdida: 0.69\nÉpoca 2/5 - pérdida: 0.61\n", 2),
    "Russian": ("Эпоха 1/5, потери: 0.693\nЭпоха 2/5, потери: 0.593\n", 2),
    "trials with what was tried": (
        "".join(f'trial   {i}  rmse {v} MPa  best {v}  {{"width": 16, "layers": 2, "lr": 0.006}}  1.1 s\n' for i, v in enumerate((2.07, 1.52, 1.41))),
        3,
    ),
    "Polish": ("epoka 1/50: strata 0.693\nepoka 2/50: strata 0.593\n", 2),
    "Dutch": ("stap 10 van 60 | verlies 0,4123\nstap 20 van 60 | verlies 0,3123\n", 2),
    "Swedish": ("epok 1 av 5, kostnad 0.69\nepok 2 av 5, kostnad 0.61\n", 2),
    "Turkish": ("dönem 1/5 kayıp 0.69\ndönem 2/5 kayıp 0.61\n", 2),
    "a word that begins like a table's": ("Epoca 1 de 40: perdida 0.35, MAPE 4.2 %\nEpoca 2 de 40: perdida 0.05, MAPE 3.1 %\n", 2),
    "a Spanish table behind a clock": (
        "09:02:13  vuelta  lote   ecm-entren.  ecm-prueba\n09:02:14    1/40    36       1.11234           -\n09:02:16    1/40    72       1.11430           -\n",
        2,
    ),
    "Chinese": ("第 8 步  损失 3.9480  学习率 0.05\n第 16 步  损失 1.7265  学习率 0.05\n", 2),
    "Japanese": ("エポック 1/5 損失: 0.69\nエポック 2/5 損失: 0.61\n", 2),
    "ranks that name themselves": ("[rank 3] ep 0 it    8 mse=7.51\n[rank 2] ep 0 it    8 mse=7.90\n", 2),
    "folds that name themselves": ("(fold 0 pid 991) epoch 1/12 val_rmse 3.20\n(fold 1 pid 993) epoch 1/12 val_rmse 3.30\n", 2),
    "writers in turn, each with its counter": ("".join(f"<{w}> t={i} |a|={2 - i / 10:.3f}\n" for i in range(4) for w in (0, 1)), 8),
    "squares": ("r1> k=15/150 sse=1.42 30.2s\nr0> k=15/150 sse=1.91 30.2s\nr0> k=30/150 sse=0.06 30.3s\nr1> k=30/150 sse=0.06 30.3s\n", 4),
    "fairseq's JSON": (
        '{"epoch_": "x", "num_updates": "10", "loss": "0.459", "wps": "910"}\n{"epoch_": "x", "num_updates": "20", "loss": "0.088", "wps": "920"}\n',
        2,
    ),
    "wide columns": ("     0  objective    14.788917  |grad|     7.9078\n     4  objective          nan  |grad|        nan\n", 2),
    "PyTorch's tutorial of names": ("0m 0s (10 16%) 3.4466\n0m 0s (20 33%) 3.2042\n", 2),
    "Stable-Baselines3": ("| time/              |              |\n|    iterations      | 10           |\n|    loss            | 0.45917      |\n", 2),
}


@pytest.mark.parametrize("name", sorted(LOOPS))
def test_lines_that_count_are_progress(name: str):
    text, rows = LOOPS[name]
    assert len(progress(text)) == rows


OTHERS = {
    "shards": "Loading shard 1/10 took 0.3s\nLoading shard 2/10 took 0.3s\nLoading shard 3/10 took 0.3s\n",
    "steps of a script, each another": "Step 1/4: fetch the data, 3.1 GB\nStep 2/4: unpack it, 3.3 GB\nStep 3/4: sort 3.3 M words\n",
    "a data frame's head": "   x     y\n0 0.1 0.2\n1 0.2 0.3\n2 0.3 0.4\n3 0.3 0.4\n4 0.3 0.4\n",
    "a matrix at once": "[[0.1 0.2 0.3]\n [0.2 0.3 0.4]\n [0.3 0.4 0.5]\n [0.4 0.5 0.6]]\n",
    "files": "Files 1 of 10: 0.3 MB\nFiles 2 of 10: 0.4 MB\nFiles 3 of 10: 0.5 MB\n",
    "workers": "worker 1: 0.31 ready\nworker 2: 0.32 ready\nworker 3: 0.35 ready\n",
    "workers in JSON lines": "".join(f'{{"event": "worker up", "worker": {i}, "it": {i}, "took": 0.3{i}}}\n' for i in range(1, 4)),
    "retries": "attempt 1/5 failed, waiting 0.5 s\nattempt 2/5 failed, waiting 1.5 s\nattempt 3/5 failed, waiting 2.5 s\n",
    "frames of a traceback": 'Traceback (most recent call last):\n  File "a.py", line 1, in a\n  File "a.py", line 2, in b\n  File "a.py", line 3, in c\nValueError: 3\n',
    "the list in an error": "Traceback (most recent call last):\nAssertionError: \nMismatch at indices:\n [0]: 1.0 (ACTUAL), 1.1\n [1]: 1.0 (ACTUAL), 1.1\n [2]: 1.0 (ACTUAL), 1.1\n",
    "a counter that does not grow": "step 4 of 5 says 0.1\nstep 4 of 5 says 0.2\nstep 4 of 5 says 0.3\n",
    "labels of srun": "0: free 31.2 now\n1: free 31.3 now\n2: free 31.1 now\n0: free 31.0 now\n1: free 30.3 now\n2: free 30.1 now\n",
    "addresses": "n1 10.0.0.1 up\nn2 10.0.0.2 up\nn3 10.0.0.3 up\n",
    "pings": "pinging host 1: 0.31 ms\npinging host 2: 0.33 ms\npinging host 3: 0.32 ms\n",
    "versions": "torch 2.4.1\nnumpy 1.26.4\npandas 2.0.3\n",
    "ranks that prepare": "[rank 0] loading part 1/8 0.3 s\n[rank 0] loading part 2/8 0.4 s\n[rank 0] loading part 3/8 0.4 s\n",
    "costs of a bill": "Kosten 12.30\nKosten 14.30\nKosten 15.30\n",
    "a chapter": "第三章 0.3\n第四章 0.4\n第五章 0.5\n",
    "layers": "layer 1: 0.02 M parameters\nlayer 2: 0.04 M parameters\nlayer 3: 0.04 M parameters\n",
}


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_what_counts_before_a_run_trains_is_no_progress(name: str):
    assert progress(OTHERS[name]) == []


def test_rows_of_bare_fractions_are_progress_where_they_came_one_by_one():
    text = "0.51 0.02 0.03\n0.41 0.02 0.03\n0.32 0.02 0.03\n0.28 0.02 0.03\n"
    assert len(progress(text, lambda offset: (10**18 + offset * 10**8, 1000))) == 4
    assert progress(text, lambda _offset: (10**18, 1000)) == []
    assert progress(text) == []


def test_a_loss_in_a_column_is_a_series():
    found = scan(io.BytesIO(b"epoch,lr,train_loss\n" + b"".join(b"%d,0.1,%d.5\n" % (i, 30 - i) for i in range(20))), "x.log", Where())
    loss = next(s for s in found.series if s.name == "loss")
    assert (loss.values[0], loss.values[-1], len(loss.values)) == (30.5, 11.5, 20)


def test_a_boosters_distance_is_marked_as_one_where_it_is_a_number():
    """It may stand still for long where nothing is left to learn, and that is no plateau: who judges the loss must know."""
    text = "".join(f"[{i}]\ttrain-rmse:{value}\n" for i, value in enumerate(["64.8", "59182.6", "inf", "nan", "nan", "nan"]))
    assert [e.data.get("distance", False) for e in progress(text)] == [True, True, False, False, False, False]
    assert all("loss" in e.data for e in progress(text))


def test_a_log_that_its_own_words_tell_of_is_left_to_them():
    found = progress("".join(f"step {i} loss {9 - i}.5\n" for i in range(8)))
    assert {e.pattern for e in found} == {"plain_loop.loss_line"}


def test_the_rows_at_the_end_of_a_long_log_count_on_and_are_quoted_where_they_stand():
    rows = [f"[{i}]\ttrain-rmse:{1 / (i + 1):.5f}\n" for i in range(40_000)]
    text = "".join(rows)
    assert len(text) > 3 * (HEAD_BYTES + TAIL_BYTES)
    found = scan(io.BytesIO(text.encode()), "x.log", Where())
    marks = [e for e in found.evidence if e.says == "progress"]
    for e in marks:
        assert text.encode()[e.source.offset : e.source.offset + e.source.length].decode() == e.source.text
        assert rows[e.source.line - 1].strip() == e.source.text.strip()
    assert advance_of(found.evidence, found.series).steps_done == 39_999


@given(
    st.lists(
        st.one_of(st.text(alphabet="0123456789 .,:|/[]epochstl=-\r\t", max_size=60), st.sampled_from(["epoch 3: mse 0.2", "1 0.5", "[3/9] x 0.5"])),
        max_size=40,
    )
)
def test_whatever_stands_in_a_log_is_quoted_where_it_stands(lines: list[str]):
    data = "\n".join(lines).encode()
    for e in scan(io.BytesIO(data), "x.log", Where()).evidence:
        assert data[e.source.offset : e.source.offset + e.source.length].decode("utf-8", "backslashreplace") == e.source.text
        assert data.count(b"\n", 0, e.source.offset) == e.source.line - 1


NAMED_LOSSES = {
    "an arrow": "[{i:03d}] loss -> {loss}   acc -> 0.3   (0.31s)",
    "a sentence": "Finished epoch {i} in 12.3s. Mean training loss was {loss}; validation accuracy now 31.0%",
    "the last hundred": "After {i}00 updates the average loss over the last 100 is {loss}",
    "a bound, turned round": "[{i:04d}] -ELBO: {loss}  KL: 3.1",
    "speech": "epoch {i:02d}  ctc {loss}  wer 31.20  cer 12.10",
    "a share of it": "  {i} nll/token {loss} bits/byte 0.46",
}


@pytest.mark.parametrize("name", NAMED_LOSSES)
def test_a_loss_is_read_whatever_stands_between_its_name_and_its_number(name: str):
    text = "".join(NAMED_LOSSES[name].format(i=i, loss=f"{2.3 - i / 100:.4f}") + "\n" for i in range(1, 6))
    assert [e.data["loss"] for e in progress(text) if "loss" in e.data] == [pytest.approx(2.3 - i / 100) for i in range(1, 6)]


def test_lines_of_one_kind_count_on_where_their_number_is_no_number_any_more():
    numbers = ["2.31", "2.25", "2.20", "2.11", "NaN", "Infinity", "nan"]
    json_lines = "".join(f'{{"s": {i}, "l": {n}, "lr": {0.1 / i:.4f}}}\n' for i, n in enumerate(numbers, 1))
    assert [e.data["step"] for e in progress(json_lines)] == [1, 2, 3, 4, 5, 6, 7]
    tuples = "".join(f"({i}, {n}, {0.1 / i:.4f})\n" for i, n in enumerate((n.replace("Infinity", "inf") for n in numbers), 1))
    assert [e.data["step"] for e in progress(tuples)] == [1, 2, 3, 4, 5, 6, 7]


def test_a_time_in_a_lines_head_makes_no_kind_of_its_own():
    text = "".join(f"[I 2026-11-22 10:00:{i:02d},001] Trial {i} finished with value: {3.1 - i / 10:.3f} and parameters: {{'lr': {0.1 / i:.4f}}}.\n" for i in range(1, 6))
    assert len(progress(text)) == 5


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("time,epoch,nll,nll_dev", "10:{e:02d}:00,{e},{v:.5f},{w:.5f}"),
        ("10:00:00 epoch,nll,nll_dev", "10:{e:02d}:00 {e},{v:.5f},{w:.5f}"),
        ("timestamp,epoch,nll,nll_dev", "2026-11-20 10:{e:02d}:00,{e},{v:.5f},{w:.5f}"),
    ],
)
def test_a_clock_before_the_cells_of_a_table(header: str, row: str):
    rows = [row.format(e=e, v=v, w=1.1 * v) for e in range(1, 16) if (v := 0.7 / e if e < 7 else math.nan)]
    run = Run().rank(0, "n1", "\n".join([header, *rows]) + "\n", code=0, end=20, times=[1.0 + e for e in range(16)], stream="out")
    assert run.accounting("COMPLETED", code=0, end=21.0).verdict().mode == "E1"


def test_each_trial_is_another_models():
    """What the last of them came to is no divergence of the best."""
    tried = (2.07, 1.52, 1.41, 1.62, 1.5, 1.44, 14.29)
    rows = [f'trial   {i}  rmse {v:.2f} MPa  best {min(tried[: i + 1]):.2f}  {{"width": 16, "layers": 2, "lr": 0.006}}  1.1 s' for i, v in enumerate(tried)]
    run = Run().rank(0, "n1", "\n".join([*rows, "done"]) + "\n", code=0, end=20, times=[1.0 + 2 * i for i in range(8)], stream="out")
    assert run.accounting("COMPLETED", code=0, end=21.0).verdict().mode == "G1"
