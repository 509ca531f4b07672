#!/usr/bin/env python3
"""Records testdata/corpus: what real programs print on an 80x24 terminal.

Run: python3 record.py OUTDIR. It makes its own files in a temporary directory
and runs every program with an environment of its own, so that nothing of the
machine gets into a recording. Look at what you commit all the same.
"""
import os, pty, select, struct, subprocess, sys, tempfile, termios, fcntl, time

ESC = "\x1b"
CASES = [
    ("ls", "ls --color=always -la", ["ls", "--color=always", "-la"], []),
    ("git-log", "git log --graph with colours and decorations",
     ["git", "--no-pager", "-c", "color.ui=always", "log", "--graph", "--stat", "--decorate"], []),
    ("git-diff", "git show with colours", ["git", "--no-pager", "-c", "color.ui=always", "show"], []),
    ("less", "less: pages, a search, back, quit", ["less", "poem.txt"], [" ", "b", "/night\r", "n", "G", "g", "q"]),
    ("vim", "vim with syntax: moves, insertion, scrolling, split, quit",
     ["vim", "-u", "NONE", "-N", "-i", "NONE", "-c", "syntax on", "main.py"],
     ["jjw", "ihello " + ESC, "dd", "u", "G", "gg", ":split\r", "\x06", "\x02", ":qa!\r"]),
    ("nano", "nano: typing, paging, cutting a line, leaving", ["nano", "-I", "poem.txt"],
     ["typed", "\x16", "\x0b", "\x19", "\x18", "n"]),
    ("htop", "htop in a process namespace of its own, two refreshes, quit",
     ["unshare", "-pf", "--mount-proc", "htop", "--no-mouse"], ["", "", "\x1b[B", "q"]),
    ("fzf", "fzf: typing, moving, cancelling", ["sh", "-c", "seq 1 500 | fzf --no-mouse"], ["12", "\x1b[A", "\x1b[A", "\x7f", "\x1b"]),
    ("tmux", "tmux itself with two panes, leaving",
     ["tmux", "-f", "tmux.conf", "-S", "sock", "new-session", "-x", "80", "-y", "24"],
     ["ls --color\r", "\x02\"", "echo two\r", "\x02%", "seq 30\r", "\x02o", "\x02:kill-server\r"]),
    ("python", "the Python prompt: expressions, an error, leaving", ["python3", "-q"],
     ["1+1\r", "print('caf\u00e9 \u4e16\u754c')\r", "1/0\r", "def f(x):\r    return x\r\r", "f(3)\r", "exit()\r"]),
    ("node", "the Node prompt with previews, an object, an error, leaving", ["node"],
     ["1+1\r", "({a: 1, b: [2, 3], c: 'caf\u00e9'})\r", "nope.x\r", ".exit\r"]),
    ("bash", "bash and readline: editing in the middle of a long line, history",
     ["env", "PS1=$ ", "bash", "--norc", "--noprofile"],
     ["echo " + "word " * 20, "\x01", "\x1bf\x1bf", "inserted ", "\x0b\r", "\x10", "\x17\x17", "\r", "exit\r"]),
]


def prepare(d):
    with open(f"{d}/poem.txt", "w") as f:
        for i in range(120):
            f.write(f"{i:3} the night was long and the terminal was bright, line after line\n")
    with open(f"{d}/main.py", "w") as f:
        for i in range(60):
            f.write(f'def function_{i}(value):\n    """Says {i}."""\n    return value + {i}  # a comment\n\n')
    with open(f"{d}/tmux.conf", "w") as f:
        f.write("set -g status-right ''\nset -g status-left ''\nset -g automatic-rename off\n"
                "set -g default-command \"env PS1='$ ' sh\"\n")
    os.makedirs(f"{d}/directory")
    os.symlink("poem.txt", f"{d}/link")
    env = dict(os.environ, HOME=d, GIT_AUTHOR_DATE="2026-01-02T03:04:05Z", GIT_COMMITTER_DATE="2026-01-02T03:04:05Z")
    git = lambda *a: subprocess.run(["git", "-c", "user.name=dev", "-c", "user.email=dev@example.com", *a], cwd=d, env=env,
                                    check=True, capture_output=True)
    git("init", "-q", "-b", "main")
    git("add", "main.py")
    git("commit", "-q", "-m", "Add a program")
    git("add", "poem.txt")
    git("commit", "-q", "-m", "Add a poem")
    git("tag", "v1")


def record(d, argv, keys):
    env = {"PATH": os.environ["PATH"], "HOME": d, "TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "USER": "dev",
           "COLORTERM": "truecolor", "PYTHON_HISTORY": "/dev/null", "NODE_REPL_HISTORY": ""}
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(d)
        os.execvpe(argv[0], argv, env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    out = b""

    def drain(quiet):
        nonlocal out
        while select.select([fd], [], [], quiet)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                return False
            if not data:
                return False
            out += data
        return True

    alive = drain(1.5)
    for k in keys:
        if not alive:
            break
        os.write(fd, k.encode())
        alive = drain(0.7)
    if alive:
        drain(2)
    os.close(fd)
    try:
        os.kill(pid, 9)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    return out


with tempfile.TemporaryDirectory(prefix="d") as d:
    prepare(d)
    for name, what, argv, keys in CASES:
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        data = record(d, argv, keys)
        with open(f"{sys.argv[1]}/{name}", "wb") as f:
            f.write(f"{what}, recorded at 80x24\n".encode() + data)
        print(name, len(data))
