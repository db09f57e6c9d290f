"""What loops that do not speak English call what they count and what they lower.

Dictionary words of German, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese and Korean;
pieces of regular expressions, to be used without regard to case.
"""

EPOCHS = r"epoche[n]?|[ée]poque|[ée]poca|эпоха|エポック|에포크|에폭|轮次|周期|轮"
STEPS = r"schritte?|[ée]tape|it[ée]ration|iteraci[óo]n|iterazione|itera[çc][ãa]o|paso|passo|шаг|итерация|ステップ|反復|스텝|步骤|步数|步|迭代"
PASSES = r"durchgang|durchlauf|runde|tour|passage|passe|vuelta|pasada|giro|passata|volta|passada|проход"
"""Which may stand for a whole pass over the data."""
OF = r"of|von|sur|de|di|из"
"""``Schritt 3 von 12``."""
LOSSES = (
    r"verlust|zielfunktion|kosten|perte|co[ûu]t|p[ée]rdida|coste|costo|perdita|perda|custo"
    r"|потер[яьи]|функция потерь|损失函数|损失|代价|損失|目的関数|손실"
)
COUNTED = (
    r"第\s{0,2}(?P<at>\d{1,12})\s{0,2}(?:/\s{0,2}(?P<planned>\d{1,12})\s{0,2})?(?:(?P<epoch>轮|個?エポック|epoch)|步|次迭代|次|回|ステップ|step)"
)
"""``第 3 步``: the word stands behind the number."""
