import { parseJson } from '@almanac/contracts';
import { readStoredTime, storedDecimal } from '../values/stored-values.js';
import type { NamedAltered, OnAltered } from '../values/altered.js';
import { readTime } from '../values/time.js';
import { isObject, type JsonObject } from './source.js';

/** Values of a record by key, null if absent. An invalid value is null and noted in `dropped` by field. */
export interface RecordFields {
  readonly dropped: string[];
  /** Values stored with fewer digits than the record has. */
  readonly altered: NamedAltered[];
  readonly text: (key: string) => string | null;
  readonly decimal: (key: string, field: string) => string | null;
  /** An ISO time with its zone, in microseconds. */
  readonly time: (key: string, field: string) => number | null;
}

export const recordFields = (record: JsonObject, dropped: string[] = []): RecordFields => {
  const altered: NamedAltered[] = [];
  const note =
    (name: string): OnAltered =>
    (change) =>
      void altered.push({ ...change, name });
  const text = (key: string): string | null => textOf(record[key]);
  return {
    dropped,
    altered,
    text,
    decimal: (key, field) => {
      const given = figureOf(record[key]);
      const value = given === null ? null : storedDecimal(given, { onAltered: note(field) });
      if (given !== null && value === null) dropped.push(`${field}: not a decimal number`);
      return value;
    },
    time: (key, field) => {
      const given = figureOf(record[key]);
      const us = given === null ? null : readStoredTime(given, { unit: 'iso' }, note(field));
      if (given !== null && us === null) dropped.push(`${field}: not a whole time`);
      return us;
    },
  };
};

/** A trimmed text, or a number as text. Null if it is empty or another type. */
export const textOf = (value: unknown): string | null => {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : text;
};

/** The text of a number or a time. A list, an object or a truth value is its JSON text, which is then refused as neither. */
export const figureOf = (value: unknown): string | null =>
  typeof value === 'boolean' || (typeof value === 'object' && value !== null) ? JSON.stringify(value) : textOf(value);

/** A list, or the JSON text of one, because gamma writes `"[\"Up\", \"Down\"]"`. Otherwise null. */
export const listOf = (value: unknown): readonly unknown[] | null => {
  const list = typeof value === 'string' ? parseJson(value) : value;
  return Array.isArray(list) ? list : null;
};

export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** When a collector fetched the record. */
export const fetchedUs = (record: JsonObject): number | null => {
  const text = textOf(record['_fetched_at']) ?? '';
  return readTime(text, 'iso', 'UTC') ?? readTime(text, 's') ?? readTime(text, 'ms');
};
