import { type Case, long } from './parameters.js';

export interface PathId {
  /** The path, with `{}` instead of the id. */
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** An existing id. Without it only unknown ids are tested. */
  readonly known?: string;
  /** The error code for an unknown id. */
  readonly absence: string;
}

/** Ids that are invalid or unknown. */
const unknown = [
  'NO-SUCH',
  'cf-ticks-1',
  ' ',
  'a b',
  '日本語',
  '💥',
  'a\0b',
  '\0',
  '..',
  '../series',
  'a/b',
  '*',
  '>',
  'evt.catalog.>',
  '%',
  '%41',
  "' OR 1=1 --",
  'x'.repeat(255),
  'x'.repeat(256),
  '💥'.repeat(2_500),
  long,
  '00000000-0000-4000-8000-000000000000',
];

/** Writes every byte percent-encoded, which is the same id. */
const spelled = (id: string): string =>
  [...Buffer.from(id)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Encodes dot segments too, since a client may remove plain ones. */
const encoded = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E');

const noPath = { status: 404, code: 'not_found' } as const;

/** An id in the path: any text is valid, an unknown one is 404, and a malformed percent sign is an unknown path. */
export const pathId = ({ path, method = 'GET', known, absence }: PathId): Case[] => {
  const one = (name: string, written: string, expected: Case['expected']): Case => ({
    name: `id ${name}`,
    request: { method, path: path.replace('{}', written) },
    expected,
  });
  return [
    ...(known === undefined ? [] : [one(known, known, { status: 200 })]),
    ...(known === undefined || known.includes('{')
      ? []
      : [
          one(`${known}, percent-encoded`, spelled(known), { status: 200 }),
          one(`${known} in lower case`, known.toLowerCase(), { status: 404, code: absence }),
          one(`${known} with a blank`, `${known}%20`, { status: 404, code: absence }),
        ]),
    ...unknown.map((id) =>
      one(`${JSON.stringify(id.slice(0, 20))} (${id.length})`, encoded(id), { status: 404, code: absence }),
    ),
    ...['%', '%zz', '%f', '%ff', '%c3%28', 'a%'].map((written) => one(`${written} as it is`, written, noPath)),
  ];
};
