"""What loops that do not speak English call what they count and what they lower.

Dictionary words of German, French, Spanish, Italian, Portuguese, Polish, Czech, Dutch, Swedish, Danish, Norwegian,
Turkish, Hungarian, Romanian, Russian, Chinese, Japanese and Korean;
pieces of regular expressions, to be used without regard to case.
"""

EPOCHS = r"epoche[n]?|epok[aie]?|epocha|epok|epook|epoksi|korszak|d[öo]nem|[ée]poque|[ée]poca|эпоха|エポック|에포크|에폭|轮次|周期|轮"
STEPS = (
    r"schritte?|krok|stap|steg|skridt|skritt|ad[ıi]m|l[ée]p[ée]s|korak|[ée]tape|it[ée]ration|iteraci[óo]n|iterazione"
    r"|itera[çc][ãa]o|paso|passo|шаг|итерация|ステップ|反復|스텝|步骤|步数|步|迭代"
)
PASSES = (
    r"przebieg|runda|ronde|omg[åa]ng|runde|tur|k[öo]r|durchgang|durchlauf|runde|tour|passage|passe|vuelta|pasada|giro|passata|volta"
    r"|passada|проход"
)
"""Which may stand for a whole pass over the data."""
BATCHES = r"mini-?batch|batch|stapel|mini-?lot|lot|lote|minilote|tanda|пакет|батч|バッチ|ミニバッチ|배치|批次"
"""Pieces of a pass."""
OF = r"of|von|sur|de|di|du|su|z|ze|van|av|af|iz|из|från"
"""``Schritt 3 von 12``."""
HELD_OUT = r"val(?:id(?:ation)?)?|eval(?:uation)?|dev|held-?out|pr[üu]fung|validierung|kontrolle|validaci[óo]n|validazione|valida[çc][ãa]o"
LOSSES = (
    r"ecm|eqm|"
    r"kreuzentropie|entropie crois[ée]e|entrop[íi]a cruzada|entropia incrociata|кросс-?энтропия|交叉熵|交差エントロピー"
    r"|verlust|zielfunktion|kosten|perte|co[ûu]t|p[ée]rdida|coste|costo|perdita|perda|custo"
    r"|strata|straty|koszt|ztr[áa]ta|verlies|kostnad|kay[ıi]p|vesztes[ée]g|pierdere|gubitak"
    r"|потер[яьи]|функция потерь|损失函数|损失|代价|損失|目的関数|손실"
)
SCORES = (
    r"treffer(?:quote)?|genauigkeit|trefferrate|richtig|exactitude|justesse|exactitud|aciert\w*|accuratezza|acur[áa]cia|acertos?"
    r"|dok[łl]adno[śs][ćc]|trafno[śs][ćc]|p[řr]esnost|nauwkeurigheid|noggrannhet|n[øo]jagtighed|do[ğg]ruluk|pontoss[áa]g|acurate[țt]e"
    r"|точность|准确率|正确率|精度|正答率|정확도"
)
"""What training raises."""
AWAITS = (
    r"\bwarte[nt]?\b|\bwartet auf|\bwarten\b|\besper(?:a|e|ando|amos|o)\b|\ben attente|\battend(?:re|ons|ant|s)\b|\bj'attends"
    r"|\baguard(?:a|e|ando|amos)\b|\battente d\w{1,2}\b|\bin attesa|\baspett\w{1,6}"
    r"|\bczeka\w{0,4}|\boczek\w{2,6}|\bwacht(?:en|end)?\b|\bv[äa]ntar\b|\bventer\b|\bček[áa]\w{0,3}|\bbekl(?:iyor|e)\w{0,5}"
    r"|\bodotta\w{1,4}"
    r"|\bvár(?:ok|unk|akoz\w{0,4}|juk)\b|\ba[sș]teapt[ăa]\w{0,3}|\bmenunggu\b|\bαναμ[έο]ν\w{0,5}|\bπεριμ[έε]ν\w{0,5}|\bчека[єюе]\w{0,3}|\bочіку\w{1,6}"
    r"|\bожида|\bжд[её]|等待|等候|等其|等着|正在等|待機|待ち|待っ|대기|기다리"
)
"""To wait, as a running program says it of itself."""
COUNTED = (
    r"第\s{0,2}(?P<at>\d{1,12})\s{0,2}(?:/\s{0,2}(?P<planned>\d{1,12})\s{0,2})?(?:(?P<epoch>轮|個?エポック|epoch)|步|次迭代|次|回|ステップ|step)"
)
"""``第 3 步``: the word stands behind the number."""
FELLOWS = (
    r"Prozess|Knoten|\banderen\b|\br[äa]nge?n?\b|processus|\bprocess[oi]\b|\bproces(?:o|os|sen|sy|y|ów|es|ser|e)\b|n[oœ]e?uds?\b"
    r"|\bn[óo]d(?:os?|i|y|er|ul)\b|\bnós\b|\bw[ęe]z[łl]\w{1,4}"
    r"|\bautres\b|\bdem[áa]s\b|\botr[oa]s\b|\boutr[oa]s\b|\baltri\b|\baltre\b|\bandere\b|\bandra\b|\bandre\b"
    r"|pozosta[łl]\w{1,3}|inn(?:e|ych)\b|\bostatn\w{1,4}"
    r"|\bdi[ğg]er\w{0,5}|s[üu]re[çc]\w{0,6}|\bd[üu][ğg][üu]m\w{0,6}|t[öo]bbi\w{0,4}|folyamat\w{0,5}|ceilal[țt]i|muut\b|muita|lainnya"
    r"|других|остальн|процес|узл|вузл|інш|进程|节点|其他|其它|他の|プロセス|ノード|ランク|プロセ|프로세스|노드|다른|υπόλοιπ|άλλ"
)
"""Those who take part: other processes, nodes, ranks."""
REFUSED = (
    r"\brefus|\brechaz|\brecusad|\brifiutat|\bverweiger|\bgeweiger|\bodrzuc|\bodm[oó]w|отказ|не установ|无法连接|无法连線|被拒"
    r"|接続でき|연결 ?거부|연결할 수|\breddedil"
    r"|\btimed out\b|\bunreachable\b|\bunerreichbar\b|\binjoignable\b|\binaccesible\b|\birraggiungibile\b|\bnicht erreichbar\b"
)
"""Somebody does not answer, or will not."""
