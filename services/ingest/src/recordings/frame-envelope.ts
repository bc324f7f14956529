import { parseJson } from '@almanac/contracts';
import { type TimeUnit, timeUnitOf } from '../values/time.js';
import { venues } from '../venues/venues.js';
import type { JsonObject } from '../sources/source.js';

/** How a recorder wraps the frames of a feed. */
export interface Envelope {
  /** The key of the frame: an object, a list or its text. Null: the record is the frame. */
  readonly frame: string | null;
  /** The key and unit of the receipt. Null: unknown, so the venue's time counts. */
  readonly received: { readonly key: string; readonly unit: TimeUnit } | null;
}

/** Our own recordings have it, also for lines without a frame: `lost` says why the connection broke. */
const ownEnvelope: Envelope = { frame: 'raw', received: { key: 'recv_ts_ns', unit: 'ns' } };

/** The envelope of a record, or null if it has no frame of a known venue. */
export const envelopeOf = (record: JsonObject): Envelope | null => {
  const isOwn = typeof record['raw'] === 'string' || typeof record['lost'] === 'string';
  if ('recv_ts_ns' in record && isOwn) return ownEnvelope;
  if (isMessage(record)) return { frame: null, received: null };
  const frame = Object.keys(record).find((key) => isMessage(frameIn(record[key])));
  return frame === undefined ? null : { frame, received: receiptOf(record, frame) };
};

export const isFrame = (record: JsonObject): boolean => envelopeOf(record) !== null;

export const isFrameText = (text: string): boolean => isMessage(frameIn(text));

const isMessage = (json: unknown): boolean => Object.values(venues).some(({ frames }) => frames.isMessage(json));

/** A frame is mostly a text, so that it stays as it was received. */
const frameIn = (value: unknown): unknown =>
  typeof value === 'string' ? (/^\s*[[{]/.test(value) ? parseJson(value) : undefined) : value;

/** Names of a receipt, the surest first. */
const names: readonly RegExp[] = [/re?cv|receive|receipt|local|captured|recorded/i, /^(?:ts|t|time|timestamp)/i, /./];

const receiptOf = (record: JsonObject, frame: string): Envelope['received'] => {
  const found = Object.keys(record).flatMap((key) => {
    const value = key === frame ? undefined : record[key];
    const unit = typeof value === 'number' || typeof value === 'string' ? timeUnitOf(String(value)) : null;
    return unit === null ? [] : [{ key, unit }];
  });
  for (const name of names) {
    const [best] = found.filter(({ key }) => name.test(key));
    if (best) return best;
  }
  return null;
};

/** The text of a value in a line. A binary float cannot hold nanoseconds. */
export const timeText = (record: JsonObject, key: string, line: string): string => {
  const value = record[key];
  if (typeof value === 'string') return value.trim();
  if (typeof value !== 'number') return '';
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return String(value);
  return textIn(line, key);
};

const patterns = new Map<string, RegExp>();

/** The text of the value of a key in a line, without parsing the line. Empty without one. */
export const textIn = (line: string, key: string): string => {
  const known = patterns.get(key);
  const pattern = known ?? new RegExp(String.raw`(?<!\\)"${key.replaceAll(/[^\w-]/g, '.')}"\s*:\s*"?([^",}]+)`);
  if (known === undefined) patterns.set(key, pattern);
  return pattern.exec(line)?.[1]?.trim() ?? '';
};

export const frameOf = (record: JsonObject, { frame }: Envelope): unknown => (frame === null ? record : record[frame]);
