import type { Fault, Location } from './fault.js';
import { codePointsOf } from './json-fault.js';
import { expectedOf } from './expected.js';
import { booleanOf, dateFault, integerOf, numberOf } from './lexical.js';

interface At {
  readonly loc: Location;
  readonly faults: Fault[];
}

/** Converts one given value, or adds faults. `undefined` means absent. */
export type Check = (value: unknown, at: At) => unknown;

export interface Bounds {
  readonly ge?: number | undefined;
  readonly le?: number | undefined;
}

export interface Lengths {
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
}

const refuse = ({ loc, faults }: At, fault: Omit<Fault, 'loc'>): undefined => {
  const { type, msg, input, ctx } = fault;
  faults.push({ type, loc, msg, input, ...(ctx === undefined ? {} : { ctx }) });
};

export const integer = (bounds: Bounds): Check => {
  const within = bounded(bounds);
  const msg = 'Input should be a valid integer, unable to parse string as an integer';
  return (value, at) => {
    const parsed = integerOf(String(value));
    return parsed === undefined ? refuse(at, { type: 'int_parsing', msg, input: value }) : within(parsed, value, at);
  };
};

export const finite = (bounds: Bounds): Check => {
  const within = bounded(bounds);
  const msg = 'Input should be a valid number, unable to parse string as a number';
  return (value, at) => {
    const parsed = numberOf(String(value));
    if (parsed === undefined) return refuse(at, { type: 'float_parsing', msg, input: value });
    if (Number.isFinite(parsed)) return within(parsed, value, at);
    return refuse(at, { type: 'finite_number', msg: 'Input should be a finite number', input: value });
  };
};

/** A number of a JSON body. Like the reference, it can also be a text or a boolean. */
export const jsonNumber = (bounds: Bounds, isInteger: boolean): Check => {
  const within = bounded(bounds);
  const fromText = isInteger ? integer(bounds) : finite(bounds);
  const noun = isInteger ? 'integer' : 'number';
  return (value, at) => {
    if (typeof value === 'string') return fromText(value, at);
    if (typeof value === 'boolean') return within(Number(value), value, at);
    const type = isInteger ? 'int_type' : 'float_type';
    if (typeof value !== 'number') {
      return refuse(at, { type, msg: `Input should be a valid ${noun}`, input: value });
    }
    if (!Number.isFinite(value)) {
      return refuse(at, { type: 'finite_number', msg: 'Input should be a finite number', input: null });
    }
    if (isInteger && !Number.isInteger(value)) {
      const msg = 'Input should be a valid integer, got a number with a fractional part';
      return refuse(at, { type: 'int_from_float', msg, input: value });
    }
    return within(value, value, at);
  };
};

const bounded =
  ({ ge, le }: Bounds) =>
  (parsed: number, input: unknown, at: At): number | undefined => {
    if (ge !== undefined && parsed < ge) {
      const msg = `Input should be greater than or equal to ${ge}`;
      return refuse(at, { type: 'greater_than_equal', msg, input, ctx: { ge } });
    }
    if (le !== undefined && parsed > le) {
      const msg = `Input should be less than or equal to ${le}`;
      return refuse(at, { type: 'less_than_equal', msg, input, ctx: { le } });
    }
    return parsed;
  };

export const boolean: Check = (value, at) => {
  const msg = 'Input should be a valid boolean, unable to interpret input';
  return booleanOf(String(value)) ?? refuse(at, { type: 'bool_parsing', msg, input: value });
};

/** JSON has booleans. As in a query, some texts and numbers mean one. */
export const jsonBoolean: Check = (value, at) => {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' || typeof value === 'number') return boolean(value, at);
  return refuse(at, { type: 'bool_type', msg: 'Input should be a valid boolean', input: value });
};

const noString = { type: 'string_type', msg: 'Input should be a valid string' };

export const text =
  ({ minLength, maxLength }: Lengths): Check =>
  (value, at) => {
    if (typeof value !== 'string') return refuse(at, { ...noString, input: value });
    if (minLength === undefined && maxLength === undefined) return value;
    const length = codePointsOf(value);
    if (minLength !== undefined && length < minLength) {
      const msg = `String should have at least ${minLength} ${charactersOf(minLength)}`;
      return refuse(at, { type: 'string_too_short', msg, input: value, ctx: { min_length: minLength } });
    }
    if (maxLength !== undefined && length > maxLength) {
      const msg = `String should have at most ${maxLength} ${charactersOf(maxLength)}`;
      return refuse(at, { type: 'string_too_long', msg, input: value, ctx: { max_length: maxLength } });
    }
    return value;
  };

const charactersOf = (count: number): string => (count === 1 ? 'character' : 'characters');

export const date: Check = (value, at) => {
  if (typeof value !== 'string') return refuse(at, { ...noString, input: value });
  const error = dateFault(value);
  if (error === undefined) return value;
  const msg = `Input should be a valid date in the format YYYY-MM-DD, ${error}`;
  return refuse(at, { type: 'date_parsing', msg, input: value, ctx: { error } });
};

export const literal = (allowed: readonly string[]): Check => {
  const expected = expectedOf(allowed);
  return (value, at) =>
    typeof value === 'string' && allowed.includes(value)
      ? value
      : refuse(at, { type: 'literal_error', msg: `Input should be ${expected}`, input: value, ctx: { expected } });
};

/** Duplicate items count once. The lengths are checked before the items. */
export const list =
  (item: Check, { minLength = 0, maxLength = Infinity }: Lengths): Check =>
  (value, { loc, faults }) => {
    if (!Array.isArray(value)) {
      return refuse({ loc, faults }, { type: 'list_type', msg: 'Input should be a valid list', input: value });
    }
    const given: readonly unknown[] = value;
    const actual_length = given.length;
    const found = `after validation, not ${actual_length}`;
    if (actual_length < minLength) {
      const msg = `List should have at least ${minLength} ${itemsOf(minLength)} ${found}`;
      const ctx = { field_type: 'List', min_length: minLength, actual_length };
      return refuse({ loc, faults }, { type: 'too_short', msg, input: value, ctx });
    }
    if (actual_length > maxLength) {
      const msg = `List should have at most ${maxLength} ${itemsOf(maxLength)} ${found}`;
      const ctx = { field_type: 'List', max_length: maxLength, actual_length };
      return refuse({ loc, faults }, { type: 'too_long', msg, input: value, ctx });
    }
    return [...new Set(given.map((one, index) => item(one, { loc: [...loc, index], faults })))];
  };

const itemsOf = (count: number): string => (count === 1 ? 'item' : 'items');
