#!/usr/bin/env bash
# Installs what is missing, and only that. Usage: tools/setup.sh run|test|bench|ci
#
#   run    what `make run` needs: Go and the modules
#   test   and what the tests need: gcc for the race detector, tmux, the oracles,
#          the real agents that tests drive
#   bench  and what the benchmarks compare with
#   ci     as test, and make
#
# With root or sudo it installs packages with apt. Without, it says what to
# install and goes on: the tests that need a missing program skip and say so.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-test}
oracle=internal/screen/testdata/oracle

if ! command -v go >/dev/null; then
	echo 'setup: Go 1.26 or newer is needed and is not in PATH: https://go.dev/doc/install' >&2
	exit 1
fi

# need COMMAND PACKAGE...: notes the packages if the command is missing.
need() {
	command -v "$1" >/dev/null || missing+=("${@:2}")
}

find_missing() {
	missing=()
	[ "$purpose" != run ] || return 0
	need git git
	need tmux tmux
	[ -n "${CC:-}" ] || need gcc gcc libc6-dev
	if [ -f "$oracle/package-lock.json" ]; then
		need node nodejs
		need npm npm
	fi
	case $purpose in
	bench) need dtach dtach ;;
	ci) need make make ;;
	esac
}

# as_root COMMAND...: runs it as root, or fails at once.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

install_missing() {
	command -v apt-get >/dev/null || return 1
	[ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || return 1
	echo "setup: installing ${missing[*]}" >&2
	local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends)
	as_root "${apt[@]}" update </dev/null >&2 || true # a list we have may do
	as_root "${apt[@]}" install "${missing[@]}" </dev/null >&2 && return
	local p
	for p in "${missing[@]}"; do # one bad name must not cost the others
		as_root "${apt[@]}" install "$p" </dev/null >&2 || true
	done
}

find_missing
if [ ${#missing[@]} -gt 0 ]; then
	install_missing || true
	hash -r
	find_missing
	if [ ${#missing[@]} -gt 0 ]; then
		echo "setup: these packages are missing; install them with: apt-get install ${missing[*]}" >&2
	fi
fi

# The emulator's oracle: a terminal in JavaScript, at the versions of its lock.
if [ "$purpose" != run ] && [ -f "$oracle/package-lock.json" ] && command -v npm >/dev/null &&
	! [ "$oracle/node_modules/.package-lock.json" -nt "$oracle/package-lock.json" ]; then
	echo 'setup: npm ci for the emulator oracle' >&2
	(cd "$oracle" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null >&2 &&
		touch node_modules/.package-lock.json) ||
		echo "setup: npm ci failed in $oracle; its tests will skip" >&2
fi

# The real agents, at the versions of their lock (660 MB): the tests that run
# them fail in CI without, and skip elsewhere.
if [ "$purpose" != run ] && command -v npm >/dev/null; then
	make --no-print-directory agents </dev/null >&2 ||
		echo 'setup: the real agents could not be installed (make agents); the tests that run them will skip' >&2
fi

go mod download || echo 'setup: some modules could not be fetched; what needs them will not build' >&2
