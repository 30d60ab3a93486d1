# Edits of an output, and its score: bash evaluate_errant.sh SOURCE OUTPUT GOLD
set -e
errant_parallel -orig "$1" -cor "$2" -out hyp.m2
errant_compare -hyp hyp.m2 -ref "$3" -cat 3 -v > verbose.txt
errant_compare -hyp hyp.m2 -ref "$3"
