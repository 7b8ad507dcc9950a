#!/bin/bash
# Runs a command of a workflow: noted.sh <step> <command> [argument…]. If it fails or is cut off, what it said stays in
# failures/<step>.txt, which the alarm quotes.
set -uo pipefail
note=failures/$1.txt
shift
mkdir -p failures
"$@" 2> "$note" | tee "$note.out"
code=$?
cat "$note" >&2
[ -s "$note" ] || cp "$note.out" "$note"
rm "$note.out"
[ "$code" != 0 ] || rm "$note"
exit "$code"
