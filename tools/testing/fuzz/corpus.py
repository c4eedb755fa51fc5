#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Inputs of the fuzz targets.

corpus.py extract DIR PCAP...  what captures of ibdevsim have for each target, into
                               DIR/TARGET
corpus.py pack DIR FILE        the files of DIR, as a line of hexadecimal digits each
corpus.py unpack FILE DIR      the reverse
"""

import hashlib
import os
import struct
import sys

LICENCE = "# SPDX-License-Identifier: GPL-2.0\n"

# IBTA: next headers of the LRH, transports of the BTH's opcode.
LNH_LOCAL, LNH_GLOBAL = 2, 3
UD_SEND_ONLY = 0x64
QPN_GSI = 1

# IBTA 12.6: service ID and private data in messages of the CM, from the MAD's begin on.
CLASS_CM, CLASS_SA = 0x07, 0x03
CM_PRIVATE = {0x10: (164, 92), 0x12: (108, 148), 0x13: (60, 196), 0x14: (32, 224),
              0x15: (36, 220), 0x16: (32, 224)}
CM_REQ, CM_SERVICE_ID = 0x10, 32

# IBTA 13.4.4, 15.2.2 and 15.2.5: methods and attributes of the SA.
GET_RESP, GET_TABLE_RESP, REPORT = 0x81, 0x92, 0x06
ATTR_NOTICE, ATTR_GROUP = 0x02, 0x38
SA_HEADER, SA_SEGMENT = 56, 200
RMPP_DATA, RMPP_LAST = 1, 4

BROADCAST = bytes.fromhex("ff12401bffff000000000000ffffffff")


class Corpus:
    """A directory for each target, in it a file for each input."""

    def __init__(self, base):
        self.base = base
        self.tables = {}

    def add(self, target, data):
        """An input, unless it is known."""
        where = os.path.join(self.base, target)
        os.makedirs(where, exist_ok=True)
        name = hashlib.sha1(data).hexdigest()
        with open(os.path.join(where, name), "wb") as file:
            file.write(data)

    def packet(self, packet):
        """A packet of the link layer, from the LRH on."""
        at = 8
        if packet[1] & 3 == LNH_GLOBAL:
            at += 40
        elif packet[1] & 3 != LNH_LOCAL:
            return
        if packet[at] != UD_SEND_ONLY:
            return
        pad = packet[at + 1] >> 4 & 3
        qpn = int.from_bytes(packet[at + 5:at + 8], "big")
        # BTH and DETH before it; padding, ICRC and VCRC behind it
        payload = packet[at + 20:len(packet) - 6 - pad]
        if qpn == QPN_GSI:
            self.mad(payload[:256])
        elif qpn > QPN_GSI:
            self.ipoib(payload)

    def mad(self, mad):
        """A MAD to QP 1."""
        if len(mad) < 256:
            return
        if mad[1] == CLASS_CM:
            self.cm_message(mad)
        elif mad[1] == CLASS_SA:
            self.sa_message(mad)

    def cm_message(self, mad):
        """A message of the connection manager."""
        attribute = struct.unpack_from(">H", mad, 16)[0]
        if attribute in CM_PRIVATE:
            at, length = CM_PRIVATE[attribute]
            self.add("cm_private", mad[at:at + length])
        if attribute == CM_REQ:
            self.add("service", mad[CM_SERVICE_ID:CM_SERVICE_ID + 8])

    def sa_message(self, mad):
        """A message of the subnet administrator."""
        method, attribute = mad[3], struct.unpack_from(">H", mad, 16)[0]
        if attribute == ATTR_NOTICE and method == REPORT:
            # In what is reserved OpenSM sends what is on its stack.
            self.add("sa_report", mad[:66] + bytes(6) + mad[72:88] + bytes(32) + mad[120:])
        elif attribute == ATTR_GROUP and method == GET_RESP:
            mgid = mad[SA_HEADER:SA_HEADER + 16]
            self.add("sa_group", mgid + mad)
            self.group(mgid)
        elif attribute == ATTR_GROUP and method == GET_TABLE_RESP:
            self.segment(mad)

    def segment(self, mad):
        """Of a table, segments of which come one after the other."""
        kind, flags = mad[25], mad[26]
        number, length = struct.unpack_from(">II", mad, 28)
        if flags & 1 and kind != RMPP_DATA:
            return
        question = mad[8:16]
        if number <= 1:
            self.tables[question] = mad[:SA_HEADER]
        end = len(mad)
        if flags & RMPP_LAST:
            # It counts the SA's header, which each segment has, but not RMPP's.
            end = min(end, SA_HEADER + max(length - 20, 0))
        self.tables[question] = self.tables.get(question, b"") + mad[SA_HEADER:end]
        if flags & RMPP_LAST:
            self.add("sa_table", bytes(4) + self.tables.pop(question))

    def group(self, mgid):
        """A group: those of the stack are made from the same octets."""
        self.add("mgid", mgid + BROADCAST + mgid[1:2] + mgid[4:6] + mgid[12:16] + mgid)

    def ipoib(self, packet):
        """A packet of IPoIB."""
        kind = packet[:2]
        self.add("csum", kind + packet[4:132])
        if kind == b"\x08\x06" or kind == b"\x86\xdd" and packet[10] == 58:
            self.add("snoop", packet[:128])
        else:
            self.add("snoop", kind)
        if kind == b"\x08\x06" and len(packet) >= 56:
            self.add("hwaddr", packet[12:32] + packet[36:56])


def packets(name):
    """Those of a capture."""
    with open(name, "rb") as file:
        file.read(24)
        while True:
            header = file.read(16)
            if len(header) < 16:
                return
            yield file.read(struct.unpack("=4I", header)[2])


def extract(base, captures):
    """All inputs that are in captures."""
    corpus = Corpus(base)
    for name in captures:
        for packet in packets(name):
            corpus.packet(packet)


def pack(base, name):
    """Shortest inputs first."""
    inputs = []
    for entry in os.scandir(base):
        with open(entry.path, "rb") as file:
            inputs.append(file.read())
    with open(name, "w", encoding="ascii") as file:
        file.write(LICENCE)
        for data in sorted(inputs, key=lambda data: (len(data), data)):
            file.write(data.hex() + "\n")


def unpack(name, base):
    """Into files called by their numbers."""
    os.makedirs(base, exist_ok=True)
    with open(name, encoding="ascii") as file:
        lines = [line for line in file if not line.startswith("#")]
    for number, line in enumerate(lines):
        with open(os.path.join(base, str(number)), "wb") as file:
            file.write(bytes.fromhex(line))


if __name__ == "__main__":
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "extract":
        extract(arguments[0], arguments[1:])
    elif what == "pack":
        pack(*arguments)
    elif what == "unpack":
        unpack(*arguments)
    else:
        sys.exit(__doc__)
