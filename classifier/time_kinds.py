"""What a time is of, by the words around it: loading, saving, what ranks exchange or wait for each other, the work itself, the rest, the whole.

Stems of English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese and Japanese words; a name may join them
(``data_wait_s``, ``iterTime``). What reads a model's state is no loading of data; a wait for other ranks
is none for data; what is done behind the run's back is nobody's.
"""

from __future__ import annotations

import re
from functools import lru_cache

LOAD, SAVE, TALK, PEERS, WAIT, WORK, REST, WHOLE, NONE = "load", "save", "talk", "peers", "wait", "work", "rest", "whole", ""
OF_MACHINE = re.compile(r"(?<![A-Za-z])(?:cpu|mem(?:ory)?|vram|ram|util\w{0,10}|disk use|swap|gpu (?:load|use|busy))(?![A-Za-z])", re.IGNORECASE)
"""Percents of a machine's parts are no time's."""
_PLAIN = str.maketrans("àáâãäåçèéêëìíîïñòóôõöøùúûüýąćęłńśźżğış", "aaaaaaceeeeiiiinoooooouuuuyacelnszzgis")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\W]+")


def _stems(words: str, letters: str = "") -> re.Pattern[str]:
    """Whole words, stems (``load*``), and ``letters`` of tongues that put no spaces."""
    parts = "|".join(re.escape(word).replace(r"\*", r"\w{0,14}") for word in words.split())
    return re.compile(rf"(?<!\w)(?:{parts})(?!\w)" + (f"|{letters}" if letters else ""))


_BEHIND = _stems(
    "ahead async* background* thread* overlap* hidden hintergrund* nebenher asynchron* parallel* wakeup concurrent* segundo plano arriere"
)
_STATE = _stems("model* weight* checkpoint* ckpt* snapshot* state* optimizer pretrained gewichte poids pesos modelo modele")
_TAKES = _stems("load* read* restor* resum* lade* charge* carga* caric* lesen")
_SAVE = _stems(
    "sav* autosav* ckpt* checkpoint* snapshot* persist* serial* dump* writ* wrote rewrit* rewrote stored storing stores flush*"
    " fsync* sauv* enregistr* ecri* guard* grab* escri* gravac* salv* sicher*"
    " gesicher* gespeicher* speicher* schreib* geschrieb* ablegen abgelegt zapis* kopi* sicherung* opslaan opgeslagen backup*"
    " copia* export* запис* сохран*",
    "保存|存档|写入|セーブ|書き",
)
_OTHERS = _stems(
    "other* peer* barrier* slowest straggler* rank* neighbo* everyone anyone team group partner* autres otros otras altri"
    " outros andere* nachbar* voisin* vecin* sites clients"
    " server",
    "他|その他",
)
_TALK = _stems(
    "allreduce reduce* gather* scatter* allgather alltoall exchang* comm comms communic* kommunik* comunic* sync* synchron*"
    " sincron* collective* nccl gloo mpi ddp wire halo* ghost* all2all a2a recv sendrecv"
    " fabric echang* *austausch* intercamb* scambi* uitwissel* wymian* обмен* broadcast* transport ring",
    "通信|同步|同期",
)
_WAIT = _stems(
    "wait* stood slept sleep* idl* starv* stall* block* hungry wart* gewartet attent* attend* esper* attes* aguard* wacht* czek* bezczynn*"
    " leerlauf* inactif oisif ocios* parad* vanta* bekle* ожид*"
    " простой* czeka* ceka* odot* vente* astept* menunggu nothing empty dry underrun* underflow* *wartezeit* чека* очікув*",
    "等待|待ち|空闲|대기",
)
_DATA = _stems(
    "load* dataload* data dataset* datatime fetch* prefetch* read* reader* decod* collat* ingest* augment* preprocess* parse"
    " parsing unzip* gunzip* decompress* inflat* input*"
    " io get tokeni* feed* feeder* queue* sampler* neighborsampl* disk* storage pipeline* minibatch lectur* lecteur* lett* leitur* lire"
    " lesen lese* gelesen einlesen eingelesen laden lade*"
    " geladen nachladen charg* caric* carreg* carga* cargad* lee leer leid* leyendo daten* donnees datos dados dati wczyt* odczyt* inlezen"
    " inlasning"
    " lezen archive shard* tile* festplatte disque unpack* untar* dequeue* hdf5 lmdb parquet zarr webdataset tfrecord* getitem dl jpeg* nfs"
    " gpfs lustre"
    " hdd ssd *ladezeit* *lesezeit* nacit* cteni lataus* lukemi* laes* betolt* olvas* adat* incarc* memuat membaca data* чита* завантаж*"
    " audio veri* okuma* disco загруз* чтен* данн* file files fichiers archivos dateien images imagenes immagini bilder",
    "加载|读取|数据|読み?込|データ|読|로딩|데이터|읽기",
)
_WORK = _stems(
    "train* comput* forward* fwd* fwdbwd backward* backprop* bwd* model* gpu* cuda card device accelerator tpu opt optim*"
    " grad* calc* calcul* math* learn* fit* fitting updat*"
    " solv* kernel* net nets rete reseau netz red rechn* gerechnet recken* lern* lerne* entren* entrain* apprent* apprend*"
    " addestr* trein* aprend* work* busy matmul propag*"
    " own local eigene* eigen propre propio propria oblicz* trenow* traning* berakning* uczen* вычисл* обуч* расчет* рекен* arbeit* arbeiten"
    " rekenen travail trabajo trabalho lavoro math comp fb network unet resnet transformer encoder backbone consum* crunch* active stepping"
    " *rechenzeit*"
    " vypoc* uceni laskent* koulutus* opetus* szamit* tanit* beregn* traen* egitim* hesap* обчисл* навчан*",
    "计算|训练|計算|学習|前向|反向|계산|학습",
)
_REST = _stems(
    "eval* val valid* test* judg* score* scoring pruf* prueb* prova* teste compil* warm* startup setup init* import* build*"
    " log logging misc other* else rest autre* sonst* render*"
    " plot* generat* rollout* env environment simulat* tokeniz* tokenis* download* upload* оценк* проверк* ocen* walid*",
    "评估|验证|評価|検証",
)
_WHOLE = _stems(
    "total* whole wall* elapsed overall all sum gesamt* insgesamt zusammen entier* tout todo tutto step* iter* batch* epoch*"
    " round* pass passes cycle time* sec second* dur*"
    " dauer* zeit zeiten temps tiempo tempo took tick lap runde* schritt* epoche* etape* tour pas paso* vuelta* giro epoca* passo"
    " ronda rodada run job sekunden secondes segundos"
    " secondi laufzeit durchlauf всего шаг эпох* время итого krok* epoka runda stap",
    "总|合计|全体|回|步|轮|秒",
)


