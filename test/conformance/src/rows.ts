import { extra } from './bodies.js';
import { pathId } from './ids.js';
import { type Case, type Parameter, withQuery } from './parameters.js';
import type { Item } from './shape.js';
import type { Endpoint } from './table/endpoint.js';

/** All cases of an endpoint: its own rows, and those of every endpoint. */
export const casesOf = (endpoint: Endpoint): Case[] => [
  ...(endpoint.id === undefined ? [] : pathId(endpoint.id)),
  ...(endpoint.query ?? []).flatMap(({ cases }) => cases),
  ...allAtOnce(endpoint),
  ...(endpoint.cases ?? []),
  ...(endpoint.method === 'GET' ? unknownParameters(endpoint) : []),
];

interface Faulty extends Parameter {
  readonly fault: Omit<Item, 'loc'>;
}

const isFaulty = (parameter: Parameter): parameter is Faulty => parameter.fault !== undefined;

/** Every fault of a query in one answer, in the specification's order, whatever the order of the URL. */
const allAtOnce = ({ query = [], good }: Endpoint): Case[] => {
  const faulty = query.filter(isFaulty);
  if (faulty.length < 2) return [];
  const path = withQuery(
    good,
    faulty.toReversed().map(({ name }) => [name, 'x'] as const),
  );
  const items = faulty.map(({ name, fault }) => ({ ...fault, loc: ['query', name] }));
  return [{ name: 'all faults at once, in the order of the specification', request: { path }, expected: { items } }];
};

/** An address to which parameters can be added. */
const startOf = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}`;

const unknownParameters = ({ good, query }: Endpoint): Case[] => [
  {
    name: 'unknown parameters are ignored',
    request: { path: `${startOf(good)}nonsense=1&__proto__=2&constructor&=3&%00=4&&LIMIT=x` },
    expected: { status: 200 },
  },
  {
    name: 'an unknown parameter is refused with strict handling, and the answer lists the known ones',
    request: { path: `${startOf(good)}nonsense=1`, headers: { prefer: 'handling=strict' } },
    expected: {
      items: [
        extra(
          ['query', 'nonsense'],
          '1',
          (query ?? []).map(({ name }) => name),
        ),
      ],
    },
  },
  { name: 'an empty query is ignored', request: { path: startOf(good) }, expected: { status: 200 } },
];
