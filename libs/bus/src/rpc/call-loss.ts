import type { Contract } from '@almanac/contracts';
import type { Msg } from '@nats-io/transport-node';
import { type Bus, hasNoResponders } from '../bus.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { subjects } from '../names.js';

/** After this time without an answer, the service is asked whether it works on the call, and then again and again. */
const lookMs = 200;
/** A process that works on the call answers within this time, unless its event loop is busy. So it gets a second request. */
const askMs = 300;
const asksMax = 2;
const lookAgainMs = 1_000;
/** If this process itself is this late, it may not have seen the answers that it has. */
const lateMsMax = 100;
/** Calls of this process that were sent again because nobody seemed to work on them. A busy service gets no more of them. */
const silentMax = 16;

/** The request or its answer is probably lost. */
export interface Loss {
  readonly isLost: true;
  /** The call has ended. */
  readonly over: () => void;
}

export interface LossWatch {
  readonly lost: Promise<Loss>;
  readonly stop: () => void;
}

let silent = 0;

/**
 * Watches a call for a reconnection of its caller, and for a service of which no process works on it. Each call has a watch, so it
 * is a bare timer: the abort of a signal makes an error with a stack, which takes longer than the rest of a short call.
 */
export const watchForLoss = (bus: Bus, call: { readonly contract: Contract; readonly callId: string }): LossWatch => {
  const { promise: lost, resolve } = Promise.withResolvers<Loss>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const { onReconnect, available } = stateOfConnection(bus.nc);
  const stopListening = onReconnect(() => resolve({ isLost: true, over: () => undefined }));
  const lookAfter = (waitMs: number): void => {
    const dueAt = performance.now() + waitMs;
    timer = setTimeout(() => void look(performance.now() > dueAt + lateMsMax), waitMs);
  };
  const look = async (isLate: boolean): Promise<void> => {
    const isLost = available() === undefined && !isLate && !(await isWorkedOn(bus, call));
    if (isStopped) return;
    if (!isLost || silent >= silentMax) return lookAfter(lookAgainMs);
    silent += 1;
    resolve({ isLost: true, over: () => void (silent -= 1) });
  };
  lookAfter(lookMs);
  return {
    lost,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      stopListening();
    },
  };
};

/** A message at the subject of cancellations. Processes of earlier releases know no call of this id. */
const askPrefix = '?';

const isWorkedOn = async (
  bus: Bus,
  { contract, callId }: { readonly contract: Contract; readonly callId: string },
): Promise<boolean> => {
  for (let asks = 1; ; asks += 1) {
    try {
      await bus.nc.request(subjects.cancel(contract.service), `${askPrefix}${callId}`, { timeout: askMs });
      return true;
    } catch (error) {
      if (asks === asksMax || hasNoResponders(error) || bus.nc.isClosed()) return false;
    }
  }
};

/** Handles a message at the subject of cancellations: it cancels a call, or asks about one. */
export const onCallMessage = (
  message: Pick<Msg, 'string' | 'respond'>,
  calls: ReadonlyMap<string, { cancel(): void }>,
): void => {
  const text = message.string();
  if (!text.startsWith(askPrefix)) return calls.get(text)?.cancel();
  if (calls.has(text.slice(askPrefix.length))) message.respond();
};
