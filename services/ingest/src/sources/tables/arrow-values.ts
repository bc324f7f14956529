import { type DataType, type Field, Precision, TimeUnit, Type } from '@uwdata/flechette';
import type { ColumnTime } from '../source.js';
import { textOfBytes, uuidText } from './parquet-values.js';
import { clockText, dayText, decimalText, floatOf, integerOf, shortestOf32Bits, timeWriter } from './table.js';

/** How the values of a column are read. A null stays null. */
export interface ArrowType {
  readonly type: string;
  readonly time?: ColumnTime;
  readonly isFloat?: boolean;
  readonly children?: readonly Field[];
  readonly convert: (value: unknown) => unknown;
}

const units = {
  [TimeUnit.SECOND]: 's',
  [TimeUnit.MILLISECOND]: 'ms',
  [TimeUnit.MICROSECOND]: 'us',
  [TimeUnit.NANOSECOND]: 'ns',
} as const;
const dayMs = 86_400_000;

export const arrowTypeOf = ({ type, metadata }: Pick<Field, 'type'> & Partial<Pick<Field, 'metadata'>>): ArrowType => {
  const found = metadata?.get('ARROW:extension:name') === 'arrow.uuid' ? uuidType : typeOf(type);
  return { ...found, convert: (value) => (value === null || value === undefined ? null : found.convert(value)) };
};

const typeOf = (type: DataType): ArrowType => {
  if (type.typeId === Type.Dictionary) return ofValues(type.dictionary);
  if (type.typeId === Type.RunEndEncoded) return arrowTypeOf(type.children[1]);
  if (type.typeId === Type.Int) return plain(`${type.signed ? 'int' : 'uint'}${type.bitWidth}`);
  if (type.typeId === Type.Float) return floatType(type.precision);
  if (type.typeId === Type.Decimal) return decimalType(type.precision, type.scale);
  if (type.typeId === Type.Timestamp) return timestampType(units[type.unit], (type.timezone ?? '') !== '');
  if (type.typeId === Type.Date)
    return { type: 'date', convert: (value) => dayText(Math.floor(Number(value) / dayMs)) };
  if (type.typeId === Type.Time) return clockType(units[type.unit]);
  if (type.typeId === Type.Struct) return structType(type.children);
  if (type.typeId === Type.Map) return mapType(type.children[0]);
  if (isList(type)) return listType(type.children[0]);
  return plain(names[type.typeId] ?? 'any');
};

const lists: ReadonlySet<number> = new Set([
  Type.List,
  Type.LargeList,
  Type.ListView,
  Type.LargeListView,
  Type.FixedSizeList,
]);
const isList = (type: DataType): type is Extract<DataType, { readonly children: Field[] }> => lists.has(type.typeId);

const ofValues = (type: DataType): ArrowType => arrowTypeOf({ type });

const plain = (type: string): ArrowType => ({ type, convert: (value) => plainOf(value) });

const floatType = (precision: keyof typeof floatNames): ArrowType => ({
  type: floatNames[precision],
  isFloat: true,
  convert: floatReader(precision === Precision.SINGLE),
});

const decimalType = (digits: number, scale: number): ArrowType => ({
  type: `decimal(${digits},${scale})`,
  convert: (value) => decimalText(bigintOf(value), scale),
});

const timestampType = (unit: ColumnTime['unit'], hasZone: boolean): ArrowType => {
  const write = timeWriter(unit);
  return {
    type: `timestamp[${unit}${hasZone ? ', UTC' : ''}]`,
    time: { unit, hasZone },
    convert: (value) => write(bigintOf(value)),
  };
};

const clockType = (unit: ColumnTime['unit']): ArrowType => ({
  type: `time[${unit}]`,
  convert: (value) => (unit === 's' ? clockText(bigintOf(value) * 1_000n, 'ms') : clockText(bigintOf(value), unit)),
});

const mapType = ({ type: entries }: Field): ArrowType => {
  const [, item] = 'children' in entries ? entries.children : [];
  const valueOf = item ? arrowTypeOf(item).convert : plainOf;
  return {
    type: 'map',
    convert: (value) =>
      Object.fromEntries(
        Array.from(value as Iterable<[unknown, unknown]>, ([key, one]) => [String(plainOf(key)), valueOf(one)]),
      ),
  };
};

const uuidType: ArrowType = {
  type: 'uuid',
  convert: (value) => (value instanceof Uint8Array ? uuidText(value) : value),
};

const names: Readonly<Record<number, string>> = {
  [Type.Bool]: 'boolean',
  [Type.Utf8]: 'text',
  [Type.LargeUtf8]: 'text',
  [Type.Utf8View]: 'text',
  [Type.Binary]: 'bytes',
  [Type.LargeBinary]: 'bytes',
  [Type.BinaryView]: 'bytes',
  [Type.FixedSizeBinary]: 'bytes',
};
const floatNames = { [Precision.HALF]: 'float16', [Precision.SINGLE]: 'float', [Precision.DOUBLE]: 'double' } as const;

const floatReader =
  (isSingle: boolean) =>
  (value: unknown): unknown => {
    const number = Number(value);
    return floatOf(isSingle && Number.isFinite(number) ? shortestOf32Bits(number) : number);
  };

const listType = (field: Field | undefined): ArrowType => {
  const item = field ? arrowTypeOf(field).convert : plainOf;
  return { type: 'list', convert: (value) => Array.from(value as Iterable<unknown>, item) };
};

const structType = (children: readonly Field[]): ArrowType => {
  const readers = children.map((field) => ({ name: field.name, convert: arrowTypeOf(field).convert }));
  return {
    type: 'struct',
    children,
    convert: (value) => {
      const struct = value as Readonly<Record<string, unknown>>;
      return Object.fromEntries(readers.map(({ name, convert }) => [name, convert(struct[name])]));
    },
  };
};

const bigintOf = (value: unknown): bigint => (typeof value === 'bigint' ? value : BigInt(Number(value)));

/** A value of any type, as JSON has it. */
const plainOf = (value: unknown): unknown => {
  if (typeof value === 'bigint') return integerOf(value);
  return value instanceof Uint8Array ? textOfBytes(value) : value;
};
