# M² of several systems on CoNLL-2014: bash evaluate_m2.sh GOLD OUTPUT...
gold=$1; shift
for system in "$@"; do
  f=$(python2 m2scorer/scripts/m2scorer.py "$system" "$gold" | tail -1 | cut -d: -f2)
  echo "$(basename "$system" .txt)$f"
done
