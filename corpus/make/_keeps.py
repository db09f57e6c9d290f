"""How the programs of the gangs keep and take up again what they have."""

from __future__ import annotations

from corpus.make._windlass import when

KEEP = {
    "UNET": {"epoch": "if RANK == 0:\n    os.makedirs(cfg.out, exist_ok=True)\n    torch.save({'epoch': epoch + 1, 'net': net.state_dict(), 'opt': opt.state_dict()}, cfg.out + '/last.tmp')\n    os.replace(cfg.out + '/last.tmp', cfg.out + '/last.pth')\n    logger.info('checkpoint %s/last.pth written (epoch %d)', cfg.out, epoch + 1)"},
    "LM": {"after": when("LM", "if step % 40 == 0:\n    os.makedirs(conf['dir'], exist_ok=True)\n    torch.save({'step': step, 'model': model.state_dict(), 'opt': opt.state_dict()}, conf['dir'] + '/new.pt')\n    os.replace(conf['dir'] + '/new.pt', conf['dir'] + '/last.pt')\n    log(event='saved', path=conf['dir'] + '/last.pt', step=step)", rank=0)},
    "RANKER": {"epoch": "if ME == 0:\n    torch.save({'net': tower.state_dict(), 'epoch': epoch, 'step': step}, 'tower.tmp')\n    os.replace('tower.tmp', 'tower.pt')\n    emit(event='saved', path='tower.pt', epoch=epoch)"},
    "DENOISE": {"after": "if rango == 0 and paso % 40 == 0:\n    torch.save({'paso': paso, 'red': red.state_dict()}, 'punto.parcial')\n    os.replace('punto.parcial', 'punto.pt')\n    print(f'--- punto de control punto.pt guardado en el paso {paso}', flush=True)"},
    "MOLEC": {"after": "if r == 0 and update % 40 == 0:\n    torch.save({'update': update, 'net': net.state_dict()}, 'pot.part')\n    os.replace('pot.part', 'pot.pt')\n    print(f'# pot.pt holds update {update}', flush=True)"},
}
TAKE = {
    "UNET": {"load": "if cfg.resume and os.path.exists(cfg.resume):\n    state = torch.load(cfg.resume, weights_only=True)\n    net.load_state_dict(state['net'])\n    opt.load_state_dict(state['opt'])\n    begin = state['epoch']\n    logger.info('resumed from %s, epoch %d', cfg.resume, begin)"},
    "LM": {"load": "if conf['resume'] and os.path.exists(conf['resume']):\n    state = torch.load(conf['resume'], weights_only=True)\n    model.load_state_dict(state['model'])\n    opt.load_state_dict(state['opt'])\n    first = state['step'] + 1\n    if rank == 0:\n        log(event='resumed', path=conf['resume'], step=state['step'])"},
    "RANKER": {"load": "if os.path.exists('tower.pt'):\n    kept = torch.load('tower.pt')\n    tower.load_state_dict(kept['net'])\n    start_epoch, step = kept['epoch'] + 1, kept['step']\n    emit(event='resumed', path='tower.pt', epoch=kept['epoch'])"},
    "DENOISE": {"load": "if os.path.exists('punto.pt'):\n    guardado = torch.load('punto.pt')\n    red.load_state_dict(guardado['red'])\n    desde = guardado['paso'] + 1\n    print(f'proceso {rango}: sigo desde el paso {desde - 1} (punto.pt)', flush=True)"},
    "MOLEC": {"load": "if os.path.exists('pot.pt'):\n    old = torch.load('pot.pt')\n    net.load_state_dict(old['net'])\n    at = old['update'] + 1\n    print(f'# worker {r}: back from pot.pt, update {at - 1}', flush=True)"},
}


def both(name: str, **more: str) -> dict[str, str]:
    """Keeps and takes up."""
    return {**KEEP[name], **TAKE[name], **more}
