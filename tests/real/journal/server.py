"""A server of PostgreSQL, whose writes to some of its files fail when a test says so."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

LIBRARY, SCRATCH = (os.environ[name] for name in ("JOURNAL_FAULTS", "JOURNAL_SCRATCH"))
# The longest time of a statement.
TIMEOUT = 120
# Longer than the ten seconds for which a write waits for a lock.
LOCK_SECONDS = 12


def programs():
    """Returns the folder of the newest PostgreSQL."""
    found = glob.glob("/usr/lib/postgresql/*/bin")
    found.sort(key=lambda folder: int(folder.split("/")[4]) if folder.split("/")[4].isdigit() else 0)
    if found:
        return found[-1]
    return os.path.dirname(shutil.which("initdb") or exit("PostgreSQL is not installed; see .ci/postgres"))


def ordinary_user():
    """Returns what makes a process that of an ordinary user, because PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return {}
    users = {user.pw_name for user in pwd.getpwall()}
    return {"user": "postgres" if "postgres" in users else "nobody", "extra_groups": []}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    """A server in a folder of its own. Its writes to the folder `files` of its data can be made to fail."""

    def __init__(self, files):
        self.folder, self.port = os.path.join(SCRATCH, f"server-{files}"), free_port()
        self.bin, self.user = programs(), ordinary_user()
        self.armed = os.path.join(self.folder, "armed")
        os.makedirs(self.folder)
        if self.user:
            shutil.chown(self.folder, self.user["user"])
        self.log = open(f"{self.folder}.log", "ab")
        self.options = {"cwd": "/", "stdout": self.log, "stderr": self.log, **self.user}
        data = os.path.join(self.folder, "data")
        self.call("initdb", "-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        self.command = [os.path.join(self.bin, "postgres"), "-D", data, "-k", self.folder, "-h", "127.0.0.1"]
        # With all its waits for the disk, which may fail.
        self.command += ["-p", str(self.port), "-c", "fsync=on", "-c", "max_connections=100"]
        self.environment = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C",
            "LD_PRELOAD": LIBRARY,
            "FAULT_PATH": os.path.join(data, files),
            "FAULT_ARMED": self.armed,
        }
        self.process = None
        self.start()
        self.sql("CREATE DATABASE agents", "postgres")

    def call(self, program, *arguments):
        command = [os.path.join(self.bin, program), *arguments]
        subprocess.run(command, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, check=True, **self.options)

    def start(self):
        # The processes of a server that was killed may still be there for a moment, and then it does not start.
        for _ in range(100):
            self.process = subprocess.Popen(self.command, env=self.environment, **self.options)
            if self.answers():
                return
            time.sleep(0.1)
        raise SystemExit(f"PostgreSQL does not start:\n{open(self.log.name).read()[-2000:]}")

    def answers(self):
        """Waits until the server answers, also after it has ended all its processes because of a fault. Returns whether it
        does, or has ended."""
        for _ in range(600):
            if self.process.poll() is not None:
                return False
            if self.psql("postgres", "SELECT 1").returncode == 0:
                return True
            time.sleep(0.05)
        raise SystemExit(f"PostgreSQL does not answer:\n{open(self.log.name).read()[-2000:]}")

    def mend(self):
        """Takes the fault away, and starts the server if it has ended. Returns whether a fault was left."""
        is_left = os.path.exists(self.armed)
        if is_left:
            os.unlink(self.armed)
        # A server that cannot recover needs a moment to end.
        time.sleep(0.2)
        if not self.answers():
            self.start()
        return is_left

    def arm(self, kind):
        with open(self.armed + ".new", "w") as armed:
            armed.write(kind)
        if self.user:
            shutil.chown(armed.name, self.user["user"])
        os.rename(armed.name, self.armed)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends the server with all its processes, so that nobody writes to its folder any more."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(30)

    def psql(self, database, sql):
        command = [os.path.join(self.bin, "psql"), "--no-psqlrc", "-qtAX", "-v", "ON_ERROR_STOP=1", "-h", self.folder]
        command += ["-p", str(self.port), "-U", "admin", "-d", database, "-c", sql]
        return subprocess.run(command, text=True, capture_output=True, timeout=TIMEOUT)

    def sql(self, sql, database="agents"):
        ran = self.psql(database, sql)
        if ran.returncode != 0:
            raise SystemExit(f"{sql}: {ran.stderr}")
        return ran.stdout.strip()

    def hold_lock(self, table):
        """Locks a table as another program, and returns its session, which waits for the lock if it is in use."""
        sql = f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({LOCK_SECONDS}); COMMIT"
        command = [os.path.join(self.bin, "psql"), "--no-psqlrc", "-qX", "-h", self.folder, "-p", str(self.port)]
        command += ["-U", "admin", "-d", "agents", "-c", sql]
        session = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        waits = f"SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE {table} %' AND pid <> pg_backend_pid()"
        for _ in range(100):
            if self.sql(waits) != "0":
                break
            time.sleep(0.02)
        return session
