import { operatorHistory, operatorStatus } from '@almanac/contracts';
import { contextOf } from '../http/exchange.js';
import { sendJson } from '../http/reply.js';
import { local, type Route } from './route.js';

export const operatorRoutes: readonly Route[] = [
  local({
    method: 'get',
    path: '/operator/status',
    doc: {
      operationId: 'getOperatorStatus',
      tag: 'Operator',
      summary: 'Get the state of the system',
      description:
        'Returns the processes, the streams with their backlog, the dead letters, and the faults with their remedies. Only an account on the plan `internal` can read it. For every other account this path does not exist.\n\nA service that does not answer within 3 s has no processes in the answer, and its streams are missing.',
    },
    given: {},
    isFor: ({ plan }) => plan === 'internal',
    success: { json: operatorStatus },
    errors: ['not_found'],
    answer: async (_given, exchange, { readOperatorStatus }) => {
      const { account: _account, plan: _plan, ...context } = contextOf(exchange);
      sendJson(exchange.response, await readOperatorStatus(context));
    },
  }),
  local({
    method: 'get',
    path: '/operator/history',
    doc: {
      operationId: 'getOperatorHistory',
      tag: 'Operator',
      summary: 'Get figures of the last day',
      description:
        'Returns requests, their duration, the backlog, disk and memory of the last day, a sample for each minute. The gateway that answers took them, of all processes of the system. Only an account on the plan `internal` can read it. For every other account this path does not exist.',
    },
    given: {},
    isFor: ({ plan }) => plan === 'internal',
    success: { json: operatorHistory },
    errors: ['not_found'],
    answer: (_given, { response }, deps) => sendJson(response, deps.operatorHistory()),
  }),
];
