"""Writes Arrow files of every kind with pyarrow, each beside the same rows as JSON lines, for pyarrow.full.spec.ts."""

import datetime
import decimal
import json
import random
import struct
import sys

import pyarrow as pa
import pyarrow.feather as feather

folder = sys.argv[1]
rows = 240
draw = random.Random(39)
decimal.getcontext().prec = 90
EPOCH = datetime.datetime(1970, 1, 1)


def whole(value):
    return value if abs(value) <= 2**53 - 1 else str(value)


def iso(value, unit):
    digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[unit]
    seconds, fraction = divmod(value, 10**digits)
    text = (EPOCH + datetime.timedelta(seconds=seconds)).isoformat()
    return f"{text}.{fraction:0{digits}d}Z" if digits else f"{text}Z"


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def shortest(value):
    return next(float(text) for text in (f"{value:.{digits}g}" for digits in range(6, 10)) if single(float(text)) == value)


def text_of(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "0x" + data.hex()


def sized(value, scale):
    return decimal.Decimal(value).scaleb(-scale)


def decimal_text(value, scale):
    return f"{sized(value, scale):.{scale}f}" if scale > 0 else str(value * 10**-scale)


def integers(bits, signed=True):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return lambda: draw.choice([low, high, 0, draw.randint(low, high), draw.randint(0, min(high, 1000))])


def times(unit, low=-2_000_000_000, high=4_000_000_000):
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    return lambda: draw.randint(low * per, high * per)


def words():
    return draw.choice(["", "BUY", "SELL", "Zürich 日本 😀", 'a "quote", a\ttab', "x" * draw.randint(13, 60), "KXA-26AUG10-T1"])


def blobs(size=None):
    return lambda: draw.choice([b"\xff\xfe" + bytes(draw.randbytes(14)), b"0123456789abcdef"]) if size else draw.choice([b"", b"\xff\x00", "é".encode(), draw.randbytes(20) + b"\xff"])


same = lambda value: value
columns = []


def column(name, type, make, shown=same, given=same):
    values = [make() if draw.random() > 0.2 else None for _ in range(rows)]
    data = pa.array([None if value is None else given(value) for value in values], type=type)
    columns.append((name, data, [None if value is None else shown(value) for value in values]))


for bits in (8, 16, 32, 64):
    column(f"int{bits}", getattr(pa, f"int{bits}")(), integers(bits), whole)
    column(f"uint{bits}", getattr(pa, f"uint{bits}")(), integers(bits, False), whole)
column("flag", pa.bool_(), lambda: draw.random() < 0.5)
column("half", pa.float16(), lambda: struct.unpack("<e", struct.pack("<e", draw.uniform(-9, 9)))[0])
column("single", pa.float32(), lambda: single(draw.choice([0.1, draw.uniform(0, 1), draw.uniform(-1e9, 1e9), 1e-30])), shortest)
column("double", pa.float64(), lambda: draw.choice([0.1, draw.random(), 1e300, -5e-324]))
for unit in ("s", "ms", "us", "ns"):
    for zone in (None, "UTC", "America/New_York", "+05:30"):
        column(f"at_{unit}_{zone}", pa.timestamp(unit, tz=zone), times(unit), lambda value, unit=unit: iso(value, unit))
column("date32", pa.date32(), lambda: draw.randint(-9_000, 40_000), lambda days: iso(days * 86_400, "s")[:10])
column("date64", pa.date64(), lambda: draw.randint(-9_000, 40_000) * 86_400_000, lambda ms: iso(ms, "ms")[:10])
column("clock_s", pa.time32("s"), lambda: draw.randint(0, 86_399), lambda value: iso(value * 1000, "ms")[11:-1])
for unit in ("ms", "us", "ns"):
    type = pa.time32(unit) if unit == "ms" else pa.time64(unit)
    per = {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    column(f"clock_{unit}", type, lambda per=per: draw.randint(0, 86_400 * per - 1), lambda value, unit=unit: iso(value, unit)[11:-1])
for bits, digits, scale in ((32, 9, 4), (64, 18, 6), (128, 38, 10), (128, 9, 2), (128, 5, 0), (256, 76, 30), (256, 50, 0)):
    type = getattr(pa, f"decimal{bits}")(digits, scale)
    column(f"decimal{bits}_{digits}_{scale}", type,
           lambda digits=digits: draw.choice([1, -1]) * draw.randint(0, 10 ** draw.randint(1, digits) - 1),
           lambda value, scale=scale: decimal_text(value, scale), lambda value, scale=scale: sized(value, scale))
for name, type in (("string", pa.string()), ("large_string", pa.large_string()), ("string_view", pa.string_view())):
    column(name, type, words)
for name, type in (("binary", pa.binary()), ("large_binary", pa.large_binary()), ("binary_view", pa.binary_view())):
    column(name, type, blobs(), text_of)
column("fixed", pa.binary(16), blobs(16), text_of)
column("uuid", pa.uuid(), lambda: draw.randbytes(16), lambda data: "-".join((data[:4].hex(), data[4:6].hex(), data[6:8].hex(), data[8:10].hex(), data[10:].hex())))
column("nothing", pa.null(), lambda: None)
column("seconds", pa.duration("ms"), lambda: draw.randint(-(10**9), 10**9))


def dictionary(name, key, value_type, make, shown=same, given=same):
    values = [make() if draw.random() > 0.2 else None for _ in range(rows)]
    data = pa.array([None if value is None else given(value) for value in values], type=value_type).dictionary_encode()
    data = pa.DictionaryArray.from_arrays(data.indices.cast(key), data.dictionary)
    columns.append((name, data, [None if value is None else shown(value) for value in values]))


dictionary("side", pa.int8(), pa.string(), lambda: draw.choice(["BUY", "SELL", "日本"]))
dictionary("side_large", pa.uint16(), pa.large_string(), lambda: draw.choice(["BUY", "SELL", ""]))
dictionary("side_view", pa.int64(), pa.string(), lambda: draw.choice(["yes", "no"]))
few = [times("us")() for _ in range(5)]
dictionary("at_few", pa.int32(), pa.timestamp("us", tz="UTC"), lambda: draw.choice(few), lambda value: iso(value, "us"))
dictionary("price_few", pa.int32(), pa.decimal128(9, 4), lambda: draw.choice([5_250, -1, 0]), lambda value: decimal_text(value, 4), lambda value: sized(value, 4))
dictionary("big_few", pa.int32(), pa.int64(), lambda: draw.choice([2**60 + 1, 7]), whole)

level = lambda: [draw.choice(["0.5", "0.51", None]), draw.choice(["7", ""])]
levels = lambda: [level() if draw.random() > 0.1 else None for _ in range(draw.randint(0, 4))]
for name, type in (
    ("levels", pa.list_(pa.list_(pa.string()))),
    ("levels_large", pa.large_list(pa.large_list(pa.large_string()))),
    ("levels_view", pa.list_view(pa.list_view(pa.string()))),
    ("levels_fixed", pa.list_(pa.list_(pa.string(), 2))),
):
    column(name, type, levels)
prices = lambda: [draw.randint(0, 10**6) if draw.random() > 0.1 else None for _ in range(draw.randint(0, 5))]
list_shown = lambda scale: lambda values: [None if value is None else decimal_text(value, scale) for value in values]
column("prices", pa.list_(pa.decimal128(18, 6)), prices, list_shown(6), lambda values: [None if value is None else sized(value, 6) for value in values])
column("moments", pa.list_(pa.timestamp("ms")), prices, lambda values: [None if value is None else iso(value, "ms") for value in values])
book_type = pa.struct([("bid", pa.decimal64(9, 4)), ("at", pa.timestamp("us", tz="UTC")), ("seq", pa.int64()), ("inner", pa.struct([("sizes", pa.list_(pa.float32())), ("name", pa.string_view())]))])
book = lambda: {"bid": draw.randint(0, 9_999), "at": times("us")(), "seq": integers(64)(), "inner": {"sizes": [0.1, None, 0.25][: draw.randint(0, 3)], "name": words()} if draw.random() > 0.2 else None}
book_shown = lambda one: {**one, "bid": decimal_text(one["bid"], 4), "at": iso(one["at"], "us"), "seq": whole(one["seq"])}
book_given = lambda one: {**one, "bid": sized(one["bid"], 4)}
column("book", book_type, book, book_shown, book_given)
column("books", pa.list_(book_type), lambda: [book() for _ in range(draw.randint(0, 2))], lambda some: [book_shown(one) for one in some], lambda some: [book_given(one) for one in some])
column("tags", pa.map_(pa.string(), pa.int64()), lambda: {f"k{at}": integers(64)() for at in range(draw.randint(0, 3))}, lambda one: {key: whole(value) for key, value in one.items()}, lambda one: list(one.items()))
column("times", pa.map_(pa.string(), pa.timestamp("ns")), lambda: {f"k{at}": times("ns")() for at in range(draw.randint(0, 2))}, lambda one: {key: iso(value, "ns") for key, value in one.items()}, lambda one: list(one.items()))
for name, value_type, make, shown in (("runs", pa.string(), lambda: draw.choice(["a", "b", None]), same), ("runs_at", pa.timestamp("ns", tz="UTC"), lambda: draw.choice(few), lambda us: iso(us, "ns"))):
    runs = [make() for _ in range(rows // 6)]
    values = [value for value in runs for _ in range(6)]
    columns.append((name, pa.RunEndEncodedArray.from_arrays(pa.array(range(6, rows + 1, 6), pa.int32()), pa.array(runs, value_type)), [None if value is None else shown(value) for value in values]))

table = pa.table([data for _, data, _ in columns], names=[name for name, _, _ in columns])
expected = [{name: shown[row] for name, _, shown in columns} for row in range(rows)]


def write_rows(name, some):
    with open(f"{folder}/{name}.jsonl", "w") as file:
        for row in some:
            file.write(json.dumps(row) + "\n")


def batches(of, size):
    at = 0
    while at < of.num_rows:
        length = size if size else draw.randint(0, 50)
        yield from (of.slice(at, length).to_batches() or [pa.RecordBatch.from_pylist([], schema=of.schema)])
        at += length


def write_ipc(name, kind, of=table, size=None, shown=expected, **options):
    new = pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file
    with pa.OSFile(f"{folder}/{name}.arrow", "wb") as sink:
        with new(sink, of.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            for batch in batches(of, size):
                writer.write_batch(batch)
    write_rows(name, shown)


for codec in (None, "lz4", "zstd"):
    for kind in ("stream", "file"):
        write_ipc(f"{kind}-{codec}", kind, compression=codec)
write_ipc("one-batch", "file", size=rows)
write_ipc("rows-of-one", "stream", size=1, compression="zstd")
write_ipc("sliced", "file", of=table.slice(13, 101), shown=expected[13:114], size=101)
# Before version 5 there were no runs.
legacy = {"use_legacy_format": True, "metadata_version": pa.ipc.MetadataVersion.V4}
run_names = [name for name, data, _ in columns if pa.types.is_run_end_encoded(data.type)]
before_runs = [{name: value for name, value in row.items() if name not in run_names} for row in expected]
write_ipc("legacy", "stream", of=table.drop_columns(run_names), shown=before_runs, **legacy)
write_ipc("refused-runs", "stream", shown=[], **legacy)
for codec in ("uncompressed", "lz4", "zstd"):
    feather.write_feather(table, f"{folder}/feather-{codec}.arrow", compression=codec, chunksize=64)
    write_rows(f"feather-{codec}", expected)

# Each batch has a dictionary of its own: it grows, or is another one.
grown = ["a", "b", "c", "d", "e", "f"]
for name, options, words_of in (
    ("grows", {"emit_dictionary_deltas": True}, lambda batch: grown[: batch + 2]),
    ("replaced", {}, lambda batch: grown[batch:][::-1]),
    ("grows-compressed", {"emit_dictionary_deltas": True, "compression": "zstd"}, lambda batch: grown[: batch + 2]),
):
    kinds = ("stream",) if name == "replaced" else ("stream", "file")
    for kind in kinds:
        parts = []
        shown = []
        for batch in range(4):
            known = words_of(batch)
            indices = [draw.choice([None, *range(len(known))]) for _ in range(9)]
            inner = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(known))
            parts.append(pa.record_batch([inner, pa.StructArray.from_arrays([inner], ["side"])], names=["side", "in_struct"]))
            values = [None if index is None else known[index] for index in indices]
            shown += [{"side": value, "in_struct": {"side": value}} for value in values]
        new = pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file
        with pa.OSFile(f"{folder}/dictionary-{name}-{kind}.arrow", "wb") as sink:
            with new(sink, parts[0].schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
                for part in parts:
                    writer.write_batch(part)
        write_rows(f"dictionary-{name}-{kind}", shown)

scaled = pa.table({"scaled": pa.array([decimal.Decimal("12E+3")], pa.decimal128(6, -3))})
write_ipc("refused-scale", "file", of=scaled, shown=[])

# Quotes to be imported.
quotes = [
    {"at": iso(1_771_993_200_000_001 + row * 1_000_003, "us"), "market": f"A-{row % 3}", "bid": decimal_text(row * 37 % 10_000, 4)}
    for row in range(5_000)
]
columns_of = {name: [row[name] for row in quotes] for name in ("at", "market", "bid")}
quoted = pa.table(
    {
        "at": pa.array([1_771_993_200_000_001 + row * 1_000_003 for row in range(5_000)], pa.timestamp("us", tz="America/New_York")),
        "market": pa.array(columns_of["market"]).dictionary_encode(),
        "bid": pa.array([decimal.Decimal(bid) for bid in columns_of["bid"]], pa.decimal128(9, 4)),
    }
)
feather.write_feather(quoted, f"{folder}/quotes.feather", chunksize=700)
write_rows("quotes", quotes)
