#!/usr/bin/env bash
# Runs the generators in place and fails if a file changed: what is committed is
# what the generators make. It compares contents before and after, so it also
# works in a tree with changes of one's own.
set -euo pipefail
cd "$(dirname "$0")/.."

files() {
	# Clones in CI often belong to another user than the one who tests.
	git -c safe.directory='*' ls-files -z --cached --others --exclude-standard 2>/dev/null ||
		find . -name node_modules -prune -o -path ./.git -prune -o -path ./bin -prune -o -path ./.tools -prune -o -type f -print0
}

snapshot() {
	files |
		while IFS= read -r -d '' f; do [ -f "$f" ] && printf '%s\0' "$f"; done |
		LC_ALL=C sort -z -u | xargs -0 sha1sum
}

before=$(snapshot)
make --no-print-directory generate
after=$(snapshot)
if [ "$before" != "$after" ]; then
	echo 'check-generated: these files are not what `make generate` makes; commit the new ones:' >&2
	diff <(echo "$before") <(echo "$after") | sed -n 's/^[<>] [0-9a-f]*  /  /p' | sort -u >&2
	exit 1
fi
