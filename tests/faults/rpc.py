"""JSON-RPC 2.0 messages as bytes. Results are JSON already: a body is spliced, not encoded."""
import json


class RpcError(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def dump(x):
    return json.dumps(x, separators=(",", ":")).encode()


def reply(id_, result):
    return b'{"jsonrpc":"2.0","id":' + dump(id_) + b',"result":' + result + b"}"


def error_reply(id_, code, message, data=None):
    error = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return dump({"jsonrpc": "2.0", "id": id_, "error": error})


def notification(sub_id, result):
    """sub_id: JSON, as the subscription writes it."""
    return (b'{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":' + sub_id
            + b',"result":' + result + b"}}")
