"""The documents of NoBench, as its authors' generator makes them.

C. Chasseur, Y. Li, J. Patel, "Enabling JSON Document Stores in Relational Systems", WebDB 2013.  The generator is a program in
Python 2, which three things follow from.  All but the words of nested_arr come out byte for byte as in its files:

- A string is a number: base32 of Python's spelling of its binary digits, 'GBRDCMI=' for 0b11.  The same strings are in str1,
  str2, nested_obj.str, dyn1, dyn2, and in all ten sparse fields of a document, which have one of eleven.
- The fields come in the order of a dictionary of Python 2, by hash.  The sparse ones are anywhere between the others, in other
  places for each of the hundred clusters, so there are a hundred orders.
- The documents come shuffled.

The words are drawn from a million words of English, so a few are in every eighth array.  Ours are drawn by the same law (Zipf's).
"""
import base64
import hashlib
import json

WORDS = 49815                   # different ones
FIELDS = ('str1', 'str2', 'num', 'bool', 'dyn1', 'dyn2', 'nested_arr', 'nested_obj')


def draw(*seed):
    """A number from 0 to 1 that is the same everywhere."""
    return int(hashlib.md5('/'.join(map(str, seed)).encode()).hexdigest()[:13], 16) / 16 ** 13


def string(number):
    return base64.b32encode(bin(number).encode()).decode()


def word(rank):
    """Frequent words are short: one syllable for each two digits of the rank."""
    text = ''
    while True:
        text += 'bcdfghjklmnprstvwxyz'[rank % 20] + 'aeiou'[rank // 20 % 5]
        rank //= 100
        if rank == 0:
            return text


def words(seed):
    return [word(int(WORDS ** draw(seed, place)) - 1) for place in range(seed % 8)]


def python2_hash(key):
    result = ord(key[0]) << 7
    for letter in key:
        result = result * 1000003 % 2 ** 64 ^ ord(letter)
    return result ^ len(key)


def put(slots, key):
    slot = rest = python2_hash(key)
    while slots[slot % len(slots)]:
        slot = 5 * slot + rest + 1
        rest >>= 5
    slots[slot % len(slots)] = key


def python2_order(keys):
    """The order in which a dictionary of Python 2 gives back keys that were added in the given one."""
    slots = [None] * 8
    for used, key in enumerate(keys, 1):
        put(slots, key)
        if 3 * used >= 2 * len(slots):
            old = [key for key in slots if key]
            slots = [None] * max(8, 2 ** (4 * used).bit_length())
            for key in old:
                put(slots, key)
    return [key for key in slots if key]


def sparse(cluster):
    return [f'sparse_{cluster * 10 + place:03}' for place in range(10)]


def document(number, count, order):
    other = (number + count // 2) % count
    values = {
        'str1': string(number), 'str2': string(other), 'num': number, 'bool': number % 2 == 1, 'nested_arr': words(number),
        'dyn1': number if number % 20 else string(number), 'dyn2': (number % 2 == 1, string(number), number)[number % 3],
        'nested_obj': {'num': other, 'str': string(other)}, 'thousandth': number % 1000}
    return {key: values[key] if key in values else string(number % 11) for key in order}


def documents(count):
    """The documents, as lines of JSON."""
    orders = [python2_order([*FIELDS, *sparse(cluster), 'thousandth']) for cluster in range(100)]
    return [json.dumps(document(number, count, orders[number % 100])) for number in sorted(range(count), key=draw)]
