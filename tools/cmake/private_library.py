#!/usr/bin/env python3
"""Gives a shared library copies of libraries that nobody else in the process can see.

    private_library.py CLIENT LIBRARY:COPY:OLD=NEW[:OLD=NEW ...] ...

Writes COPY, in which the text OLD is replaced by NEW, of the same length, in the names of all dynamic symbols
of LIBRARY and in its own name; the same is done to CLIENT in place, so that it finds the copy. What else is
loaded into the process, another version of the same library above all, then has no symbol in common with it.

The static libraries of the distribution would do without this, but are not made to be linked into shared
objects.
"""
import pathlib
import struct
import sys

SHT_RELA, SHT_GNU_HASH, SHT_DYNSYM, SHT_VERSYM = 4, 0x6FFFFFF6, 11, 0x6FFFFFFF
SYMBOL_BYTES, RELA_BYTES = 24, 24


class Elf:
    """The sections of a 64-bit little-endian ELF file that matter here."""

    def __init__(self, data):
        self.data = bytearray(data)
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise SystemExit("not a 64-bit little-endian ELF file")
        (offset,) = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 58)
        self.sections = []
        for i in range(count):
            fields = struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size)
            _, kind, _, _, start, length, link, _, _, _ = fields
            self.sections.append((kind, start, length, link))

    def find(self, kind):
        return next((s for s in self.sections if s[0] == kind), None)

    def names(self):
        """Where the names of dynamic symbols are: start and length."""
        table = self.sections[self.find(SHT_DYNSYM)[3]]
        return table[1], table[2]

    def rename(self, changes):
        start, length = self.names()
        text = bytes(self.data[start : start + length])
        for old, new in changes:
            if len(old) != len(new):
                raise SystemExit(f"{old} and {new} differ in length")
            text = text.replace(old, new)
        self.data[start : start + length] = text

    def symbol_name(self, index):
        start, _ = self.names()
        (at,) = struct.unpack_from("<I", self.data, self.find(SHT_DYNSYM)[1] + index * SYMBOL_BYTES)
        return bytes(self.data[start + at : self.data.index(0, start + at)])

    def rehash(self):
        """Writes the hash table anew, for which its symbols are put into the order of their buckets."""
        _, table, table_bytes, _ = self.find(SHT_GNU_HASH)
        _, symbols, symbols_bytes, _ = self.find(SHT_DYNSYM)
        buckets, first, bloom_words, shift = struct.unpack_from("<IIII", self.data, table)
        count = symbols_bytes // SYMBOL_BYTES
        hashes = {i: gnu_hash(self.symbol_name(i)) for i in range(first, count)}
        order = sorted(hashes, key=lambda i: hashes[i] % buckets)
        self.reorder(first, order)
        bloom = [0] * bloom_words
        heads, chain = [0] * buckets, []
        for at, old in enumerate(order):
            value = hashes[old]
            bloom[value // 64 % bloom_words] |= 1 << value % 64 | 1 << (value >> shift) % 64
            bucket = value % buckets
            heads[bucket] = heads[bucket] or first + at
            last = at + 1 == len(order) or hashes[order[at + 1]] % buckets != bucket
            chain.append(value & ~1 | last)
        form = f"<IIII{bloom_words}Q{buckets}I{len(chain)}I"
        packed = struct.pack(form, buckets, first, bloom_words, shift, *bloom, *heads, *chain)
        if len(packed) > table_bytes:
            raise SystemExit("the hash table does not fit")
        self.data[table : table + len(packed)] = packed

    def reorder(self, first, order):
        """Symbol order[i] becomes symbol first + i, wherever symbols are referred to by number."""
        new_index = {old: first + at for at, old in enumerate(order)}
        for kind, width in ((SHT_DYNSYM, SYMBOL_BYTES), (SHT_VERSYM, 2)):
            section = self.find(kind)
            if section is None:
                continue
            old_bytes = bytes(self.data[section[1] : section[1] + section[2]])
            for old, new in new_index.items():
                at = section[1] + new * width
                self.data[at : at + width] = old_bytes[old * width : (old + 1) * width]
        for kind, start, length, link in self.sections:
            if kind != SHT_RELA or self.sections[link][0] != SHT_DYNSYM:
                continue
            for at in range(start, start + length, RELA_BYTES):
                info = struct.unpack_from("<Q", self.data, at + 8)[0]
                symbol = new_index.get(info >> 32)
                if symbol is not None:
                    struct.pack_into("<Q", self.data, at + 8, symbol << 32 | info & 0xFFFFFFFF)


def gnu_hash(name):
    value = 5381
    for byte in name:
        value = value * 33 + byte & 0xFFFFFFFF
    return value


def replace(path, data):
    """Writes a new file in the place of the old one, which running programs may have mapped."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(data)
    temporary.chmod(0o755)
    temporary.replace(path)


def main(client, specs):
    client = pathlib.Path(client)
    user = Elf(client.read_bytes())
    for spec in specs:
        path, copy, *pairs = spec.split(":")
        changes = [tuple(part.encode() for part in pair.split("=")) for pair in pairs]
        library = Elf(pathlib.Path(path).read_bytes())
        library.rename(changes)
        library.rehash()
        replace(pathlib.Path(copy), library.data)
        user.rename(changes)
    replace(client, user.data)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
