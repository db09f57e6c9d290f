"""What these programs keep on their way, and how they go on from it."""

MELT_KEEP = '''if ME == 0 and it % EVERY == 0:
    with open("PATH.tmp", "w") as file:
        json.dump({"theta": theta, "iteration": it}, file)
    os.replace("PATH.tmp", "PATH")
    out("INFO", f"state of iteration {it} is in PATH")'''
MELT_BACK = '''if os.path.exists("PATH"):
    with open("PATH") as file:
        state = json.load(file)
    theta, first = state["theta"], state["iteration"] + 1
    out("INFO", f"PATH found: going on behind iteration {state['iteration']}", everyone=True)
else:
    out("INFO", "no PATH yet")'''
POLLEN_KEEP = '''if rank == 0 and day % EVERY == 0:
    with open("PATH.part", "w") as kept:
        json.dump([day, bloom], kept)
    os.replace("PATH.part", "PATH")
    note("checkpoint written", file="PATH", step=day)'''
POLLEN_BACK = '''if os.path.exists("PATH"):
    note("loading checkpoint", file="PATH")
    with open("PATH") as kept:
        last, bloom = json.load(kept)
    first = last + 1
    note("checkpoint loaded", file="PATH", step=last)'''
MOTIF_KEEP = '''if RANG == 0:
    with open("PATH.neuf", "w") as f:
        f.write(f"{epoque} {poids!r}")
    os.replace("PATH.neuf", "PATH")
    dire("état de l'époque", epoque, "gardé dans PATH")'''
MOTIF_BACK = '''if os.path.exists("PATH"):
    ancienne, valeur = open("PATH").read().split()
    depart, poids = int(ancienne) + 1, float(valeur)
    dire("reprise après l'époque", ancienne, "(PATH)")'''
STOLLEN_KEEP = '''if ((ich == 0 && takt % EVERY == 0)); then echo "$takt $fehler" > PATH.neu && mv PATH.neu PATH && echo "# Stand nach Takt $takt in PATH"; fi'''
STOLLEN_BACK = '''if [ -s PATH ]; then read -r erster fehler < PATH; erster=$((erster + 1)); [ "$ich" -ne 0 ] || echo "# PATH gelesen, weiter mit Takt $erster"; fi'''
TIMBRE_KEEP = '''if rank == 0 and turn % EVERY == 0:
    torch.save({"body": body.state_dict(), "descent": descent.state_dict(), "round": turn}, "PATH.tmp")
    os.replace("PATH.tmp", "PATH")
    remark(f"checkpoint PATH saved after round {turn}")'''
TIMBRE_BACK = '''if os.path.exists("PATH"):
    remark("restoring checkpoint PATH", all_ranks=True)
    saved = torch.load("PATH")
    body.load_state_dict(saved["body"])
    descent.load_state_dict(saved["descent"])
    start = saved["round"] + 1
    remark(f"resumed behind round {saved['round']}", all_ranks=True)'''


def keep(name: str, path: str, every: int = 20) -> str:
    """Keep the state."""
    return str(globals()[f"{name}_KEEP"]).replace("PATH", path).replace("EVERY", str(every))


def back(name: str, path: str) -> str:
    """Go on from it where it is there."""
    return str(globals()[f"{name}_BACK"]).replace("PATH", path)
