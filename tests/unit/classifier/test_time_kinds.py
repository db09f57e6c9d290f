"""What a time is of, by the words around it."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.time_kinds import behind_its_back, kind_of, waits


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("load", ["data_time", "dataLoading", "Laden", "lecture des fichiers", "carga de datos", "leitura dos dados", "waiting for the loader", "get_train_batch"]),
        ("save", ["ckpt_s", "writing checkpoints", "sauvegarde", "Zwischenstand geschrieben", "guardado", "gravação dos pesos salvos", "waiting for the checkpoint"]),
        ("talk", ["bwd_allreduce", "gradient exchange", "comm", "all-grads-sync", "Austausch"]),
        ("peers", ["waiting for others", "barrier_wait of ranks", "Warten auf andere", "espera a los demás otros"]),
        ("wait", ["idle", "wait_ms", "Leerlauf"]),
        ("work", ["forward", "compute_ms", "Rechnen", "entrenamiento", "rete", "fit"]),
        ("rest", ["evaluation", "compile", "loading the model's weights", "restored checkpoint read"]),
        ("whole", ["total", "elapsed", "Dauer", "step", "época"]),
        ("", ["mIoU", "loss", "async checkpoint"]),
    ],
)
def test_words_tell_the_kind(kind: str, names: list[str]) -> None:
    """In several tongues, joined or apart."""
    assert {name: kind_of(name) for name in names} == dict.fromkeys(names, kind)


def test_a_wait_is_told_by_its_word() -> None:
    """And what is done beside the work by another."""
    assert waits("attente des données")
    assert not waits("lecture des données")
    assert behind_its_back("saved by the background writer")
