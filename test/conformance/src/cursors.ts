import type { Case, Parameter, Shows } from './parameters.js';
import { long, withQuery } from './parameters.js';

const written = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/** Positions that no listing creates, and texts that are no cursor. */
const forged = [
  'x',
  ' ',
  'null',
  '0',
  '[]',
  '💥',
  'a\0b',
  "' OR 1=1 --",
  ...[null, 0, '', [], {}, [[]], [0], [null, null, null], [1e300, 'T', 0], ['1e99', 0, 'T']].map(written),
  ...[
    ['x', 'y', 'z'],
    [0, '', 0],
    [0.5, 'T', null],
    ['9'.repeat(40), 0, 'T'],
    [0, 'T', 0, 0],
    ['12345678', [0, 'T', null]],
    ['12345678', [null, 0, 'T']],
  ].map(written),
  '2'.repeat(20),
  long,
];

/** A cursor parameter: an empty one is the first page, and one that the listing did not create is refused. */
export const cursor = (name: string, { path, shows, all }: { path: string; shows: Shows; all: unknown }): Parameter => {
  const one = (texts: readonly string[], expected: Case['expected']): Case => ({
    name: `${name}=${JSON.stringify(texts.join('&').slice(0, 40))}`,
    request: {
      path: withQuery(
        path,
        texts.map((text) => [name, text] as const),
      ),
    },
    expected,
  });
  const refused = (...texts: string[]): Case => {
    const fault = { type: 'value_error', msg: 'Value error, not a cursor that this listing gave', ctx: { error: {} } };
    return one(texts, { items: [{ ...fault, loc: ['query', name], input: texts.at(-1) }] });
  };
  const beginning = { status: 200 as const, shows, value: all };
  const cases = [one([], beginning), one([''], beginning), one(['x', ''], beginning), refused('', 'x')];
  return {
    name,
    cases: [...cases, ...forged.map((text) => refused(text))],
    fault: undefined,
    published: { type: 'string' },
  };
};
