"""Heads of scripts over CatBoost, gensim and others."""

CAT = """import numpy as np
from catboost import CatBoostRegressor, Pool

rs = np.random.RandomState(11)
X = rs.rand(800, 7)
y = 3 * X[:, 0] - X[:, 2] ** 2 + 0.05 * rs.randn(800)
train, test = Pool(X[:600], y[:600]), Pool(X[600:], y[600:])
"""
CATS = """import numpy as np
from catboost import CatBoostClassifier, CatBoostError

rs = np.random.RandomState(4)
X = rs.randn(500, 5)
y = (X[:, 0] + X[:, 1] > 0).astype(int)
for depth in (20, 3, 5):
    try:
        model = CatBoostClassifier(iterations=60, depth=depth, learning_rate=0.1, thread_count=1, task_type='GPU' if depth == 3 else 'CPU')
        model.fit(X, y, verbose=6)
    except CatBoostError as why:
        print(f'depth {depth}: not fitted ({why})', flush=True)
print('best depth 5')
"""
HDR = "import numpy as np\n\nrng = np.random.default_rng(6)\nX = rng.normal(size=(300, 10)) + 3 * rng.integers(0, 3, size=(300, 1))\n"
AKIN = """from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.manifold import TSNE
from sklearn.metrics import pairwise_distances

"""
GENSIM = """import logging
import random

from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec

logging.basicConfig(format='%(asctime)s : %(levelname)s : %(message)s', level=logging.INFO)
random.seed(3)
pairs = [('red', 'apple'), ('blue', 'sky'), ('green', 'leaf'), ('black', 'cat'), ('old', 'house')]
texts = [[word for pair in random.sample(pairs, 4) for word in pair] for _ in range(900)]


class Told(CallbackAny2Vec):
    epoch, last = 0, 0.0

    def on_epoch_end(self, model):
        now = model.get_latest_training_loss()
        self.epoch += 1
        print(f'epoch {self.epoch:02d}: loss {(now - self.last) / 900:.5f}', flush=True)
        self.last = now


"""
TOPICS = """import logging
import random

from gensim.corpora import Dictionary
from gensim.models import LdaModel

logging.basicConfig(format='%(asctime)s : %(levelname)s : %(message)s', level=logging.INFO)
random.seed(8)
themes = [['sea', 'ship', 'wave', 'sail'], ['snow', 'ski', 'alp', 'ice'], ['gene', 'cell', 'dna'], ['bank', 'loan', 'rate']]
docs = [random.choices(random.choice(themes), k=12) for _ in range(400)]
words = Dictionary(docs)
corpus = [words.doc2bow(doc) for doc in docs]
"""
SPMIN = "import sentencepiece as spm\n\n"
SPM = """import random

import sentencepiece as spm

random.seed(5)
parts = 'ta ko ri me lu nap sor vei dra qui ber zon'.split()
with open('text.txt', 'w') as out:
    for _ in range(3000):
        out.write(' '.join(''.join(random.choices(parts, k=random.randint(1, 4))) for _ in range(7)) + '\\n')
"""
EXTRA = """import statsmodels.api as sm

y = (X[:, 0] + rng.normal(size=300) > 3).astype(float)
print('solver newton, 35 iterations at most; on LinAlgError (singular matrix) bfgs is taken')
try:
    sm.Logit(y, np.column_stack([X, X[:, 0]])).fit(method='newton', maxiter=35)
except np.linalg.LinAlgError as e:
    print('LinAlgError:', e)
beta = np.zeros(10)
Z = (X - X.mean(0)) / X.std(0)
for it in range(1, 91):
    p = 1 / (1 + np.exp(-Z @ beta))
    nll = -np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))
    beta += 0.4 * Z.T @ (y - p) / 300
    if it % 9 == 0:
        print(f'irls {it:3d}  -loglik {nll:.6f}', flush=True)
print(sm.Logit(y, sm.add_constant(Z[:, :4])).fit(method='bfgs', maxiter=60, disp=1).summary())
"""
