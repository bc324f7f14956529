import { type Case, long } from './parameters.js';

export interface PathId {
  /** The path, with `{}` where the id stands. */
  readonly path: string;
  readonly method?: 'GET' | 'DELETE';
  /** One that exists; without it only what is not there is asked. */
  readonly known?: string;
  /** The code for one that does not. */
  readonly absence: string;
}

/** What can name nothing, or nothing that is there. */
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

/** Every byte as a percent sign and its number, which names the same. */
const spelled = (id: string): string =>
  [...Buffer.from(id)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** A dot segment is sent encoded, since a client may take a plain one away. */
const encoded = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E');

const noPath = { status: 404, code: 'not_found' } as const;

/** An id in the path: any text is taken, one that names nothing is 404, and a malformed percent sign names no path. */
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
