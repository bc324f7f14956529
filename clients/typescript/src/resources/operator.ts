import type { Transport } from '../http/transport.js';
import type { AnswerOf, CallOptions } from '../types.js';

export type OperatorStatus = AnswerOf<'getOperatorStatus'>;

export const operatorOf = (transport: Transport) => ({
  /** The state of the running system: processes, streams, dead letters and faults. Only for accounts of the operator. */
  status: (options?: CallOptions): Promise<OperatorStatus> =>
    transport.json({ operation: 'getOperatorStatus' }, options, 'processes'),
});
