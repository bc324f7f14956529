import type { Msg } from '@nats-io/transport-node';
import type { Bus, Running } from '../bus.js';

export interface OperatorRequests {
  readonly subject: string;
  /** One process of the queue answers a request. */
  readonly queue: string;
}

/** Answers requests of operators. `answer` never rejects. */
export const serveOperatorRequests = (
  bus: Bus,
  { subject, queue }: OperatorRequests,
  answer: (message: Msg) => Promise<void>,
): Running => {
  const answering = new Set<Promise<void>>();
  const subscription = bus.nc.subscribe(subject, {
    queue,
    callback: (failure, message) => {
      // The connection reports its own error to every subscription.
      if (failure !== null) return;
      const one = answer(message).finally(() => answering.delete(one));
      answering.add(one);
    },
  });
  return {
    stop: async () => {
      subscription.unsubscribe();
      await Promise.all(answering);
    },
  };
};
