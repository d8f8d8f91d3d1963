"""Unusual but readable content: other storage, other types of attributes, groups with attributes, links."""

import numpy as np

from random_values import chance, pick, uniform


def sides(pair):
    return (pair.mine, pair.golden)


def add_both(pair, path, mine, golden, code):
    from random_pairs import NPU, Entry, contiguous

    for entries, array, device in ((pair.mine, mine, NPU), (pair.golden, golden, 1)):
        attributes = {
            "DeviceType": np.int32(device),
            "DataType": np.int32(code),
            "FormatType": np.int32(0),
            "Type": np.int32(0),
            "Stride": np.array(contiguous(array.shape), np.int64),
        }
        entries.append(Entry(path, array, attributes))


def complex_values(rng, pair):
    values = (uniform(rng, 6) + 1j * uniform(rng, 6)).astype(pick(rng, ["c8", "c16"])).reshape(2, 3)
    add_both(pair, "/Complex/70/output/out", values, values * 2, 1)


def attribute_types(rng, pair):
    for entries in sides(pair):
        for entry in entries:
            for name in ("Type", "DataType", "DeviceType"):
                if name in entry.attributes and chance(rng, 30):
                    kind = pick(rng, ["i8", "u1", "i2", ">i4", "u8"])
                    entry.attributes[name] = np.array(entry.attributes[name]).astype(kind)[()]
            if "Stride" in entry.attributes and chance(rng, 30):
                entry.attributes["Stride"] = entry.attributes["Stride"].astype("i4")


def type_missing(rng, pair):
    for entries in sides(pair):
        for entry in entries:
            if len(entry.attributes) > 1 and chance(rng, 10):
                entry.attributes.pop("Type", None)


def group_attributes(rng, pair):
    from random_pairs import Entry

    for entries in sides(pair):
        if entries and chance(rng, 70):
            parts = pick(rng, entries).path.split("/")
            depth = 3 + int(rng.randint(2))
            if depth < len(parts):
                entries.append(Entry("/".join(parts[:depth]), None, {"Note": np.int32(int(rng.randint(2)))}))


def empty_groups(rng, pair):
    from random_pairs import Entry

    pick(rng, sides(pair)).append(Entry(f"/Empty/{int(rng.randint(60))}"))
    pick(rng, sides(pair)).append(Entry(f"/Mul/{61 + int(rng.randint(9))}/output"))
    pick(rng, sides(pair)).append(Entry("/NoRuns"))


def storage(rng, pair):
    for entries in sides(pair):
        for entry in entries:
            if entry.array is not None and entry.array.size > 1 and chance(rng, 50):
                entry.options = dict(chunks=True, **pick(rng, [{}, {"compression": "gzip"}, {"shuffle": True}]))


def links(rng, pair):
    for entries in sides(pair):
        datasets = [entry for entry in entries if entry.array is not None]
        if datasets and chance(rng, 70):
            target = pick(rng, datasets)
            entry = type(target)(f"/Linked/{80 + int(rng.randint(3))}/output/out")
            entry.link = target.path
            entry.soft = chance(rng, 50)
            entries.append(entry)


EXTRAS = [
    complex_values,
    attribute_types,
    type_missing,
    group_attributes,
    empty_groups,
    storage,
    links,
]


def add_extras(rng, pair):
    pick(rng, EXTRAS)(rng, pair)
    if chance(rng, 30):
        pick(rng, EXTRAS)(rng, pair)
