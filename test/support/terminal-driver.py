"""Runs a command in a new terminal: terminal-driver.py ROWS COLUMNS COMMAND ARGS...

What the terminal shows goes to standard output. Standard input takes JSON, a line each: {"type": "text"} or {"size": [rows, columns]}; its
end closes the terminal. When the command has ended, standard error gets {"code": n, "signal": n, "sameMode": true}.
"""
import fcntl, json, os, pty, select, struct, sys, termios

rows, columns, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]


def resize(fd, size):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[0], size[1], 0, 0))


main, side = pty.openpty()
resize(side, (rows, columns))
before = termios.tcgetattr(side)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(side, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(side, fd)
    os.closerange(3, 256)
    os.execvp(command[0], command)

status = None
typed = b""
inputs = [main, 0]
while True:
    ready, _, _ = select.select(inputs, [], [], 0.02)
    if main in ready:
        try:
            os.write(1, os.read(main, 65536))
        except OSError:
            break
    if 0 in ready:
        data = os.read(0, 65536)
        if data == b"":
            os.close(side)
            os.close(main)
            break
        typed += data
        while b"\n" in typed:
            line, typed = typed.split(b"\n", 1)
            order = json.loads(line)
            if "type" in order:
                os.write(main, order["type"].encode("utf-8", "surrogateescape"))
            else:
                resize(main, order["size"])
    if status is None:
        done, status = os.waitpid(pid, os.WNOHANG)
        status = None if done == 0 else status
    elif main not in ready:
        break

if status is None:
    _, status = os.waitpid(pid, 0)
    same = None
else:
    same = termios.tcgetattr(side) == before
ended = {"code": os.waitstatus_to_exitcode(status), "sameMode": same}
sys.stderr.write(json.dumps(ended) + "\n")
