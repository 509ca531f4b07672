#!/usr/bin/env bash
# Runs every fuzz target for a while, one after the other (go test -fuzz takes
# one at a time). Usage: tools/fuzz.sh TIME [NAME], such as tools/fuzz.sh 30s Parser
set -euo pipefail
cd "$(dirname "$0")/.."
time=$1 name=${2:-}

grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' api cmd internal |
	sed -E 's|^(.*)/[^/]*:[0-9]+:func (Fuzz.*)$|\1 \2|' | sort -u |
	while read -r dir target; do
		[[ $target == *$name* ]] || continue
		echo "fuzz: ./$dir $target for $time"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$dir" </dev/null
	done
