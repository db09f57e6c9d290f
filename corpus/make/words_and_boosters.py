"""CatBoost, gensim, SentencePiece, statsmodels and what scikit-learn prints by itself, as a data scientist's folder of scripts."""

from corpus.make._classic import AKIN, CAT, CATS, EXTRA, GENSIM, HDR, SPM, SPMIN, TOPICS
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe

SCRIPTS = (
    Either(CAT + "model = CatBoostRegressor(iterations=160, learning_rate=0.06, depth=4, thread_count=1, random_seed=1)\nmodel.fit(train, eval_set=test, verbose=10)\nprint(model.get_best_score())\nmodel.save_model('price.cbm')", "G1", script="cb_price.py"),
    Either(CAT + "noise = Pool(X[600:], y[600:] + 0.6 * rs.randn(200))\nmodel = CatBoostRegressor(iterations=900, learning_rate=0.05, thread_count=1, od_type='Iter', od_wait=15)\nmodel.fit(train, eval_set=noise, verbose=5)\nprint('trees kept:', model.tree_count_)", "G1", script="cb_stop.py", hard=True, tasks=1),
    Either(CAT + "Pool('data/clicks.tsv', column_description='data/clicks.cd')", "A1", "file_not_found", "data", "cb_clicks.py"),
    Either(CAT + "CatBoostRegressor(iterations=90, cat_features=[0, 3], thread_count=1).fit(X, y)", "A1", "traceback", "data", "cb_cats.py", tasks=2),
    Either(CAT + "weights = np.loadtxt('weights.csv')\nCatBoostRegressor(iterations=90, thread_count=1).fit(Pool(X, y, weight=weights), verbose=10)", "A1", "permission", "data", "cb_weights.py", files=(("weights.csv", "1.0\n" * 800),), locked=("weights.csv",)),
    Either(CAT + "class Gap:\n    def after_iteration(self, info):\n        rmse = info.metrics['validation']['RMSE'][-1]\n        assert info.iteration < 70 or rmse < 0.01, f'RMSE {rmse:.4f} after {info.iteration} trees, 0.01 was agreed'\n        return True\n\nCatBoostRegressor(iterations=200, learning_rate=0.08, thread_count=1).fit(train, eval_set=test, verbose=5, callbacks=[Gap()])", "A3", "assertion", script="cb_gate.py"),
    Either(CAT + "CatBoostRegressor(iterations=120, learning_rate=0.08, thread_count=1).fit(train, verbose=6)\nhits = int((y > 99).sum())\nprint('lift', (y > 3).sum() / float(hits or 0.0) if hits else 1.0 / hits)", "A3", "div_zero", script="cb_lift.py", tasks=1),
    Either(CAT + "CatBoostRegressor(iterations=200, learning_rate=1e-6, thread_count=1, boost_from_average=False).fit(train, eval_set=test, verbose=10)\nprint('model kept')", "E1", None, "flat", "cb_slow.py", status=0),
    Either(CAT + "CatBoostRegressor(iterations=3, thread_count=1).fit(train, eval_set=test, verbose=1).save_model('m.cbm')\nprint('saved m.cbm')", "E3", script="cb_price.py", tasks=1),
    Either(CAT + "model = CatBoostRegressor(iterations=80, learning_rate=0.1, thread_count=1)\nmodel.fit(train, verbose=4)\nimport ctypes\nfast = ctypes.CDLL(None)\nfast.strlen(ctypes.c_void_p(8))", "A2", "segfault", script="cb_score.py", status=-11),
    Either(CAT + "with open('base.cbm', 'wb') as f:\n    f.write(b'CBM1' + bytes(300))\nprint('continuing from base.cbm')\nbase = CatBoostRegressor().load_model('base.cbm')\nCatBoostRegressor(iterations=50).fit(train, init_model=base)", "E2", "traceback", "corrupt", "cb_more.py"),
    Either(CATS, "G1", script="cb_grid.py", hard=True),
    Either(GENSIM + "model = Word2Vec(texts, vector_size=24, epochs=30, min_count=1, workers=1, compute_loss=True, callbacks=[Told()])\nmodel.save('w2v.model')", "G1", script="embed.py", hard=True, tasks=1),
    Either(GENSIM + "Word2Vec([['once', 'upon']], vector_size=24, epochs=5, min_count=5, workers=1)", "A1", "runtime_error", "data", "embed.py"),
    Either(GENSIM + "model = Word2Vec(texts, vector_size=16, epochs=24, min_count=1, workers=1, compute_loss=True, callbacks=[Told()])\nfrom gensim.summarization import summarize\nprint(summarize(texts[0]))", "A3", "missing_module", script="embed.py", tasks=1),
    Either(GENSIM + "Word2Vec(texts, vector_size=16, epochs=2, min_count=1, workers=1).save('w2v.model')\nimport os\nos.truncate('w2v.model', 700)\nlogging.info('resume training from w2v.model')\nmodel = Word2Vec.load('w2v.model')", "E2", "traceback", "corrupt", "resume.py"),
    Either(TOPICS + "LdaModel(corpus, num_topics=4, id2word=words, passes=14, eval_every=1, random_state=2)", "G1", script="topics.py", hard=True),
    Either(TOPICS + "LdaModel(corpus, num_topics=4, id2word=words, passes=8, eval_every=1, random_state=2)\nfor line in open('stopwords_de.txt'):\n    words.filter_tokens(bad_ids=[words.token2id[line.strip()]])", "A3", "file_not_found", script="topics.py"),
    Either(SPM + "spm.SentencePieceTrainer.train(input='text.txt', model_prefix='m', vocab_size=90, model_type='unigram', num_threads=1)", "G1", script="tok.py", hard=True),
    Either(SPMIN + "spm.SentencePieceTrainer.train(input='raw/text.txt', model_prefix='m', vocab_size=90)", "A1", "file_not_found", "data", "tok.py", tasks=1),
    Either(SPM + "spm.SentencePieceTrainer.train(input='text.txt', model_prefix='m', vocab_size=8, model_type='bpe')", "A1", "runtime_error", "config", "tok.py"),
    Either(HDR + AKIN + "TSNE(2, n_iter=500, verbose=2, random_state=0, init='random', learning_rate=100.0, n_jobs=1).fit_transform(X)\nprint('done')", "G1", script="tsne.py"),
    Either(HDR + AKIN + "D = pairwise_distances(np.zeros((420_000, 3), dtype='f8'))\nTSNE(metric='precomputed').fit(D)", "A1", "ram_oom", "data", "tsne.py"),
    Either(HDR + AKIN + "nmf = NMF(6, init='random', max_iter=90, verbose=1, random_state=1, tol=0).fit(np.abs(X))\nH = np.outer(np.ones(10**7), np.ones(10**6))", "A3", "ram_oom", script="nmf.py", tasks=1),
    Either(HDR + AKIN + "km = MiniBatchKMeans(5, batch_size=40, verbose=1, max_iter=12, max_no_improvement=None, random_state=1, n_init=1).fit(X)\nnp.save('/usr/share/centres.npy', km.cluster_centers_)", "A3", "permission", script="kmeans.py"),
    Either(HDR + AKIN + "LatentDirichletAllocation(3, max_iter=18, verbose=1, evaluate_every=1, perp_tol=0, random_state=0).fit(np.abs(np.round(X)))\nprint('LDA fitted, perplexity above')", "G1", script="lda.py"),
    Either(HDR + EXTRA, "G1", script="glm.py", hard=True),
)  # fmt: skip
RECIPE = Recipe("words_and_boosters", "development", lambda: either_jobs(SCRIPTS, "catboost"))
