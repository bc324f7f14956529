import type { Transport } from '../http/transport.js';
import type { AnswerOf, CallOptions } from '../types.js';

export type OperatorStatus = AnswerOf<'getOperatorStatus'>;

export type OperatorHistory = AnswerOf<'getOperatorHistory'>;

export const operatorOf = (transport: Transport) => ({
  /** The state of the running system: processes, streams, dead letters and faults. Only for accounts of the operator. */
  status: (options?: CallOptions): Promise<OperatorStatus> =>
    transport.json({ operation: 'getOperatorStatus' }, options, 'processes'),
  /** Requests, their duration, backlog, disk and memory of the last day, a sample a minute. Only for accounts of the operator. */
  history: (options?: CallOptions): Promise<OperatorHistory> =>
    transport.json({ operation: 'getOperatorHistory' }, options, 'samples'),
});
