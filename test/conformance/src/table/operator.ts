import type { Endpoint } from './endpoint.js';

const path = '/operator/status';
const hidden = { status: 404, code: 'not_found' } as const;

export const operatorTable: readonly Endpoint[] = [
  {
    method: 'GET',
    path,
    good: path,
    deadlineMs: 5_000,
    cases: (['spent', 'idle', 'crowded'] as const).flatMap((who) => [
      { name: `is no path for an account that is no operator (${who})`, request: { path, who }, expected: hidden },
      {
        name: `is no path for it with an unknown parameter and strict handling (${who})`,
        request: { path: `${path}?nonsense=1`, who, headers: { prefer: 'handling=strict' } },
        expected: hidden,
      },
    ]),
  },
];
