"""The words of German, French, Spanish, Portuguese and Italian for a run that trained nothing: no steps, no data, nothing left to do."""

from __future__ import annotations

import re

_NONE = (
    r"(?:(?<![\d.,:/-])0(?![\d.,:%/]\d|[%xX])"
    r"|\b(?:keine[nrs]?|kein|aucune?s?|pas (?:de|d'|un)|z[ée]ro|ning[úu]n[oa]?s?|cero|nenhum[ao]?s?|nessun[oa]?))"
)
_MANNER = r"(?: (?:einzige[nrs]?|weitere[nrs]?|brauchbare[nrs]?|seul\w{0,2}|nouve\w{1,4}|solo|sola|nuev[oa]s?|nov[oa]s?|singol[oa]))?"
_OF = (
    r"(?:(?:Trainings?|Lern)?-?(?:schritte?|stapel|beispiele?|daten(?:s[äa]tze)?|bilder|durchl[äa]ufe?|durchg[äa]nge|epochen?|runden?|S[äa]tze)"
    r"|[ée]tapes?|exemples?|lots?|donn[ée]es?|it[ée]rations?|[ée]poques?|[ée]chantillons?"
    r"|pasos?|ejemplos?|lotes?|muestras?|im[áa]genes|datos|[ée]pocas?|vueltas?|iteraci(?:[óo]n|ones)"
    r"|passos?|exemplos?|amostras?|imagens|dados|passi|esempi[o]?|campion[ei])"
)
_THEN = (
    r"(?=\s{0,4}(?:[.,;:!)]|$)|,? (?:nach|zum|zu|im|in|f[üu]r|gefunden|vorhanden|[üu]brig|ausgef[üu]hrt|gemacht|geladen|apr[èe]s|pour|dans"
    r"|trouv\w{1,4}|restant\w{0,2}|effectu\w{1,3}|charg\w{1,3}|despu[ée]s|tras|para|en|encontrad\w{1,2}|realizad\w{1,2}|cargad\w{1,2}|queda\w{0,2}|depois|ap[óo]s"
    r"|no|na|restam|dopo|per|nel\w{0,2}|trovat\w)\b)"
)
"""What follows it: not that they were left out, or in order."""
_NO_STEPS = re.compile(rf"{_NONE}{_MANNER} {_OF}\b{_THEN}", re.IGNORECASE)
_NOTHING = re.compile(
    r"\bnichts (?:mehr )?zu (?:tun|lernen|trainieren|machen)\b|\b(?:Training|Lernen) (?:wird |wurde )?[üu]bersprungen\b"
    r"|\brien (?:[àa]|de plus [àa]) (?:faire|apprendre|entra[îi]ner)\b|\bentra[îi]nement (?:ignor[ée]|saut[ée])"
    r"|\bnada (?:m[áa]i?s )?(?:que|para|por|a) (?:hacer|entrenar|aprender|fazer|treinar)\b|\bniente da (?:fare|imparare|addestrare)\b",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"\b(?:pr[üu]f\w*|validier\w*|kontroll\w*|test\w*|valid\w*|prueba|prova|fehler\w*|warnung\w*|erreurs?|avert\w*|errore?s?|avisos?|erros?)\b",
    re.IGNORECASE,
)


def untrained_abroad(text: str) -> bool:
    """Whether the line says so, and not of a validation, a test or its errors."""
    return _JUDGED.search(text) is None and (_NO_STEPS.search(text) is not None or _NOTHING.search(text) is not None)
