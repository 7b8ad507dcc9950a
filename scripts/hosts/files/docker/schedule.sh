#!/bin/sh
# Runs run.sh now and every CADENCE_MINUTES, until it is told to stop.
stop() { kill "$pid" 2> /dev/null; exit 0; }
trap stop TERM INT
while :; do
  sh "$(dirname "$0")/run.sh" & pid=$!
  wait "$pid" || echo "The run ended with $?, so the published tree is unchanged." >&2
  sleep "$((${CADENCE_MINUTES:-30} * 60))" & pid=$!
  wait "$pid"
done
