"""A relay for the drivers' specification tests: what they configure by the test command configureFailPoint (failCommand) happens
here, between driver and server, so that bsond has no commands for tests.  With arguments PORT LISTEN... it serves until it is ended."""
import socket
import socketserver
import struct
import sys
import threading
import time

import bson

# what a server labels by itself in a transaction: errors after which all of it can be tried again
TRANSIENT = {6, 7, 24, 89, 91, 112, 134, 189, 246, 251, 262, 267, 384, 9001, 10107, 11600, 11602, 13435, 13436}
# and those that are labeled so at a commit, too
AT_COMMIT = {24, 112, 246, 251, 267}
# those after which a change stream is opened again where it was
RESUMABLE = {6, 7, 43, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436}

# the names of codes that tests look at
NAMES = {50: {"codeName": "MaxTimeMSExpired"}, 11601: {"codeName": "Interrupted"}}


def exactly(sock, size):
    parts = []
    while size:
        part = sock.recv(min(size, 1 << 20))
        if not part:
            raise ConnectionError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def message(sock):
    head = exactly(sock, 16)
    return head + exactly(sock, struct.unpack_from("<i", head)[0] - 16)


def command(text):
    """The command of a message, and where its document begins; a command's documents may follow in sections of their own."""
    at = 20
    if struct.unpack_from("<i", text, 12)[0] == 2004:  # OP_QUERY
        at = text.index(b"\0", 20) + 9
    else:
        while text[at]:
            at += 1 + struct.unpack_from("<i", text, at + 1)[0]
        at += 1
    return bson.decode(text[at : at + struct.unpack_from("<i", text, at)[0]]), at


def reply(to, document):
    body = b"\0\0\0\0\0" + bson.encode(document)
    return struct.pack("<iiii", 16 + len(body), 0, struct.unpack_from("<i", to, 4)[0], 2013) + body


class Relay(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 100

    def __init__(self, listen, server):
        self.point, self.lock, self.server = {"mode": "off"}, threading.Lock(), server
        super().__init__(("127.0.0.1", listen), Client)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def fails(self, name, application):
        """What is to happen to a command, if anything."""
        with self.lock:
            data, mode = self.point.get("data", {}), self.point["mode"]
            if mode == "off" or name not in data.get("failCommands", []) or data.get("appName", application) != application:
                return {}
            if isinstance(mode, dict):
                if mode.get("skip", 0) > 0:
                    mode["skip"] -= 1
                    return {}
                if "times" in mode:
                    mode["times"] -= 1
                    if mode["times"] <= 0:
                        self.point = {"mode": "off"}
            return data


class Client(socketserver.BaseRequestHandler):
    def handle(self):
        application = None
        with socket.create_connection(self.server.server) as server:
            for sock in server, self.request:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                while True:
                    application = self.one(server, message(self.request), application)
            except OSError:
                pass

    def one(self, server, text, application):
        asked, at = command(text)
        name = next(iter(asked))
        application = asked.get("client", {}).get("application", {}).get("name", application)
        if name == "configureFailPoint":
            if asked[name] == "failGetMoreAfterCursorCheckout":
                data = asked.setdefault("data", {})
                data["failCommands"] = ["getMore"]
                if data.get("errorCode") in RESUMABLE:
                    data["errorLabels"] = ["ResumableChangeStreamError"]
            with self.server.lock:
                self.server.point = asked
            self.request.sendall(reply(text, {"ok": 1.0}))
            return application
        data = self.server.fails(name, application)
        if data.get("blockConnection"):
            time.sleep(data["blockTimeMS"] / 1000)
        if data.get("closeConnection"):
            raise ConnectionError
        answer = None
        if "errorCode" in data:
            answer = {"ok": 0.0, "errmsg": "failing by failCommand", "code": data["errorCode"], **NAMES.get(data["errorCode"], {}), **data.get("errorExtraInfo", {})}
            if asked.get("autocommit") is False and name != "abortTransaction" and data["errorCode"] in (AT_COMMIT if name == "commitTransaction" else TRANSIENT):
                answer["errorLabels"] = ["TransientTransactionError"]
        else:
            server.sendall(text)
            if struct.unpack_from("<i", text, 12)[0] == 2013 and struct.unpack_from("<i", text, 16)[0] & 2:  # no answer is wanted
                return application
            given = message(server)
            if "writeConcernError" in data or name == "getParameter":
                answer = command(given)[0]
                answer.update({"writeConcernError": data["writeConcernError"]} if data else {"enableTestCommands": True})
        if answer is not None:
            if "errorLabels" in data:
                answer["errorLabels"] = data["errorLabels"]
            given = reply(text, answer)
        self.request.sendall(given)
        return application


if __name__ == "__main__":
    relays = [Relay(int(port), ("127.0.0.1", int(sys.argv[1]))) for port in sys.argv[2:]]
    threading.Event().wait()
