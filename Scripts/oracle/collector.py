# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""A collector process on loopback, with its data in a folder."""
import base64
import http.client
import json
import signal
import subprocess
import time
import urllib.parse


class UnexpectedResponseError(Exception):
    """A response with another status than 200."""


class Client:
    """Sends requests to a collector. May be used by several threads."""

    def __init__(self, port):
        self.port = port

    def request(self, method, path, body=None, headers={}):
        # The collector closes idle connections, so each request has its own.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, body, {"authorization": "Bearer dev"} | headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def get(self, path, query=(), **missing):
        """Returns the JSON of a response. If `missing` is passed, it is the result of status 404."""
        path += "?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote) if query else ""
        status, body = self.request("GET", path)
        if status == 404 and "missing" in missing:
            return missing["missing"]
        if status != 200:
            raise UnexpectedResponseError(f"{status} {body.decode(errors='replace')[:500]} for {urllib.parse.unquote(path)}")
        return json.loads(body)

    def send(self, request):
        """Sends a request with events, of which all must be accepted."""
        headers = {"content-type": request.content_type}
        if request.path != "/v1/events":
            headers["authorization"] = "Basic " + base64.b64encode(b"dev:").decode()
        status, body = self.request(request.method, request.path, request.body, headers)
        if status != 200 or json.loads(body)["rejected"]:
            raise UnexpectedResponseError(f"{status} {body.decode(errors='replace')[:500]} for a request to {request.path}")

    def erase_user(self, user):
        """Erases a user and waits for the receipt. Returns the preview, or None if the user is unknown."""
        path = "/v1/users/" + urllib.parse.quote(user, safe="")
        preview = self.get(path + "/erasure", missing=None)
        status, body = self.request("DELETE", path)
        if status != (404 if preview is None else 202):
            raise UnexpectedResponseError(f"{status} {body.decode(errors='replace')[:500]} for DELETE {path}")
        if preview is None:
            return None
        # Until the receipt exists, the status is 404 and then 202.
        deadline = time.monotonic() + 300
        erasures = json.loads(body).get("erasures", [json.loads(body)["erasure"]])
        while any(self.request("GET", "/v1/erasures/" + erasure)[0] != 200 for erasure in erasures):
            if time.monotonic() > deadline:
                raise UnexpectedResponseError(f"erasing {user} takes longer than 300 seconds")
            time.sleep(0.05)
        return preview

    def merge_users(self, user, target):
        """Merges two users, or undoes a merge without a target. Returns the status."""
        path = "/v1/users/" + urllib.parse.quote(user, safe="")
        path += "/unmerge" if target is None else "/merge?into=" + urllib.parse.quote(target, safe="")
        return self.request("POST", path)[0]

    def wait(self):
        """Waits until the index has everything that was sent."""
        end = self.get("/v1/ledger", [("limit", 1)])["end"]
        while not self.get("/v1/wait", [("position", end), ("timeout", 60)])["done"]:
            pass


class Collector(Client):
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, "serve", "--data", self.folder, "--port", "0", "--dev-key", "dev"],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if "http://127.0.0.1:" in line:
                Client.__init__(self, int(line.split("http://127.0.0.1:")[1].split()[0].rstrip("/.,").split("/")[0]))
                return
        raise UnexpectedResponseError("the collector exited before it accepted connections: " + "".join(lines[-5:]))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        self.process.wait()

    def restart(self):
        self.stop()
        self.start()
