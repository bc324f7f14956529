import { nowS, ticksStartS } from './archive.js';
import { type BodyRows, fieldCases } from './bodies.js';
import { type Case, type Expected, number, type Parameter } from './parameters.js';

const last = 4_102_444_800;
/** After the archive's rows. The generated facts are known since then. */
const known = nowS - 60;

const inFuture: Expected = { status: 400, code: 'as_of_in_future' };

/** `as_of` of an endpoint about something that was first known when its rows began. A list is empty before. */
export const asOf = (basePath: string, absence: string | null): Parameter => {
  const parameter = number('as_of', {
    takes: [1.000_001],
    from: 0,
    to: last,
    default: undefined,
    basePath,
    refusal: (seconds) => {
      if ((seconds ?? 0) > nowS + 3_600) return inFuture;
      return absence === null ? undefined : { status: 404, code: absence };
    },
  });
  const shown = (seconds: number): Case => ({
    name: `as_of=${seconds}`,
    request: { path: `${basePath}${basePath.includes('?') ? '&' : '?'}as_of=${seconds}` },
    expected: { status: 200, shows: (body) => body['as_of'], value: seconds },
  });
  return { ...parameter, cases: [...parameter.cases, ...[ticksStartS, known, known + 0.000_001].map(shown)] };
};

/** `as_of` of something of the present, which exists as of no time. */
export const asOfAbsent = (basePath: string, code: string): Parameter =>
  number('as_of', {
    takes: [],
    from: 0,
    to: last,
    default: undefined,
    basePath,
    refusal: (seconds) => ((seconds ?? 0) > nowS + 3_600 ? inFuture : { status: 404, code }),
  });

/** `as_of` as a field of a body. */
export const asOfField = (rows: BodyRows, otherFields: object): Case[] =>
  fieldCases(rows, { name: 'as_of', otherFields }, [
    [-1, { type: 'greater_than_equal', msg: 'Input should be greater than or equal to 0', ctx: { ge: 0 } }],
    [
      1_771_993_365_058,
      { type: 'less_than_equal', msg: `Input should be less than or equal to ${last}`, ctx: { le: last } },
    ],
    [[], { type: 'float_type', msg: 'Input should be a valid number' }],
    [last, inFuture],
    [null, { type: 'float_type', msg: 'Input should be a valid number' }],
    [known, { status: 200, shows: (body) => body['as_of'], value: known }],
    [known + 0.000_001, { status: 200, shows: (body) => body['as_of'], value: known + 0.000_001 }],
  ]);
