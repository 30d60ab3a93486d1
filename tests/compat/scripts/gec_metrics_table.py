"""Corpus and sentence scores by several metrics, after the README of gec-metrics."""

import sys

from gec_metrics import get_metric

source_file, hypothesis_file, *reference_files = sys.argv[1:]
sources = open(source_file).read().rstrip("\n").split("\n")
hypotheses = open(hypothesis_file).read().rstrip("\n").split("\n")
references = [open(file).read().rstrip("\n").split("\n") for file in reference_files]
for name, options in {"green": {"beta": 2.0}, "gleu": {"iter": 500}}.items():
    metric_class = get_metric(name)
    metric = metric_class(metric_class.Config(**options))
    score = metric.score_corpus(sources=sources, hypotheses=hypotheses, references=references)
    sentences = metric.score_sentence(sources=sources, hypotheses=hypotheses, references=references)
    print(f"{name} {100 * score:.12f} {len(sentences)}")
