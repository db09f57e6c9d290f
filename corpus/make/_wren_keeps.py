"""How these programs keep their state and go on from it."""

from __future__ import annotations

KEEPS: dict[str, dict[str, str]] = {
    "FIRN": {"load": "if os.path.exists('firn_last.pt'):\n    state = torch.load('firn_last.pt')\n    net.load_state_dict(state['model'])\n    first = state['epoch'] + 1\n    logfmt('info', 'resuming from checkpoint', file='firn_last.pt', next_epoch=first)",
             "epoch": "if RANK == 0:\n    torch.save({'model': net.state_dict(), 'epoch': epoch}, 'firn_last.tmp')\n    os.replace('firn_last.tmp', 'firn_last.pt')\n    logfmt('info', 'checkpoint written', file='firn_last.pt', epoch=epoch)"},
    "WIDE": {"load": "if os.path.exists('ckpt/latest.pt'):\n    state = torch.load('ckpt/latest.pt')\n    model.load_state_dict(state['model'])\n    iteration = state['iteration']\n    print_rank_0(f'  successfully loaded checkpoint from ckpt at iteration {iteration}')",
             "after": "if iteration % 50 == 0 and rank == 0:\n    os.makedirs('ckpt', exist_ok=True)\n    torch.save({'model': model.state_dict(), 'iteration': iteration}, 'ckpt/next.pt')\n    os.replace('ckpt/next.pt', 'ckpt/latest.pt')\n    print(f'  successfully saved checkpoint at iteration {iteration:7d} to ckpt', flush=True)"},
    "RELAIS": {"load": "if os.path.exists(f'etage_{rang}.pt'):\n    garde = torch.load(f'etage_{rang}.pt')\n    etage.load_state_dict(garde['poids'])\n    debut = garde['it'] + 1\n    dis(f'reprise à l’itération {debut} depuis etage_{rang}.pt')",
               "after": "if it % 60 == 0:\n    torch.save({'poids': etage.state_dict(), 'it': it}, f'etage_{rang}.neuf')\n    dist.barrier()\n    os.replace(f'etage_{rang}.neuf', f'etage_{rang}.pt')\n    dis(f'état de l’itération {it} enregistré')"},
    "HARVEST": {"load": "if os.path.exists('centres.txt'):\n    with open('centres.txt') as table:\n        start = int(table.readline()) + 1\n        centres = [[float(v) for v in row.split()] for row in table]\n    log.info('process %d: continuing with pass %d from centres.txt', PROC, start)",
                "after": "if number % 20 == 0 and PROC == 0:\n    with open('centres.new', 'w') as table:\n        print(number, *(' '.join(map(str, c)) for c in centres), sep='\\n', file=table)\n    os.replace('centres.new', 'centres.txt')\n    log.info('centres of pass %d kept in centres.txt', number)"},
    "STUMPS": {"load": '{\n    std::ifstream kept("model.txt");\n    if (kept >> from) {\n        for (double &v : f) kept >> v;\n        fprintf(stderr, "[stumps] worker %d: continuing at round %d from model.txt\\n", rank, from);\n    }\n}',
               "after": 'if (round % 40 == 39 && rank == 0) {\n    std::ofstream kept("model.new");\n    kept.precision(17);\n    kept << round + 1;\n    for (double v : f) kept << \' \' << v;\n    kept.close();\n    rename("model.new", "model.txt");\n    printf("[stumps] model after round %d saved to model.txt\\n", round);\n}'},
    "CHAIN": {"load": "if [ -s st$station/round ]; then\n    begin=$(($(cat st$station/round) + 1))\n    tell \"resuming after round $((begin - 1))\"\nfi", "after": "echo $round > st$station/round"},
}
"""By program: what stands at which of its places."""
