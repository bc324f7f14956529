import type { z } from 'zod';

/**
 * During a rollout, an older process reads states that a newer release wrote. Parsing drops the fields that it does not
 * know. Without care, its next event would erase them. So a parsed state has the dropped fields of each object under
 * this symbol, and they are written back with the next event. An object spread copies symbols, so `evolve` carries the
 * fields without naming them. JSON.stringify omits symbols, so no answer contains them.
 */
const unknownFields = Symbol('fields of a newer release');
const newerFormat = Symbol('format of a newer release');

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const attach = (to: object, name: symbol, value: unknown): void =>
  void Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true });

/** Parses a stored value. The result carries the fields that the schema does not know, at every depth. */
export const parseCarrying = <T>(schema: z.ZodType<T>, stored: unknown): T => {
  const parsed = schema.parse(stored);
  attachUnknown(stored, parsed);
  return parsed;
};

const attachUnknown = (stored: unknown, parsed: unknown): void => {
  if (stored === parsed) return;
  if (Array.isArray(stored) && Array.isArray(parsed)) {
    for (const [index, item] of stored.entries()) attachUnknown(item, parsed[index]);
    return;
  }
  if (!isObject(stored) || !isObject(parsed)) return;
  const unknown: [string, unknown][] = [];
  for (const [name, value] of Object.entries(stored)) {
    if (Object.hasOwn(parsed, name)) attachUnknown(value, Reflect.get(parsed, name));
    else unknown.push([name, value]);
  }
  if (unknown.length > 0) attach(parsed, unknownFields, Object.fromEntries(unknown));
};

/** JSON with the carried fields. */
export const stringifyCarried = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    isObject(part) && unknownFields in part ? { ...carriedFields(part), ...part } : part,
  );

/** The fields of one object that this release does not know. */
export const carriedFields = (value: object): Fields | undefined => {
  const fields: unknown = Reflect.get(value, unknownFields);
  return isObject(fields) ? { ...fields } : undefined;
};

/** The next state with what the state before it carries, also if `evolve` wrote the state from its parts. */
export const carryOver = <State>(before: State | undefined, after: State): State => {
  if (!isObject(before) || !isObject(after)) return after;
  const lost = [unknownFields, newerFormat].filter((name) => name in before && !(name in after));
  if (lost.length === 0) return after;
  const carrying = { ...after };
  for (const name of lost) attach(carrying, name, Reflect.get(before, name));
  return carrying;
};

/** Notes that a newer release wrote the state, or one before it. */
export const attachNewerFormat = (state: unknown, format: number): void => {
  if (isObject(state)) attach(state, newerFormat, format);
};

/** The format that `attachNewerFormat` noted. Undefined if no newer release wrote the state. */
export const newerFormatOf = (state: unknown): number | undefined => {
  const format: unknown = isObject(state) ? Reflect.get(state, newerFormat) : undefined;
  return typeof format === 'number' ? format : undefined;
};
