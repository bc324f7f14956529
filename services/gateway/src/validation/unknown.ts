import type { Notice, NoticeCode } from '@almanac/contracts';
import { nearestName } from '@almanac/runtime';
import { z } from 'zod';
import { expectedOf } from './expected.js';
import type { Fault, Location } from './fault.js';

type Kind = 'parameter' | 'field' | 'value' | 'media_type';

/** A part of a request that the endpoint does not know. */
export interface Unknown {
  readonly kind: Kind;
  readonly loc: Location;
  readonly input: unknown;
  /** What the endpoint knows in this place. */
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

/** More unknown parts of one request are not examined. */
export const unknownMax = 100;

export const unknownPart = (kind: Kind, place: Pick<Unknown, 'loc' | 'input' | 'known'>): Unknown => ({
  kind,
  ...place,
  nearest: nearestName(String(kind === 'value' || kind === 'media_type' ? place.input : place.loc.at(-1)), place.known),
});

export const noticeOf = (unknown: Unknown): Notice => {
  const { kind, loc, nearest = null } = unknown;
  const code: NoticeCode = `unknown_${kind}`;
  return { code, detail: `${sentences[kind](unknown)} ${remedyOf(unknown)}`, loc: loc.map(shown), nearest };
};

const sentences: Readonly<Record<Kind, (unknown: Unknown) => string>> = {
  parameter: ({ loc }) => `The query parameter ${nameAt(loc)} does not exist and was ignored.`,
  field: ({ loc }) => `The body field ${nameAt(loc)} does not exist and was ignored.`,
  value: ({ loc, input }) => `Nothing has the ${nameAt(loc)} ${shown(String(input))}, so the filter matches nothing.`,
  media_type: ({ known }) => `The server has no media type of the Accept header and sent ${known[0] ?? 'its own'}.`,
};

/** The known name to send instead, or all of them. */
const remedyOf = ({ known, nearest }: Unknown): string => {
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  return known.length === 0 ? 'This endpoint has none.' : `Known: ${known.join(', ')}.`;
};

/** The same as a problem of a refused request, in the words of pydantic. */
export const faultOf = (unknown: Unknown): Fault => {
  const { kind, loc, known, nearest } = unknown;
  const isName = kind === 'parameter' || kind === 'field';
  const expected = expectedOf(known);
  const msg = isName ? 'Extra inputs are not permitted' : `Input should be ${expected}`;
  return {
    type: isName ? 'extra_forbidden' : 'literal_error',
    loc: loc.map(shown),
    msg: isName || nearest !== undefined ? `${msg}. ${remedyOf(unknown)}` : msg,
    input: withoutSecret(unknown.input),
    ctx: { ...(isName ? { known } : { expected }), ...(nearest === undefined ? {} : { nearest }) },
  };
};

/** A service's notice on a value of its input as a problem of a refused request. */
export const faultOfNotice = ({ loc, detail, nearest }: Notice, input: unknown): Fault => {
  const value = z.record(z.string(), z.unknown()).parse(input)[String(loc?.at(-1))];
  const ctx = { error: {}, ...(nearest === null ? {} : { nearest }) };
  return { type: 'value_error', loc: loc ?? [], msg: `Value error, ${detail}`, input: value ?? null, ctx };
};

const shownMax = 60;

/** A name of the client may have any length. */
const shown = <T extends string | number>(part: T): T | string =>
  typeof part === 'string' && part.length > shownMax ? `${part.slice(0, shownMax).toWellFormed()}...` : part;

const nameAt = (loc: Location): string => String(shown(loc.at(-1) ?? ''));

/** An API key may be in a parameter that does not exist. */
const withoutSecret = (input: unknown): unknown => (JSON.stringify(input).includes('ak_live_') ? null : input);
