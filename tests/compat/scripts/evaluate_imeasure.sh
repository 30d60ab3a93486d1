# The I-measure from an M2 file: bash evaluate_imeasure.sh GOLD OUTPUT
set -e
python2 m2_to_ixml.py -in:"$1" -out:gold.xml
python2 ieval.py -ref:gold.xml -hyp:"$2" -nomix -per-sent
