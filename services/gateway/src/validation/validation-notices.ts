import { looksLikeMilliseconds, type Notice } from '@almanac/contracts';
import { isJson } from './body.js';
import type { Fault } from './fault.js';

/** Notices on the two most frequent causes of a 422, which pydantic's words do not name. */
export const validationNoticesOf = (faults: readonly Fault[], contentType: string | undefined): Notice[] =>
  faults.flatMap((fault) => timeHint(fault) ?? contentTypeHint(fault, contentType) ?? []);

/** Filters on the close. Any number is valid there, and milliseconds match nothing, or everything. */
const closeFilters = ['from_ts', 'to_ts'] as const;

/** Notices on valid times that are probably in milliseconds. */
export const millisecondNotices = (query: Readonly<Record<string, unknown>>): Notice[] =>
  closeFilters.flatMap((name) => {
    const value = query[name];
    if (typeof value !== 'number' || Math.abs(value) <= looksLikeMilliseconds) return [];
    const nearest = String(value / 1_000);
    const detail = `${name} takes Unix seconds, and ${value} looks like milliseconds. Did you mean ${nearest}?`;
    return [{ code: 'time_format', detail, loc: ['query', name], nearest }];
  });

const contentTypeHint = ({ type, loc }: Fault, contentType: string | undefined): Notice | undefined => {
  if (type !== 'model_attributes_type' || loc.length !== 1 || isJson(contentType)) return undefined;
  const given = contentType === undefined ? 'missing' : `${contentType.slice(0, 60)}, not JSON`;
  const detail = `The Content-Type header is ${given}, so the body was not read. Send Content-Type: application/json.`;
  return { code: 'content_type', detail, loc: ['header', 'content-type'], nearest: 'application/json' };
};

const timeHint = ({ type, loc, input }: Fault): Notice | undefined => {
  const name = String(loc.at(-1));
  if (type !== 'float_parsing' || !name.endsWith('_ts') || typeof input !== 'string') return undefined;
  const seconds = secondsOfIso(input);
  if (seconds === undefined) return undefined;
  const detail = `${name} takes Unix seconds. ${input.trim()} is ${seconds}.`;
  return { code: 'time_format', detail, loc, nearest: String(seconds) };
};

const iso = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s?(Z|z|[+\- ]\d{2}:?\d{2})?)?$/;

/** Unix seconds of an ISO 8601 text. Without an offset it is UTC. Undefined if it is none. */
const secondsOfIso = (text: string): number | undefined => {
  const [, day, time = '00:00', zone = 'Z'] = iso.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  // A plus sign in a URL is a blank.
  const offset = zone
    .replace(' ', '+')
    .replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
    .toUpperCase();
  const [whole = '', fraction = ''] = time.replace(',', '.').split('.');
  const milliseconds = Date.parse(`${day}T${whole}${offset}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return milliseconds / 1_000 + Number(`0.${fraction || '0'}`);
};
