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
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        subprocess.run(command, env=environment, cwd="/", check=True, stdout=self.log, stderr=self.log, **self.user)

    def start(self):
        self.process = subprocess.Popen(
            self.command, env=self.environment, cwd="/", stdout=self.log, stderr=self.log, start_new_session=True, **self.user
        )
        self.await_ready()

    def await_ready(self):
        """Waits until the server answers, also after it has ended all its processes because of a fault."""
        for _ in range(600):
            asked = self.psql("postgres", "SELECT 1")
            if asked.returncode == 0:
                return
            if self.process.poll() is not None:
                raise SystemExit(f"PostgreSQL has ended; see {self.log.name}:\n{open(self.log.name).read()[-2000:]}")
            time.sleep(0.05)
        raise SystemExit(f"PostgreSQL does not answer: {asked.stderr}")

    def mend(self):
        """Takes the fault away, and starts the server if it has ended. Returns whether a fault was left."""
        is_left = os.path.exists(self.armed)
        if is_left:
            os.unlink(self.armed)
        if self.process.poll() is None:
            try:
                # A server that could not recover ends.
                self.process.wait(0.2)
            except subprocess.TimeoutExpired:
                self.await_ready()
                return is_left
        self.start()
        return is_left

    def arm(self, kind):
        with open(self.armed + ".new", "w") as armed:
            armed.write(kind)
        if self.user:
            shutil.chown(armed.name, self.user["user"])
        os.rename(armed.name, self.armed)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.kill()

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
