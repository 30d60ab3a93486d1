# Train the Czech corrector from clean text to files that travel, with one command in the folder of the texts:
#
#     make -f ../recipes/cs/train.mk -j2 travel
#
# The folder has texts (cs_*.txt.xz), corrections (geccc_*.tsv.xz), profiles (*.json.xz) and a trained model, or an
# export of one, in `start`: see docs/train-correctors.md. A stage that is complete is not made again. Training that was
# stopped goes on from its last checkpoint, and `minutes` of a recipe count all its runs, so that the command can be
# repeated on a machine with a time limit.
PYTHON ?= python
RECIPES ?= $(dir $(lastword $(MAKEFILE_LIST)))
SEEDS ?= 1 2 3
PART ?= 16m
TOOLS := $(RECIPES)../../tools/models
FINAL := $(SEEDS:%=final-%)

.PHONY: travel
.DELETE_ON_ERROR:
.SECONDARY:

# Weights of half precision in parts, with what a model needs beside them; `cat weights.pt.* > weights.pt` joins them
travel: mean/weights.pt
	mkdir -p $@
	cp mean/model.json mean/subwords.model $@
	split -b $(PART) -d mean/weights.pt $@/weights.pt.

# A corrector for CPUs (8 bits)
int8: mean/weights.pt
	$(PYTHON) -c 'from errata_correct.transformer.ct2_decoder import export; export("mean", "$@")'

mean/weights.pt: $(FINAL:=.done)
	$(PYTHON) $(TOOLS)/average.py $(FINAL) -o mean

%.toml: $(RECIPES)%.toml
	cp $< $@

$(FINAL:=.toml): final-%.toml: final.toml
	sed 's/^seed = .*/seed = $*/' $< > $@

$(FINAL:=.done): synthetic.done
synthetic.done: sampled_texts.tsv sampled_corrections.tsv unchanged.tsv

%.done: %.toml
	$(PYTHON) -m errata train $< -o $*
	touch $@

# Errors by the network of errors.toml, and clean sentences that stay as they are
sampled_texts.tsv: errors.done
	$(PYTHON) -m errata noise sample cs_*.txt.xz -m errors --seed 1 -o $@
sampled_corrections.tsv: errors.done
	for file in geccc_*.tsv.xz; do xz -dc $$file | cut -f 2; done > targets.txt
	$(PYTHON) -m errata noise sample targets.txt -m errors --seed 2 --times 4 -o $@
unchanged.tsv:
	for file in cs_*.txt.xz; do xz -dc $$file; done | awk 'NR % 4 == 0 && length($$0) {print $$0 "\t" $$0}' > $@
