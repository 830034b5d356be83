"""WebSocket framing (RFC 6455) for both ends: bytes in, bytes out, no socket."""
import base64
import hashlib
import os
import struct

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
MAX_PAYLOAD = 64 << 20


class ProtocolError(Exception):
    pass


def accept_key(key):
    return base64.b64encode(hashlib.sha1(key.encode() + GUID).digest()).decode()


def header(op, length, fin=True, rsv=0, mask=False):
    """A frame header without the mask key."""
    first, bit = (0x80 if fin else 0) | rsv << 4 | op, 0x80 if mask else 0
    if length < 126:
        return bytes([first, bit | length])
    if length < 1 << 16:
        return struct.pack(">BBH", first, bit | 126, length)
    return struct.pack(">BBQ", first, bit | 127, length)


def frame(op, payload, fin=True, rsv=0, mask=False):
    if not mask:
        return header(op, len(payload), fin, rsv) + payload
    key = os.urandom(4)
    return header(op, len(payload), fin, rsv, True) + key + apply_mask(payload, key)


def close_payload(code, reason=""):
    return struct.pack(">H", code) + reason.encode()


def apply_mask(data, key):
    n = len(data)
    pad = (key * (n // 4 + 1))[:n]
    return (int.from_bytes(data, "big") ^ int.from_bytes(pad, "big")).to_bytes(n, "big")


def read_frame(read):
    """One frame through read(n) → exactly n bytes. Returns (fin, op, payload, rsv)."""
    first, second = read(2)
    length = second & 0x7F
    if length == 126:
        length = struct.unpack(">H", read(2))[0]
    elif length == 127:
        length = struct.unpack(">Q", read(8))[0]
    if length > MAX_PAYLOAD:
        raise ProtocolError("frame of %d bytes" % length)
    key = read(4) if second & 0x80 else None
    payload = read(length)
    return bool(first & 0x80), first & 0x0F, apply_mask(payload, key) if key else payload, \
        first >> 4 & 7
