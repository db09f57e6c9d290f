"""What the numbers of runs did, under names that no rule knows; and the same names of runs that went well."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run

FORMS = {
    "loguru": lambda i, v: f"2026-11-23 14:47:30.343 | INFO     | __main__:main:80 - epoch {i:02d}: reconstruction {v:.5f}",
    "table": lambda i, v: f"   {i:2d} |  {v:.5f} |  0.99",
    "Spanish": lambda i, v: f"[14:52:02] Vuelta  {i} de 24: desajuste {v:.5f}",
    "French": lambda i, v: f"23/11 14:59:21 I Cycle  {i:2d}/24 : MAE apprentissage {v * 1000:.1f} meV",
    "key and value": lambda i, v: f"[   {i}.17s] step={20 * i} of 480 fit_err={v:.5f} |g|=0.302",
    "a record": lambda i, v: f'2026-11-23T14:56:41Z GROWN {{"trees": {10 * i}, "of": 240, "train": {v:.5f}}}',
}
SHAPES = {
    "falls": (lambda i: 2.0 * 0.9**i + 0.1, "G1"),
    "comes to rest": (lambda i: 0.4 + 0.5 * 0.4**i, "G1"),
    "wobbles down": (lambda i: 2.0 * 0.93**i + 0.05 * math.sin(9 * i), "G1"),
    "rises as a score does": (lambda i: 0.9 - 0.7 * 0.8**i, "G1"),
    "never moves": (lambda i: 1.0115 - 0.00001 * i, "E1"),
    "is noise": (lambda i: 1.5 + 0.02 * math.sin(7.3 * i * i), "E1"),
    "flies off": (lambda i: 0.02 * 0.9**i if i < 15 else 40.0 + i, "E1"),
    "grows all the way": (lambda i: 15.0 * 2.4**i, "E1"),
    "is lost for good": (lambda i: 0.015 * 0.8**i + 0.002 if i < 14 else 0.0192, "E1"),
    "becomes nan": (lambda i: 0.5 / i if i < 12 else math.nan, "E1"),
    "is nan": (lambda i: math.nan, "E1"),
}


def _mode(lines: list[str], *before: str) -> str:
    text = "\n".join([*before, *lines, "done"]) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_shape_in_a_form(form, shape):
    value, mode = shape
    assert _mode([form(i, value(i)) for i in range(1, 25)]) == mode


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("fine-tuning the pretrained net", "round {i}: fit_err {v:.4f}"),
        ("resuming from a.pt at round 90", "round {i}: fit_err {v:.4f}"),
        ("scoring", "scored {i}00/2400 rows, {v:.4f} positive"),
        ("benchmark of the interconnect", "round {i}: fit_err {v:.4f}"),
        ("an agent", "episode {i}: return {v:.4f}"),
    ],
)
def test_numbers_that_may_lie_where_they_lay(before: str, line: str):
    assert _mode([line.format(i=i, v=1.0115 - 0.0001 * (i % 3)) for i in range(1, 25)], before) == "G1"


@pytest.mark.parametrize(("names", "mode"), [(("D", "G"), "G1"), (("lossD", "lossG"), "G1"), (("disc_loss", "gen_loss"), "G1"), (("fit", "held"), "E1")])
def test_two_that_play_against_each_other_may_both_lie_at_chance(names: tuple[str, str], mode: str):
    """A discriminator at 2 ln 2 and a generator at ln 2: neither wins, which is what is hoped for."""
    lines = [f"[{i}/30] {names[0]}: {1.386 + 0.004 * (i % 3):.3f} {names[1]}: {0.693 + 0.002 * (i % 4):.3f}" for i in range(1, 31)]
    assert _mode(lines) == mode


def test_a_held_out_number_that_is_none_is_no_loss_that_is_gone():
    lines = ["epoch,batch,nll"] + [x for i in range(1, 13) for x in (f"{i},0,{0.6 / i:.4f}", f"# epoch {i}: held-out nll nan (0 songs held out)")]
    assert _mode(lines) == "G1"


@pytest.mark.parametrize(
    "line",
    ["round:{i} rec:{fall:.2f} kl:{grow:.3f}", "round {i} kl {grow:.3f}", "round {i}: {grow:.1f} % right", "round {i} top1 {grow:.2f}", "round {i} population {grow:.1f}", "round {i} seen {grow:.1f}"],
)
def test_what_may_grow_a_hundredfold(line: str):
    assert _mode([line.format(i=i, fall=100 * 0.9**i, grow=0.02 * 1.45**i) for i in range(1, 23)]) == "G1"


ONES = [1.0047, 1.0034, 1.0025, 1.0019, 1.0017, 1.0014, 1.0016, 1.0013, 1.0010, 1.0012, 1.0011, 1.0010]
GUESSED = [1.3951, 1.3956, 1.3896, 1.3902, 1.3945, 1.3825, 1.3838, 1.3822, 1.3865, 1.3841, 1.3871, 1.3819, 1.3903, 1.3846]


def test_a_squared_error_of_one_under_any_counter():
    assert _mode([f"fit: {i:2d}/12\tmse {v:.5f}\tcheck {v * 0.97:.5f}\t0.4{i % 10}s" for i, v in enumerate(ONES, 1)]) == "E1"
    assert _mode([f"fit: {i:2d}/12\tmse {v / i:.5f}\tcheck {v * 0.97 / i:.5f}\t0.4{i % 10}s" for i, v in enumerate(ONES, 1)]) == "G1"


def test_a_guess_among_four_beside_a_score_that_is_one():
    line = "[E{i:02d}/14] train {v:.4f} (acc {a:.1f})  held-out {w:.4f} (acc {b:.1f})  lr 3.0e-04"
    shares = [27.2, 24.7, 24.9, 25.4, 26.6, 28.4, 28.6, 30.2, 25.1, 26.2, 27.7, 30.4, 25.3, 28.1]
    assert _mode([line.format(i=i, v=v, w=v + 0.005, a=a, b=a - 1) for i, (v, a) in enumerate(zip(GUESSED, shares, strict=True), 1)]) == "E1"
    assert _mode([line.format(i=i, v=v, w=v + 0.005, a=a + 5 * i, b=a + 4 * i) for i, (v, a) in enumerate(zip(GUESSED, shares, strict=True), 1)]) == "G1"


def test_two_errors_that_are_one_number_from_first_to_last():
    """Trees that weigh nothing."""
    line = "[2026-11-23 23:12:50,686] {{bread.py:56}} INFO - round {i}/150 train_rmse={v:.4f} late_rmse={w:.4f}"
    assert _mode([line.format(i=15 * i, v=9.5842, w=9.5251) for i in range(1, 11)]) == "E1"
    assert _mode([line.format(i=15 * i, v=9.5842 * 0.9**i, w=9.5251 * 0.9**i) for i in range(1, 11)]) == "G1"


def test_what_shot_up_and_stayed_above_what_had_been_learned():
    values = [1.2981, 0.7809, 0.1983, 0.1472, 0.1819, 0.1837, 0.1084, 0.1855, 0.1421, 7.3315, 3.0683, 4.4029, 3.9287, 5.8482, 2.5268]
    line = "INFO:bandgap:step={i} misfit_eV={v:.4f} off_eV={w:.4f}"
    assert _mode([line.format(i=20 * i, v=v, w=v * 0.9) for i, v in enumerate(values, 1)]) == "E1"
    back = [*values[:11], 0.9, 0.31, 0.16, 0.12]
    assert _mode([line.format(i=20 * i, v=v, w=v * 0.9) for i, v in enumerate(back, 1)]) == "G1"


def test_a_rate_that_became_nought_in_the_midst():
    line = "upd {i:5d} / 420 | 0.0{i} M letters | bpc {v:.3f} | lr {rate}"
    bpc = [2.448, 1.614, 1.286, *(1.08 + 0.06 * math.sin(7 * i) for i in range(18))]
    assert _mode([line.format(i=20 * i, v=v, rate="3.0e-03" if i < 4 else "0.0e+00") for i, v in enumerate(bpc, 1)]) == "E1"
    assert _mode([line.format(i=20 * i, v=v, rate="3.0e-03" if i < 20 else "0.0e+00") for i, v in enumerate(bpc, 1)]) == "G1"


@pytest.mark.parametrize(("norm", "mode"), [("0.000", "E1"), ("1.203", "G1"), ("0.00", "G1")])
def test_a_gradient_of_nought_by_any_name(norm: str, mode: str):
    """Told to three digits; a loss that wobbles about one height is no proof by itself."""
    lines = [f"step={20 * i} of 400 distill={5.6 + 0.35 * math.sin(7.3 * i * i):.4f} |g|={norm} lr=0.05 agree=0.{300 + i}" for i in range(1, 21)]
    assert _mode(lines) == mode


def test_two_that_stand_to_the_last_digit_in_any_tongue():
    lines = [f"epoka {i}/32: błąd uczenia 0.8438, dokładność na próbie 0.1346, cech 121, 0.02 s" for i in range(1, 33)]
    assert _mode(lines) == "E1"


def test_an_energy_has_a_height_by_chance():
    """What it came down by is a small share of that, and all that there was."""
    assert _mode([f"Step {100 * i:06d}: {-76.2 - 0.2 * (1 - math.exp(-i / 9)):.4f} E_h, pmove={0.55 + 0.01 * math.sin(i):.2f}" for i in range(1, 61)]) == "G1"


def test_a_loss_named_by_a_score_is_to_fall():
    lines = [f"it {100 * i}/6000 ssim-loss {0.15 + 0.36 * 0.9**i:.4f}" for i in range(1, 61)]
    assert _mode(lines) == "G1"


def test_weights_that_no_gradient_reached_gave_the_same_number_each_time():
    """Whosever weights they were."""
    lines = [f"epoch {i}/30 eval_loss 2.772589 grad_norm 0.000000 eval_accuracy 0.0453 lr 2.0e-04" for i in range(1, 31)]
    assert _mode(lines, "trainable params: 192 || all params: 720 || rank 4, alpha 8") == "E1"


def test_stages_that_each_measure_something_of_their_own_are_no_spike():
    """A squared error at first, then a cross-entropy: the second is judged by how it came down; one that flew off by its own name is one."""
    first = [f"A{i:03d} mse={0.4 + 0.5 * 0.9**i:.3f}" for i in range(20)]
    second = [f"B{i:03d} ce={2.0 + 2.0 * 0.85**i:.3f} acc={20 + 2 * i}.4" for i in range(20)]
    assert _mode([*first, "stage B: linear probe", *second]) == "G1"
    assert _mode([*first, *(f"A{i:03d} mse={0.4 + 3.0**(i - 19):.3f}" for i in range(20, 30))]) == "E1"


def test_losses_of_layers_that_are_quantised_rise_with_their_depth():
    lines = [x for i in range(1, 25) for x in (f"INFO - Quantizing mlp.down_proj in layer {i}/24...", f"INFO - duration: 1.4, avg loss: {0.02 * i * i:.6f}")]
    assert _mode(lines) == "G1"


def test_a_simulation_keeps_what_it_keeps():
    lines = [f"   {2000 * i}   {300 + math.sin(7 * i):.5f}   {-421130 + 20 * math.sin(3 * i):.3f}   {-409921.4 + 0.05 * math.sin(5 * i):.3f}" for i in range(50)]
    assert _mode(lines, "LAMMPS (2 Aug 2023)", "Setting up Verlet run ...", "   Step   Temp   E_pair   TotEng", "trained potential: si.mtp") == "G1"


def test_what_was_to_rise_is_no_divergence():
    """Unlearning says so; an error grows with the hours ahead by steps alike."""
    forgets = [f"unlearn step {10 * i}: forget-set NLL {2.1 + 0.8 * i:.2f} (target >= 10) retain NLL {1.31 + 0.01 * (i % 3):.2f}" for i in range(1, 16)]
    assert _mode(forgets) == "G1"
    ahead = [f"  +{6 * i:03d}h  z500 rmse {7.7 + 13.2 * i + 0.1 * i * i:7.1f}  t2m bias {0.03 * (-1) ** i:+.2f}" for i in range(1, 41)]
    assert _mode(ahead) == "G1"


def test_what_is_left_over_where_a_solver_converged_has_no_height():
    lines = [x for i in range(12) for x in (f"solve {i}: source spin {i % 4}", f"  CG: Convergence at {880 + i} iterations, L2 relative residual: iterated = 9.7e-09")]
    assert _mode(lines) == "G1"


def test_a_trial_that_failed_by_its_loss_and_rewards_of_preferences_are_no_loss_of_the_runs():
    """Optuna goes on; what DPO calls the reward of the chosen ones may sink while its margin grows."""
    trials = [f"[I 10:00:{i:02d}] Trial {i} finished with value: 0.6{i:02d} and parameters: {{'lr': 0.00{i + 1}}}. Best is trial 0." for i in range(12)]
    failed = "[W 10:00:40] Trial 12 failed with parameters: {'lr': 0.07} because of the following error: FloatingPointError('loss is nan')."
    assert _mode([*trials, failed, failed.replace("12", "13"), "worker 0: 14 trials done, best value 0.600"]) == "G1"
    dpo = [
        f"{{'loss': '{0.3 + 0.35 * 0.9**i:.4f}', 'rewards/chosen': '{0.19 - 0.011 * i:.3f}', 'rewards/rejected': '{-0.05 - 0.05 * i:.3f}', "
        f"'rewards/margins': '{0.24 + 0.04 * i:.3f}', 'step': '{10 * i}/400'}}"
        for i in range(1, 41)
    ]
    assert _mode(dpo) == "G1"
