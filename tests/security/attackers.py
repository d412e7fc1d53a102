"""What tests of hostile users share: users of their own, a daemon for everybody, and ways to ask it."""
import http.client, json, os, pathlib, pwd, re, shutil, signal, socket, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
if os.getuid() != 0:
    print(f"ok - {pathlib.Path(sys.argv[0]).name} # skip: only root can run jobs as others")
    sys.exit(0)
FOLDER = tempfile.mkdtemp(prefix="sluice-hostile.", dir="/tmp")
os.chmod(FOLDER, 0o755)
SLUICE = FOLDER + "/sluice"
shutil.copy(os.environ.get("SLUICE", str(ROOT / "build/sluice")), SLUICE)
os.environ["SLUICE_HOME"] = FOLDER + "/home"
SOCKET = FOLDER + "/home/run/api.sock"
os.umask(0o022)
TAG = str(os.getpid())
USERS = {}
failures = 0


def make_users(*names):
    for name in names:
        USERS[name] = f"{name}-{TAG}"
        home = f"{FOLDER}/{name}"
        subprocess.run(["useradd", "--no-create-home", "--home-dir", home, "--shell", "/bin/sh", USERS[name]], check=True)
        os.mkdir(home, 0o755)
        os.chown(home, pwd.getpwnam(USERS[name]).pw_uid, pwd.getpwnam(USERS[name]).pw_gid)


def end_processes(user):
    """Ends every process of one of our users, by its number."""
    uid = pwd.getpwnam(USERS[user]).pw_uid
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if entry.stat().st_uid == uid:
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            pass


def clean_up():
    """The daemon, the users and the files; what a test's last line does, whatever came before it."""
    subprocess.run([SLUICE, "daemon", "stop", "--cancel-jobs"], capture_output=True, timeout=300)
    for name, user in USERS.items():
        end_processes(name)
        subprocess.run(["userdel", "--force", user], capture_output=True)
    shutil.rmtree(FOLDER, ignore_errors=True)


def check(title, good, detail=""):
    global failures
    print(("ok - " if good else "not ok - ") + title + ("" if good else f"\n  {detail}"), flush=True)
    failures += not good


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(120)
        self.sock.connect(SOCKET)


def ask(method, path, body=None):
    """The status and the answer; 0 where the daemon hung up."""
    connection = Unix("sluice")
    try:
        connection.request(method, path, body if isinstance(body, (bytes, str, type(None))) else json.dumps(body))
        response = connection.getresponse()
        return response.status, response.read()
    except (ConnectionError, http.client.HTTPException, TimeoutError) as problem:
        return 0, repr(problem).encode()
    finally:
        connection.close()


def as_user(name, work):
    """Runs work in a process of that user; what it returns comes back as JSON."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            entry = pwd.getpwnam(USERS[name])
            os.initgroups(USERS[name], entry.pw_gid)
            os.setgid(entry.pw_gid)
            os.setuid(entry.pw_uid)
            os.write(writing, json.dumps(work()).encode())
            code = 0
        except BaseException as problem:  # noqa: B902
            os.write(2, repr(problem).encode() + b"\n")
        os._exit(code)
    os.close(writing)
    said = b""
    while piece := os.read(reading, 65536):
        said += piece
    os.close(reading)
    os.waitpid(pid, 0)
    return json.loads(said) if said else None


def daemon():
    return json.loads(ask("GET", "/v1/daemon")[1])


def memory_mb(pid, field="VmHWM"):
    found = re.search(field + r":\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
    return int(found.group(1)) // 1024


def raw(data, keep=False, wait=0.2):
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(20)
    line.connect(SOCKET)
    try:
        line.sendall(data)
        if keep:
            return line
        line.settimeout(wait)
        return line.recv(65536)
    except OSError as problem:
        return repr(problem).encode()


def post(path, body):
    return f"POST {path} HTTP/1.1\r\nHost: s\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
