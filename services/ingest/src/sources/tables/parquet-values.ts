import { isUtf8 } from 'node:buffer';
import type { SchemaElement } from 'hyparquet';
import { clockText, dayText, decimalText, floatOf, integerOf, shortestOf32Bits, timeWriter } from './table.js';
import type { TableColumn } from '../source.js';

/** How the values of one leaf of a Parquet schema are read. A text is a value that was converted before. */
export interface ParquetType extends Omit<TableColumn, 'name'> {
  readonly isFloat: boolean;
  /** Of decimals that are stored as integers. */
  readonly decimals?: number;
  readonly convert: (raw: unknown) => unknown;
}

const units = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const;

export const parquetTypeOf = (element: SchemaElement): ParquetType => {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') return decimalType(element);
  if (logical?.type === 'TIMESTAMP') return timestampType(units[logical.unit], logical.isAdjustedToUTC);
  if (converted === 'TIMESTAMP_MILLIS') return timestampType('ms', true);
  if (converted === 'TIMESTAMP_MICROS') return timestampType('us', true);
  if (type === 'INT96') return int96Type();
  if (converted === 'DATE' || logical?.type === 'DATE')
    return plain('date', (raw) => (typeof raw === 'number' ? dayText(raw) : raw));
  if (logical?.type === 'TIME') return clockType(units[logical.unit]);
  if (converted === 'TIME_MILLIS') return clockType('ms');
  if (converted === 'TIME_MICROS') return clockType('us');
  if (logical?.type === 'UUID') return plain('uuid', (raw) => (raw instanceof Uint8Array ? uuidText(raw) : raw));
  if (logical?.type === 'FLOAT16') return float('float16', (raw) => (raw instanceof Uint8Array ? float16Of(raw) : raw));
  if (type === 'FLOAT') return float('float', (raw) => (typeof raw === 'number' ? shortestOf32Bits(raw) : raw));
  if (type === 'DOUBLE') return float('double', (raw) => raw);
  if (type === 'INT32' || type === 'INT64') return integerType(element);
  if (type === 'BOOLEAN') return plain('boolean', (raw) => raw);
  const isText = converted === 'UTF8' || converted === 'ENUM' || converted === 'JSON' || logical?.type === 'STRING';
  return plain(
    isText ? 'text' : `bytes${element.type_length === undefined ? '' : `(${element.type_length})`}`,
    textOfBytes,
  );
};

const plain = (type: string, convert: (raw: unknown) => unknown): ParquetType => ({ type, isFloat: false, convert });

const float = (type: string, convert: (raw: unknown) => unknown): ParquetType => ({
  type,
  isFloat: true,
  convert: (raw) => {
    const value = convert(raw);
    return typeof value === 'number' ? floatOf(value) : value;
  },
});

const bigintOf = (raw: unknown): bigint | null => {
  if (typeof raw === 'bigint') return raw;
  if (typeof raw === 'number') return BigInt(raw);
  return raw instanceof Uint8Array ? signedOf(raw) : null;
};

/** Two's complement, the highest byte first. */
const signedOf = (bytes: Uint8Array): bigint =>
  bytes.length === 0
    ? 0n
    : BigInt.asIntN(
        bytes.length * 8,
        BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`),
      );

const decimalType = ({ type, precision, scale = 0, logical_type: logical }: SchemaElement): ParquetType => {
  const [digits, decimals] = logical?.type === 'DECIMAL' ? [logical.precision, logical.scale] : [precision, scale];
  const isInteger = type === 'INT32' || type === 'INT64';
  const decimal = plain(`decimal(${digits ?? '?'},${decimals})`, (raw) => {
    const unscaled = bigintOf(raw);
    return unscaled === null ? raw : decimalText(unscaled, decimals);
  });
  return isInteger ? { ...decimal, decimals } : decimal;
};

const timestampType = (unit: 'ms' | 'us' | 'ns', hasZone: boolean): ParquetType => {
  const write = timeWriter(unit);
  return {
    type: `timestamp[${unit}${hasZone ? ', UTC' : ''}]`,
    time: { unit, hasZone },
    isFloat: false,
    convert: (raw) => (typeof raw === 'bigint' ? write(raw) : raw),
  };
};

const julianDayOf1970 = 2_440_588n;
const nanosOfDay = 86_400_000_000_000n;

/** The days of the Julian calendar above the nanoseconds of the day. */
const int96Type = (): ParquetType => {
  const write = timeWriter('ns');
  return {
    type: 'timestamp[ns, INT96]',
    time: { unit: 'ns', hasZone: true },
    isFloat: false,
    convert: (raw) =>
      typeof raw === 'bigint' ? write(((raw >> 64n) - julianDayOf1970) * nanosOfDay + BigInt.asUintN(64, raw)) : raw,
  };
};

const clockType = (unit: 'ms' | 'us' | 'ns'): ParquetType =>
  plain(`time[${unit}]`, (raw) => {
    const value = bigintOf(raw);
    return value === null ? raw : clockText(value, unit);
  });

const integerType = ({ type, converted_type: converted, logical_type: logical }: SchemaElement): ParquetType => {
  const isUnsigned = converted?.startsWith('UINT') === true || (logical?.type === 'INTEGER' && !logical.isSigned);
  const width =
    logical?.type === 'INTEGER' ? logical.bitWidth : (/\d+$/.exec(converted ?? '')?.[0] ?? String(type).slice(3));
  return plain(`${isUnsigned ? 'uint' : 'int'}${width}`, (raw) => {
    if (typeof raw === 'bigint') return integerOf(isUnsigned ? BigInt.asUintN(64, raw) : raw);
    return typeof raw === 'number' && isUnsigned ? raw >>> 0 : raw;
  });
};

export const textOfBytes = (raw: unknown): unknown => {
  if (!(raw instanceof Uint8Array)) return raw;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  return isUtf8(bytes) ? bytes.toString('utf8') : `0x${bytes.toString('hex')}`;
};

export const uuidText = (raw: Uint8Array): string =>
  Buffer.from(raw)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const float16Of = (raw: Uint8Array): number => {
  const bits = ((raw[1] ?? 0) << 8) | (raw[0] ?? 0);
  const [sign, exponent, fraction] = [bits >>> 15 === 1 ? -1 : 1, (bits >>> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? (sign * fraction) / 2 ** 24 : sign * 2 ** (exponent - 15) * (1 + fraction / 1_024);
};
