"""The hub's client against a server on this machine that answers as the hub does."""

# /// runs
# env = "new"
# ends = 1
# absent = ["progress"]
# vars = {HF_HUB_OFFLINE = "0", HF_HUB_DISABLE_TELEMETRY = "1", HF_HUB_ETAG_TIMEOUT = "2"}
# [[run]]
# log = "hub-2.4/01"
# what = "a gated repository, and no token"
# args = ["1"]
# root = {cause = "permission", detail = "gated_repo", about = "asset"}
# [[run]]
# log = "hub-2.4/02"
# what = "a repository that is not there"
# args = ["2"]
# root = {cause = "file_not_found", detail = "unknown_model", about = "asset"}
# [[run]]
# log = "hub-2.4/03"
# what = "a token that is not valid"
# args = ["3"]
# root = {cause = "permission", detail = "unauthorised", about = "asset"}
# [[run]]
# log = "hub-2.4/04"
# what = "a repository without a configuration"
# args = ["4"]
# root = {type = "ValueError", detail = "model_config", about = "asset"}
# [[run]]
# log = "hub-2.4/05"
# what = "no way to the hub"
# args = ["5"]
# root = {cause = "traceback", detail = "offline_cache_miss", about = "asset"}
# [[run]]
# log = "hub-2.4/06"
# what = "too many requests: transformers says that it could not connect"
# args = ["6"]
# root = {detail = "offline_cache_miss", about = "asset"}
# [[run]]
# log = "hub-0.17/01"
# what = "a gated repository, and no token"
# env = "old"
# args = ["1"]
# root = {cause = "permission", detail = "gated_repo", about = "asset"}
# [[run]]
# log = "hub-0.17/02"
# what = "a repository that is not there"
# env = "old"
# args = ["2"]
# root = {cause = "file_not_found", detail = "unknown_model", about = "asset"}
# ///

import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

part = sys.argv[1]
ANSWERS = {
    "1": (401, "GatedRepo", "Access to model myteam/base is restricted. You must have access to it and be authenticated to access it. Please log in."),
    "2": (404, "RepoNotFound", "Repository not found"),
    "3": (401, "", "Invalid user token."),
    "4": (404, "EntryNotFound", "Entry not found"),
    "6": (429, "", "Too many requests"),
}


class Hub(BaseHTTPRequestHandler):
    """Says one thing to everything."""

    def do_GET(self):
        status, code, words = ANSWERS.get(part, (500, "", ""))
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        self.send_header("X-Error-Message", words)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *args):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    if part == "5":
        server.server_close()
    else:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["HF_ENDPOINT"] = f"http://127.0.0.1:{server.server_address[1]}"
    from transformers import AutoModelForCausalLM

    AutoModelForCausalLM.from_pretrained("myteam/base")


if __name__ == "__main__":
    main()
