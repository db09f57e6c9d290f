"""How loops of many languages speak of a state that was saved, of going on from it, and of its not being there or being of no use.

Stems of words, as ``tongues`` has those for what a loop counts: pieces of regular expressions, to be used without regard to case. English, German,
French, Spanish, Italian, Portuguese, Dutch, Polish, Czech, Swedish, Danish, Norwegian, Finnish, Hungarian, Romanian, Turkish, Russian, Chinese,
Japanese and Korean.
"""

GOES_ON = (
    r"resum(?:e|ed|es|ing|ption)(?![a-z])|restor(?:e|ed|es|ing)(?![a-z])|contin(?:ue|ued|ues|uing|uation)(?![a-z])|reload(?:ed|ing)?\b"
    r"|\brestart[- _]?(?:file|from|dump|state)"
    r"|\bpick(?:ing|ed)? up\b|\b(?:carry|carrying|go|goes|going)[- _]on\b"
    r"|fortsetz|fortgesetzt|weiter(?:mach|f[üu]hr|train|lern)|wiederauf|wiederherstell|\brepri[sn]|\breprend|\brestaur|\breanud|\bretom"
    r"|\bcontinuar|\bprosegu"
    r"|\bseguir con|\bripre[sn]|\bripriend|\briprend|\bripristin|\bhervat|\bvoortzet|\bverder(?:gaan)?\b|\bwzn[oa]w|\bkontynu|\bprzywr"
    r"|pokračov|\bobnov"
    r"|[åa]teruppta|forts[äæe]tt?|gjenoppta|genoptag|\bjatka|\bfolytat|\brelua|\bdevam|продолж|возобнов|восстанов|恢复|继续|续训|再開|復元"
    r"|途中から|재개|이어서|복원"
)
STATES = (
    r"check-?points?\b|\bckpts?\b|\bsnap-?shots?\b|\b(?:saved|train\w*|run|model|previous|earlier) (?:state|run|model|weights)\b"
    r"|\bstate(?![\w ]{0,24}machine)\b"
    r"|\b(?:zwischen|speicher)st[aä]nd\w*|\bstand\b|kontrollpunkt|\bpoint de (?:reprise|contr[ôo]le|sauvegarde)|\bsauvegarde|\b[ée]tat\b"
    r"|\bpunto de (?:control|guardado)"
    r"|\bestado\b|\bponto de (?:controle|salvamento)|\bpunto di (?:controllo|ripristino|salvataggio)|\bstato\b|tussenstand|controlepunt"
    r"|punkt\w{0,6} kontroln"
    r"|\bstan(?:u|em)?\b|kontroln\w{0,6} bod|kontrol noktas|\bkay[ıi]t|контрольн\w{0,6} точк|чекпо|состояни|检查点|存档|断点|チェックポイント"
    r"|스냅샷|체크포인트|状態|상태"
)
ABSENT = (
    r"\b(?:no|not|none|neither|nothing|missing|absent|gone|empty|nowhere|null|isn't|doesn't|can't|cannot|couldn't|could not|unable"
    r"|failed)\b|\breturned none\b|['\"]?\s?[=:]\s?['\"]?(?:false|none|null)\b"
    r"|\b(?:kein\w{0,2}|nicht|nichts|fehlt|leer)\b|\b(?:aucune?|introuvables?|absente?|manque|manquante?|inexistante?|n'existe|vide)\b"
    r"|\b(?:no (?:existe|hay|se|est[áa])|ning[uú]n\w*"
    r"|falta|vac[ií][oa])\b|\b(?:manca\w*|assente|nessun\w*|non|vuot[oa])\b|\b(?:n[ãa]o|nenhum\w*|ausente|vazi[oa])\b|\b(?:geen|niet"
    r"|ontbreekt|leeg)\b|\bbrak\b|\bnie\b|\bpust[ya]\b"
    r"|chyb[íi]|nen[íi]\b|nenalezen|\bsaknas\b|\binte\b|\bingen\b|\binget\b|\bmangler\b|\bikke\b|\bpuuttuu|\bei l[öo]y|\bnincs\b|\bnem\b"
    r"|\blipse[sș]t|\bnu (?:exist|s-a)|\byok\b|bulunamad|\bbo[şs]\b"
    r"|не найден|\bнет\b|отсутств|не удалось|不存在|未找到|找不到|没有|無い|ありません|見つか(?:ら|りません)|存在しません|없(?:음|어"
    r"|습니다)|찾을 수 없|찾지 못|\bHTTP [45]\d\d\b"
)
UNUSABLE = (
    r"\bignor(?:ed|ing|[ée]e?s?|ad[oa]s?|at[oai]|iert)\b|\bskipp(?:ed|ing)\b|\bdiscard(?:ed|ing)?\b|\breject\w*|\brefus\w+|\bincompatible\b"
    r"|\bunreadable\b|\bun(?:usable|supported)\b|\bcorrupt\w*|\btruncat\w+"
    r"|\bdamaged\b|\bbroken\b|\bmismatch\w*|\bdiffer(?:s|ent|ed)?\b|\btoo old\b|\bolder than\b|\bstale\b|\bexpired\b|\bpermission denied\b"
    r"|\berrno \d|\binvalid\b|\bchecksum\b|\bfailed reading\b"
    r"|\bnone of (?:them|these|the)\b|\bnone (?:is|are|was|were) (?:used|usable|taken|loaded)|\btaking none\b|\b(?:not|n't"
    r"|never)(?: be)? (?:read|load|open|restor|pars|us|match|fit|appl|accept|tak)\w*"
    r"|\bfits? (?:not|none|nothing)\b|\bnot in (?:the )?(?:file|state|checkpoint)\b|\b(?:for|from|by|with|of) an?(?:other|\s?different) \w+"
    r"|\bmade for\b|\bversion \d\b.{0,30}\b\d"
    r"|\b(?:0|zero) bytes\b|\bbelongs to\b|\bunknown format\b|\bis (?:not|no) (?:an? )?(?:\w+ )?(?:check-?point|state|snapshot)\b"
    r"|\bde otr[ao] \w|\bd'une? autre\b|\b(?:aus|von|zu|f[üu]r) eine[mrn] anderen\b|\bdi un'?altr[oa]|\bde outr[ao]\b|\bvan een ander"
    r"|\bhoort bij\b|\bgeh[öo]rt zu\b|\bappart(?:ient|iene)\b|\bperten[ec]{1,2}e?\b"
    r"|\bsconosciut|\bdesconocid|\bdesconhecid|\bonbekend|\bunbekannt|\binconnu|\bno se usa\b|読み込め(?:ず|ま|な)|[a-z](?:Error"
    r"|Exception)\b|\bbesch[äa]digt|\bunlesbar|\bpass(?:t|en) nicht|\bveraltet|\bverworfen|\billisible|\bcorromp\w+|\bab[îi]m[ée]|\btronqu"
    r"|\bincompatib|\bignor[ée]e?|\bp[ée]rim[ée]"
    r"|\bno se (?:pudo|puede) (?:leer|abrir|cargar|usar)|\bda[ñn]ad[oa]|\bilegible|\bdescartad|\bobsolet|\bn[ãa]o (?:p[ôo]de|foi poss)"
    r"|\bdanificad|\bileg[ií]vel|\bignorad|\bdanneggiat|\billeggibil"
    r"|\bscartat|\bbeschadigd|\bonleesbaar|\bgenegeerd|\buszkodz|\bniezgodn|\bpomini|\bpoškoz|\bskadad|\bskadet|\bogiltig|\bbozuk"
    r"|\bge[çc]ersiz|\buyumsuz|поврежд|несовмест|пропущ|устар"
    r"|损坏|不兼容|不匹配|忽略|过期|破損|互換性|無視|손상|호환|무시"
)
"""It was there, and is of no use."""
ANEW = (
    r"\bscratch\b|\bfresh(?:ly)?\b|\banew\b|\bafresh\b|\bcold[ _-]?start|\bstart(?:s|ed|ing)? over\b|\bfrom (?:the )?(?:very )?(?:beginning"
    r"|start)\b|\brandom(?:ly)?\b|\buntrained\b|\bre-?initiali[sz]"
    r"|\b(?:init|initial) (?:param|weights|values|model)\w*|\bnew (?:\w+ )?(?:model|network|net|run|weights|param\w*|booster|agent|policy"
    r"|ensemble)\b|\bcounter (?:at 0|reset|is 0)|\b(?:counter|epoch|step) reset\b"
    r"|\b(?:start_?|global_?|first |initial[ _])?(?:step|epoch|iter(?:ation)?|update|round|batch)s?\b(?:['\"]?\s?[=:]\s?| | (?:is|at|from"
    r"|starts at|begins at|counter at) )[01]\b(?!\.\d)|\bat (?:zero|0)\b"
    r"|\b(?:ganz )?vo(?:n )?(?:vorn\w*|anfang|null|neuem)\b|\bvorne an\b|\bneu(?:e[snr]?)? (?:ge\w+|begonnen|initialisiert|netz|modell)"
    r"|\bzuf[äa]llig|\bz[ée]ro\b|\bau hasard\b|\bal[ée]atoire"
    r"|\b(?:au|depuis le) d[ée]but\b|\brecommence|\b(?:nouveaux?|nouvelle) (?:r[ée]seau|mod[èe]le|poids)|\bdesde (?:cero|el (?:principio"
    r"|inicio))|\bde cero\b|\baleat[óo]ri|\bpesos nuevos|\bmodelo n(?:ue|o)vo|\bred nueva"
    r"|\bcasual[ie]\b|\bripart\w+|\bda (?:zero|capo)\b|\bdall'inizio|\bdo (?:zero|in[íi]cio|come[çc]o)\b|\bopnieuw\b|\bvan (?:voren"
    r"|het begin)|\bod (?:zera|nowa|pocz[ąa]tku|nuly|za[čc][áa]tku)|\bforfra\b|\bfr[åa]n (?:b[öo]rjan|noll|steg 0)"
    r"|\bb[öo]rjar om|\bp[åa] ny(?:tt)?\b|\balusta\b|\bel[öo]lr[őo]l|\bde la (?:zero|[îi]nceput)|\bs[ıi]f[ıi]rdan|\bba[şs]tan\b|с нуля"
    r"|заново|сначала|случайн|从头|从零|重新开始|随机初始化|最初から|ゼロから|初期[化値]|처음부터|새로"
)
"""It begins anew."""
UNASKED = (
    r"\b(?:no|not|none|nobody|aucune?|pas de|kein\w{0,2}|nicht|sin|nessun\w?|nenhum\w?|geen|ingen)\b.{0,25}\b(?:asked|requested|demand"
    r"|wanted|verlangt|gew[üu]nscht|solicit|pedid|richiest|gevraagd|beg[äa]rd)"
)
"""Nobody wished it."""