_MADE_OF = _stems(
    "batch* minibatch* image* picture* photo* spectrogram* tokenise* tokenize* tokenising tokenizing tokenisation tokenization"
    " wav flac jpg png h5 arrow npz"
    " npy tar* zip* s3 ceph gcs storage produc* prep prepar* vorbereit* prepara* augment* resiz* resampl* parse* convert* disk* csv json* arriv* next"
    " descomp* entpack* dezip* download* shuffl* padding pack*"
)
"""What a batch is made of, or comes from."""
_NOT_MADE = _stems(
    "eval* val* valid* test* sav* checkpoint* ckpt* policy beam search solv* sync* loss* metric* plot* log* report* score* compil*"
    " self play extractor* encoder* embed* patch* head mixing mixer layer* norm* attention conv* mlp"
)
_TAKEN = re.compile(r"\b(?:fetched|fetching|read|reading|loaded|loading|pulled|pulling|got)\b.{0,30}\bfrom\b")
_ON_DISK = re.compile(
    r"\b(?:state|model|weights|params|parameters|network|modell|modele|modelo)\b.{0,40}\b(?:on|to|auf|sur|en) (?:the )?(?:disk|platte"
    r"|disque|disco)"
)
_PLAYS = re.compile(r"\b(?:env|envs|environment|rollout\w*|simulat\w*|episode\w*|actor\w*)\b")
_IMBALANCE = re.compile(r"\bload (?:im)?balanc")
_NEXT_BATCH = re.compile(
    r"\bbatch(?:es)? (?:arriv|came|ready|deliver)\w{0,4}|\bin next\b|\bnext it\b|\b(?:get|getting|got|next|fetch|await\w{0,3}"
    r"|receiv\w{0,3})\b.{0,16}\bbatch|\bbatch (?:get|gen\w{0,8}|prep\w{0,8}|time to)\b"
)


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str:
    """The kind of what ``name`` (a key, or the words beside a number) tells the time of; NONE where it tells none."""
    words = _JOINED.sub(" ", name.replace("IoU", "iou")).lower().translate(_PLAIN)
    if not words.strip() or _BEHIND.search(words):
        return NONE
    data, waiting = _DATA.search(words) is not None, _WAIT.search(words) is not None
    ruled = (
        (PEERS, _IMBALANCE.search(words)),
        (REST, _STATE.search(words) and _TAKES.search(words)),
        (LOAD, _TAKEN.search(words)),
        (SAVE, _SAVE.search(words) or _ON_DISK.search(words)),
        (PEERS, waiting and not data and _OTHERS.search(words)),
        (TALK, _TALK.search(words) or "barrier" in words or "all reduce" in words),
        (LOAD, _NEXT_BATCH.search(words) or ("queue" in words and "empty" in words)),
        (REST, _PLAYS.search(words) or (not waiting and _REST.search(words))),
        (LOAD, data),
        (WAIT, waiting),
        (WORK, _WORK.search(words)),
        (WHOLE, _WHOLE.search(words)),
    )
    return next((kind for kind, so in ruled if so), NONE)


def behind_its_back(text: str) -> bool:
    """Whether ``text`` says that something was done beside the work: nobody waited for it."""
    return _BEHIND.search(_JOINED.sub(" ", text).lower().translate(_PLAIN)) is not None


def made_of(name: str) -> bool:
    """Whether ``name`` speaks of what a batch is made of, and of nothing else that a run does."""
    words = _JOINED.sub(" ", name).lower().translate(_PLAIN)
    return _MADE_OF.search(words) is not None and _NOT_MADE.search(words) is None and _PLAYS.search(words) is None


def plays(text: str) -> bool:
    """Whether ``text`` is of a run that learns from what it plays."""
    return _PLAYS.search(_JOINED.sub(" ", text).lower()) is not None


def waits(name: str) -> bool:
    """Whether ``name`` has a word for waiting."""
    return _WAIT.search(_JOINED.sub(" ", name).lower().translate(_PLAIN)) is not None
