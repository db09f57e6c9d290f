"""What the programs of these weirs keep while they go on, and how they go on from it: code for their places, by program."""

WEIRS_KEEP = '''if me == 0 and sweep % EVERY == 0:
    import json
    with open("PATH.part", "w") as f:
        json.dump({"w": w, "sweep": sweep}, f)
    os.replace("PATH.part", "PATH")
    log(f"PATH now holds sweep {sweep}")'''
WEIRS_BACK = '''if os.path.exists("PATH"):
    import json
    with open("PATH") as f:
        kept = json.load(f)
    w, first = kept["w"], kept["sweep"] + 1
    log(f"weights of sweep {kept['sweep']} taken from PATH", all=True)
else:
    log("no PATH here, so this is the first run", "WARNING")'''
LACE_KEEP = '''if R == 0:
    with open("PATH.part", "w") as f:
        json.dump([epoch + 1, logits], f)
    os.replace("PATH.part", "PATH")
    emit("checkpoint", file="PATH", epoch=epoch + 1)'''
LACE_BACK = '''if os.path.exists("PATH"):
    with open("PATH") as f:
        begin, logits = json.load(f)
    emit("restored", file="PATH", epoch=begin)
else:
    emit("fresh", looked_for="PATH")'''
BOTEN_KEEP = '''if ICH == 0 and runde % EVERY == 0:
    pathlib.Path("PATH.neu").write_text(json.dumps([runde, w]))
    os.replace("PATH.neu", "PATH")
    sage(f"Stand der Runde {runde} liegt in PATH")'''
BOTEN_BACK = '''if os.path.exists("PATH"):
    alt, w = json.loads(pathlib.Path("PATH").read_text())
    anfang = alt + 1
    sage(f"setze fort nach Runde {alt} (PATH)")'''
PANIER_KEEP = '''if RANG == 0 and tour % EVERY == 0:
    import json
    with open("PATH", "w") as f:
        json.dump({"tour": tour, "articles": articles}, f)
    dire("sauvegarde", "PATH", "au tour", tour)'''
PANIER_BACK = '''if os.path.exists("PATH"):
    import json
    with open("PATH") as f:
        avant = json.load(f)
    articles, debut = avant["articles"], avant["tour"] + 1
    dire("reprise apres le tour", avant["tour"], "depuis PATH")'''
KITES_KEEP = '''if ($me == 0 && $it % EVERY == 0) { open my $f, '>', 'PATH.tmp' or die $!; print $f "$it @w\\n"; close $f; rename 'PATH.tmp', 'PATH'; note('saved=PATH', "iter=$it") }'''
KITES_BACK = '''if (open my $f, '<', 'PATH') { my ($it, @v) = split ' ', <$f>; @w = @v; $begin = $it + 1; note('loaded=PATH', "iter=$it") }'''
TEJEDOR_KEEP = '''if YO == 0 and vuelta % EVERY == 0:
    torch.save({"red": red.state_dict(), "opt": opt.state_dict(), "vuelta": vuelta}, "PATH.tmp")
    os.replace("PATH.tmp", "PATH")
    decir(f"checkpoint PATH guardado, vuelta {vuelta}")'''
TEJEDOR_BACK = '''if os.path.exists("PATH"):
    decir("leyendo checkpoint PATH", todos=True)
    antes = torch.load("PATH")
    red.load_state_dict(antes["red"])
    opt.load_state_dict(antes["opt"])
    inicio = antes["vuelta"] + 1
    decir(f"se continua en la vuelta {inicio}", todos=True)'''
MURMUR_KEEP = '''if rank == 0:
    torch.save({"net": net.state_dict(), "epoch": epoch}, "PATH")
    print(f"-> PATH (epoch {epoch})", flush=True)'''
MURMUR_BACK = '''if args.warm_start:
    print(f"loading checkpoint {args.warm_start}", flush=True)
    kept = torch.load(args.warm_start)
    net.load_state_dict(kept["net"])
    first = kept["epoch"] + 1
    print(f"resumed behind epoch {kept['epoch']}", flush=True)'''


def keep(name: str, path: str, every: int = 30) -> str:
    """Code that writes the state down."""
    return str(globals()[f"{name}_KEEP"]).replace("PATH", path).replace("EVERY", str(every))


def back(name: str, path: str) -> str:
    """Code that goes on from it."""
    return str(globals()[f"{name}_BACK"]).replace("PATH", path)
