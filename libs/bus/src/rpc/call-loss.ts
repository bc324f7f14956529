import type { Contract } from '@almanac/contracts';
import { headers, type Msg } from '@nats-io/transport-node';
import { type Bus, hasNoResponders } from '../bus.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { headerNames, subjects } from '../names.js';

/** After this time without an answer, the service is asked whether it works on the call, and then again and again. */
const lookMs = 200;
/** The question may be lost, too: it is asked this often. */
const askEveryMs = 100;
/** A process that works on the call answers within this time, unless its event loop is busy. */
const answerMsMax = 600;
/** Once a process answered that does not work on the call, the others have this long to answer that they do. */
const othersMs = 60;
const lookAgainMs = 1_000;
/** If this process itself is this late, it may not have seen the answers that it has. */
const lateMsMax = 100;
/** Calls of this process that were sent again because nobody seemed to work on them. A busy service gets no more of them. */
const silentMax = 16;

/** The request or its answer is probably lost. */
export interface Loss {
  readonly isLost: true;
  /** The inbox of a process that answers and does not work on the call (direct-inboxes.ts). */
  readonly direct?: string | undefined;
  /** The call has ended. */
  readonly over: () => void;
}

interface WatchedCall {
  readonly contract: Contract;
  readonly callId: string;
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
export const watchForLoss = (bus: Bus, call: WatchedCall): LossWatch => {
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
    const found = available() === undefined && !isLate ? await whoWorksOn(bus, call) : undefined;
    if (isStopped) return;
    if (found === undefined || found.isWorkedOn || silent >= silentMax) return lookAfter(isLate ? lookMs : lookAgainMs);
    silent += 1;
    resolve({ isLost: true, direct: found.direct, over: () => void (silent -= 1) });
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

interface Found {
  readonly isWorkedOn: boolean;
  readonly direct?: string | undefined;
}

/** Asks again and again, since the service may reconnect meanwhile. */
const whoWorksOn = (bus: Bus, call: WatchedCall): Promise<Found> => {
  const { promise, resolve } = Promise.withResolvers<Found>();
  const inboxes: string[] = [];
  const timers: NodeJS.Timeout[] = [];
  const deadline = performance.now() + answerMsMax;
  const nobody = (): void =>
    resolve({ isWorkedOn: false, direct: inboxes[Math.floor(Math.random() * inboxes.length)] });
  const onAnswer = (inbox: string | undefined): void => {
    if (!inbox) return resolve({ isWorkedOn: true });
    if (inboxes.push(inbox) === 1) timers.push(setTimeout(nobody, othersMs));
  };
  const ask = (): void => {
    askOnce(bus, call, { waitMs: Math.max(1, deadline - performance.now()), onAnswer }).catch(
      (error: unknown) => (hasNoResponders(error) || bus.nc.isClosed()) && nobody(),
    );
  };
  ask();
  timers.push(setInterval(ask, askEveryMs), setTimeout(nobody, answerMsMax));
  return promise.finally(() => timers.forEach(clearTimeout));
};

/** A process that works on the call answers without a reply subject, and another one of this release with its inbox. */
const askOnce = async (
  { nc }: Bus,
  { contract, callId }: WatchedCall,
  { waitMs, onAnswer }: { waitMs: number; onAnswer: (inbox: string | undefined) => void },
): Promise<void> => {
  const asks = headers();
  asks.set(headerNames.direct, '1');
  const subject = subjects.cancel(contract.service);
  const answers = await nc.requestMany(subject, `${askPrefix}${callId}`, { maxWait: waitMs, headers: asks });
  for await (const { reply } of answers) {
    onAnswer(reply);
    if (!reply) return;
  }
};

/** Handles a message at the subject of cancellations: it cancels a call, or asks about one. */
export const onCallMessage = (
  message: Pick<Msg, 'string' | 'respond' | 'headers' | 'reply'>,
  calls: ReadonlyMap<string, { cancel(): void }>,
  inboxFor: (replySubject: string) => string | undefined,
): void => {
  const text = message.string();
  if (!text.startsWith(askPrefix)) return calls.get(text)?.cancel();
  if (calls.has(text.slice(askPrefix.length))) return void message.respond();
  // Callers of earlier releases take any answer for that of a process that works on the call.
  if (message.headers?.has(headerNames.direct) !== true) return;
  const reply = inboxFor(message.reply ?? '');
  if (reply !== undefined) message.respond('', { reply });
};
