"""The sweep against what others have written: scikit-learn, ir_measures, pytrec_eval, ranx.

Each oracle is asked the same question at a threshold: it is given what passes the gate, the first K
of each query. Where it counts otherwise, the test says in what, and checks that nothing else does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sweep_data import drawn, rows_of, selected

from memconform.sweep import Rows, curve, partial

K = 5
THRESHOLDS = (0.0, 0.2, 0.45, 0.7)


@pytest.fixture(scope="module")
def retrievals():
    """Answerable ones only: the oracles know no other; some candidates are forbidden."""
    return [r for r in drawn(51, retrievals=120, infinities=False) if r.relevant]


@pytest.fixture(scope="module")
def found(retrievals):
    return curve(partial(rows_of(retrievals), K))


def qrels(retrievals):
    """Query -> document -> 1; what was never found has a name, too."""
    return {
        f"q{at}": {
            **{f"d{rank}": 1 for rank, c in enumerate(r.candidates) if c.grade > 0},
            **{f"missed{m}": 1 for m in range(r.relevant - sum(c.grade > 0 for c in r.candidates))},
        }
        for at, r in enumerate(retrievals)
    }


def run(retrievals, threshold, *, tied=False):
    """Query -> document -> score, best first; with ties all scores are equal."""
    return {
        f"q{at}": {
            f"d{r.candidates.index(c)}": 1.0 if tied else 1 / (r.candidates.index(c) + 1)
            for c in selected(r, threshold, K)
        }
        for at, r in enumerate(retrievals)
        if selected(r, threshold, K)
    }


def test_candidates_can_be_told_apart(retrievals):
    # ``index`` above finds a candidate by its value.
    assert all(len(set(r.candidates)) == len(r.candidates) for r in retrievals)


def test_pytrec_eval(retrievals, found):
    import pytrec_eval

    judged = qrels(retrievals)
    evaluator = pytrec_eval.RelevanceEvaluator(
        judged, {"recall.5", "P.5", "recip_rank", "success.5"}
    )
    for threshold in THRESHOLDS:
        per_query = evaluator.evaluate(run(retrievals, threshold))
        figures = found.at(threshold)

        def mean(name, per_query=per_query):
            # What selects nothing isn't in a run at all.
            return sum(each[name] for each in per_query.values()) / len(judged)

        assert mean("recall_5") == pytest.approx(figures.recall, abs=1e-12)
        assert mean("recip_rank") == pytest.approx(figures.mrr, abs=1e-12)
        assert mean("success_5") == pytest.approx(figures.success, abs=1e-12)
        # trec_eval's precision divides by 5, ours by how many were selected.
        ours = [
            per_query[f"q{at}"]["P_5"] * 5 / len(selected(r, threshold, K))
            for at, r in enumerate(retrievals)
            if selected(r, threshold, K)
        ]
        assert sum(ours) / len(judged) == pytest.approx(figures.precision, abs=1e-12)
        assert mean("P_5") < figures.precision


def test_trec_eval_breaks_ties_by_name_and_we_by_rank(retrievals, found):
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(qrels(retrievals), {"recall.5", "recip_rank"})
    apart = 0
    for threshold in THRESHOLDS:
        tied = evaluator.evaluate(run(retrievals, threshold, tied=True))
        figures = found.at(threshold)
        # The same are selected, so recall is the same; of equal scores the last name comes first.
        recall = sum(each["recall_5"] for each in tied.values()) / len(retrievals)
        assert recall == pytest.approx(figures.recall, abs=1e-12)
        by_name = 0.0
        for r in retrievals:
            chosen = selected(r, threshold, K)
            names = sorted(((f"d{r.candidates.index(c)}", c.grade) for c in chosen), reverse=True)
            hits = [grade > 0 for _, grade in names]
            by_name += 1 / (hits.index(True) + 1) if any(hits) else 0
        mrr = sum(each["recip_rank"] for each in tied.values()) / len(retrievals)
        assert mrr == pytest.approx(by_name / len(retrievals), abs=1e-12)
        apart += abs(mrr - figures.mrr) > 1e-6
    assert apart


def test_ir_measures(retrievals, found):
    import ir_measures
    from ir_measures import RR, R, Success

    judged = [
        ir_measures.Qrel(q, d, grade)
        for q, each in qrels(retrievals).items()
        for d, grade in each.items()
    ]
    for threshold in THRESHOLDS:
        scored = [
            ir_measures.ScoredDoc(q, d, score)
            for q, each in run(retrievals, threshold).items()
            for d, score in each.items()
        ]
        means = ir_measures.calc_aggregate([R @ K, RR @ K, Success @ K], judged, scored)
        figures = found.at(threshold)
        assert means[R @ K] == pytest.approx(figures.recall, abs=1e-12)
        assert means[RR @ K] == pytest.approx(figures.mrr, abs=1e-12)
        assert means[Success @ K] == pytest.approx(figures.success, abs=1e-12)


RANX = """
import json, sys
from ranx import Qrels, Run, evaluate
judged, runs = json.load(sys.stdin)
print(json.dumps([
    {name: float(mean) for name, mean in evaluate(
        Qrels(judged), Run(run), ["recall@5", "mrr@5"], make_comparable=True
    ).items()}
    for run in runs
]))
"""


def test_ranx(retrievals, found):
    # In a process of its own, since it compiles for many seconds unless told not to beforehand.
    runs = [run(retrievals, threshold) for threshold in THRESHOLDS]
    done = subprocess.run(
        [sys.executable, "-c", RANX],
        input=json.dumps([qrels(retrievals), runs]),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    for threshold, means in zip(THRESHOLDS, json.loads(done.stdout), strict=True):
        figures = found.at(threshold)
        assert means["recall@5"] == pytest.approx(figures.recall, abs=1e-12)
        assert means["mrr@5"] == pytest.approx(figures.mrr, abs=1e-12)


def test_scikit_learn_where_nothing_is_cut_off():
    """With K no smaller than any retrieval, pooled precision and recall are a plain curve."""
    from sklearn.metrics import precision_recall_curve

    rng = np.random.default_rng(52)
    size, lengths = 3_000, np.full(100, 30)
    gate = np.round(rng.random(size), 2)
    grade = (rng.random(size) < 0.1 + 0.3 * gate).astype(int)
    found = curve(partial(Rows.of(gate, lengths, grade), 30))
    precision, recall, thresholds = precision_recall_curve(grade, gate)
    assert found.thresholds[:-1].tolist() == thresholds.tolist()
    hits, chosen = found.hits[:-1], found.metric("selected")[:-1] * 100
    assert np.abs(hits / chosen - precision[:-1]).max() < 1e-12
    assert np.abs(hits / grade.sum() - recall[:-1]).max() < 1e-12
    # A smaller K is another question: only the first of each retrieval count.
    cut = curve(partial(Rows.of(gate, lengths, grade), 5))
    assert (cut.hits[:-1] / grade.sum() < recall[:-1]).any()
