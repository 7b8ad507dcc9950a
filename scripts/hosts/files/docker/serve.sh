#!/bin/sh
# Serves the tree. Before the first snapshot there is none, so it waits.
until [ -f "$TREE/{{api}}.json" ]; do sleep 2; done
exec node {{program}} serve --tree "$TREE" --queue "$QUEUE"
