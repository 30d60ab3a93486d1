# ChERRANT's demo: bash evaluate_cherrant.sh HYPOTHESES REFERENCES
set -e
python parallel_to_m2.py -f "$1" -o hyp.m2 -g char -s first
python parallel_to_m2.py -f "$2" -o ref.m2 -g char -s all
python compare_m2_for_evaluation.py -hyp hyp.m2 -ref ref.m2
