"""States that the programs of the mill race keep and take up again, each in its own words."""

from __future__ import annotations

from corpus.make._millrace import at

OPT = {"LEAFNET": "sgd", "CHARLM": "adam", "WINDCAST": "adam", "DENOISE": "adam", "KLANG": "adam", "GRAPHE": "adam", "TOWERS": "adagrad", "TICKETS": "opt", "CRYSTAL": "opt", "CELLS": "opt"}
FROM = {"LEAFNET": "first", "KLANG": "anfang", "GRAPHE": "debut", "TICKETS": "begin"}
SAVED = {
    "LEAFNET": "log.info('state of it %d is kept in %s', step, path)", "CHARLM": "say(f'snapshot of upd {step} -> {path}')", "WINDCAST": "note(f'update {step}: saved {path}')",
    "DENOISE": "emit('saved', it=step, path=path)", "KLANG": "melde(f'Zwischenstand nach Schritt {step} liegt in {path}')", "GRAPHE": "dire(f'pas {step} : point de reprise ecrit ({path})')",
    "TOWERS": "log('INFO', 72, f'checkpoint of batch {step} saved to {path}')", "TICKETS": "print(f'kept {path} (batch {step})', flush=True)", "CRYSTAL": "log.info('checkpoint %s at step %d', path, step)",
    "CELLS": "print(f'-> {path} (it {step})', flush=True)",
}  # fmt: skip
TAKEN = {
    "LEAFNET": "log.info('taking up %s: %d iterations are behind us', path, state['step'])", "CHARLM": "say(f'resumed from {path} at upd {state[\"step\"]}')", "WINDCAST": "note(f'going on from {path}, update {state[\"step\"]}')",
    "DENOISE": "emit('resumed', path=path, it=state['step'])", "KLANG": "melde(f'Zwischenstand {path} geladen, weiter nach Schritt {state[\"step\"]}')", "GRAPHE": "dire(f'reprise depuis {path}, pas {state[\"step\"]}')",
    "TOWERS": "log('INFO', 48, f'restored {path}, batch {state[\"step\"]}')", "TICKETS": "print(f'continued from {path}, batch {state[\"step\"]}', flush=True)", "CRYSTAL": "log.info('restored %s, step %d', path, state['step'])",
    "CELLS": "print(f'<- {path} (it {state[\"step\"]})', flush=True)",
}  # fmt: skip


def keep(name: str, path: str, each: int) -> str:
    """Kept at each so many steps, whole or not at all."""
    opt = OPT[name]
    code = f"path = '{path}'\ntorch.save({{'net': net.state_dict(), 'opt': {opt}.state_dict(), 'step': step}}, path + '.part')\nos.replace(path + '.part', path)\n{SAVED[name]}"
    return at(0, None, code, each=each)


def take(name: str, path: str, *, must: bool = False, per_epoch: int = 40) -> str:
    """Taken up where it is there; where it ``must`` be, without asking."""
    begin = FROM.get(name, "begin")
    where = f"state['step'] // {per_epoch}" if name in ("LEAFNET", "KLANG", "TICKETS") else "state['step'] + 1"
    code = f"state = torch.load(path)\nnet.load_state_dict(state['net'])\n{OPT[name]}.load_state_dict(state['opt'])\n{begin} = {where}\n{TAKEN[name]}"
    return f"path = {path if path.startswith('os.') else repr(path)}\n" + (code if must else "if os.path.exists(path):\n" + "\n".join(f"    {line}" for line in code.splitlines()))
