import type { Fault } from './fault.js';
import { codePointsOf, depthMax, findJsonFault } from './json-fault.js';

/** A request's body as an object, or the fault that prevents it. */
export type Body = { readonly object: Readonly<Record<string, unknown>> } | { readonly fault: Fault };

/** Whether a body of this type is read as JSON. */
export const isJson = (contentType: string | undefined): boolean => json.test(contentType ?? '');

const json = /^application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i;
const strict = new TextDecoder('utf-8', { fatal: true });
const lossy = new TextDecoder('utf-8');

/** Like the reference: an empty body or `null` is missing, another media type gives a text. */
export const readBody = (bytes: Uint8Array, contentType: string | undefined): Body => {
  if (bytes.length === 0) return missing;
  if (!isJson(contentType)) return noObject(lossy.decode(bytes));
  const text = textOf(bytes);
  if (text === undefined) return noJson('Expecting value', badUtf8Offset(bytes));
  const value = parse(text);
  if (value instanceof SyntaxError) {
    const { error, offset } = findJsonFault(text) ?? { error: 'Expecting value', offset: 0 };
    return noJson(error, offset);
  }
  const fault = mayHideFault(text) ? findJsonFault(text) : undefined;
  if (fault !== undefined) return noJson(fault.error, fault.offset);
  if (value === null) return missing;
  return isObject(value) ? { object: value } : noObject(value);
};

const missing: Body = { fault: { type: 'missing', loc: ['body'], msg: 'Field required', input: null } };

const noObject = (input: unknown): Body => ({
  fault: {
    type: 'model_attributes_type',
    loc: ['body'],
    msg: 'Input should be a valid dictionary or object to extract fields from',
    input,
  },
});

const noJson = (error: string, offset: number): Body => ({
  fault: { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error', input: {}, ctx: { error } },
});

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/** The position of the first invalid byte, found by comparison with the text encoded again. */
const badUtf8Offset = (bytes: Uint8Array): number => {
  const again = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const bad = bytes.findIndex((byte, at) => byte !== again[at]);
  return codePointsOf(lossy.decode(bytes.subarray(0, bad)));
};

/** The value of a JSON text, or the error that prevents it. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
};

/** JSON.parse accepts lone surrogates and any depth. Only bodies that may have these need the second check. */
const mayHideFault = (text: string): boolean =>
  /\\u[dD][89a-fA-F]/.test(text) || (text.match(/[[{]/g)?.length ?? 0) > depthMax;
