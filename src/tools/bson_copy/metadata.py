"""What a dump says about a collection: all of it is checked before anything is done, as whoever made the dump chose it."""
import json

from .basics import MAX_LEVELS, MAX_NAME, Mistake

NUMBERS = ("$numberInt", "$numberLong", "$numberDouble", "$numberDecimal")


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


def plain(value):
    """A number of Extended JSON as a number; anything else as it is."""
    if isinstance(value, dict) and len(value) == 1:
        (kind, text), = value.items()
        if kind in NUMBERS:
            try:
                return float(text)
            except (TypeError, ValueError):
                return value
    return value


def is_number(value):
    try:
        return abs(plain(value)) < float("inf")
    except (TypeError, ValueError, OverflowError):
        return False


def levels(value):
    """How deep lists and dictionaries lie in each other."""
    deep, here = 0, [value]
    while here:
        deep += 1
        here = [inner for outer in here if isinstance(outer, (dict, list)) for inner in (outer.values() if isinstance(outer, dict) else outer)]
    return deep


OF_INDEX = (("name", str, "a string"), ("weights", dict, "an object"), ("default_language", str, "a string"), ("partialFilterExpression", dict, "an object"))
OF_OPTIONS = (("viewOn", str, "a string"), ("pipeline", list, "an array"), ("validator", dict, "an object"), ("validationAction", str, "a string"), ("validationLevel", str, "a string"))


def wrong_kind(holder, members):
    for name, kind, called in members:
        if name in holder and not isinstance(holder[name], kind):
            return f"{name} is not {called}"
    return None


def keys_of(index):
    """The fields of an index, each with 1, -1 or the name of its kind: what MongoDB before 3.4 took for 1, mongorestore does, too."""
    def kind_of(kind):
        kind = plain(kind)
        if isinstance(kind, str) and kind:
            return kind
        return -1 if isinstance(kind, (int, float)) and kind < 0 else 1
    return {field: kind_of(kind) for field, kind in index["key"].items()}


def seconds_of(holder):
    """After how many seconds documents expire; None if they never do, for which MongoDB has NaN and the largest number, too."""
    seconds = plain(holder.get("expireAfterSeconds"))
    return seconds if is_number(seconds) and 0 <= seconds < 2147483647 else None


def wrong_index(index):
    """What is wrong with the description of an index; None if nothing is."""
    if not isinstance(index, dict):
        return "it is not an object"
    key = index.get("key")
    if not isinstance(key, dict) or not key:
        return "key is not an object with fields"
    if not isinstance(plain(index.get("expireAfterSeconds", 0)), (int, float)):
        return "expireAfterSeconds is not a number"
    wrong = wrong_kind(index, OF_INDEX)
    if not wrong and not all(map(is_number, index.get("weights", {}).values())):
        wrong = "a weight is not a number"
    return wrong


def wrong_name(name):
    """Why this is no name of a database or a collection; None if it is one."""
    try:
        encoded = name.encode()
    except UnicodeEncodeError:
        return "is not valid UTF-8"
    if len(encoded) > MAX_NAME:
        return f"is longer than {MAX_NAME} bytes"
    return "has a zero byte" if "\0" in name else None


def parse(text, label):
    """The metadata that this text is."""
    def refuse(why):
        raise Mistake(f"the metadata of {label} {why}")

    try:
        found = json.loads(text or "{}")
        deep = levels(found)
        as_json(found).encode() if deep <= MAX_LEVELS else None
    except RecursionError:
        deep = MAX_LEVELS + 1
    except UnicodeEncodeError:
        refuse("are not valid UTF-8")
    except ValueError as error:
        refuse(f"are not JSON: {error}")
    if deep > MAX_LEVELS:
        refuse(f"are nested more than {MAX_LEVELS} levels deep")
    if not isinstance(found, dict):
        refuse("are not a JSON object")
    for name, kind, called in (("options", dict, "an object"), ("indexes", list, "an array"), ("collectionName", str, "a string"), ("type", str, "a string")):
        if found.get(name) is not None and not isinstance(found[name], kind):
            refuse(f"are wrong: {name} is not {called}")
    wrong = wrong_kind(found.get("options") or {}, OF_OPTIONS)
    if wrong:
        refuse(f"are wrong: {wrong}")
    return found
