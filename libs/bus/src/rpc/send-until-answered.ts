import { setTimeout as delay } from 'node:timers/promises';
import { type Contract, isRepeatable } from '@almanac/contracts';
import { withJitter } from '@almanac/runtime';
import type { Msg } from '@nats-io/transport-node';
import { type Bus, hasNoResponders } from '../bus.js';
import { type Loss, watchForLoss } from './call-loss.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { subjects } from '../names.js';
import { cancelRest } from './rpc-chunks.js';
import { absentMsMax } from './rpc-wire.js';

const absentRetryMs = 50;

export interface Sending {
  readonly contract: Contract;
  readonly input: unknown;
  readonly callId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Sends the request once, to any process of the service or to that of an inbox. */
  readonly send: (timeoutMs: number, direct: string | undefined) => Promise<Msg>;
}

/**
 * Sends a request until it has an answer or its time is over. When a server dies, what is on its way through it is lost, and
 * nobody is told. So what may be sent twice (`isRepeatable`) is sent again after a reconnection, and when no process of the
 * service works on it: then to a process that has just answered. A request that reached nobody is sent again in any case, for as long as a service needs to connect to
 * another server (docs/decisions/129-requests-outlive-servers.md).
 */
export const sendUntilAnswered = async (bus: Bus, sending: Sending): Promise<Msg> => {
  const { contract, timeoutMs, signal } = sending;
  const mayRepeat = isRepeatable(contract, sending.input);
  const deadline = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(1, Math.ceil(deadline - performance.now()));
  const sent = new Set<Promise<Msg>>();
  const losses: Loss[] = [];
  const send = async (direct?: string): Promise<void> => {
    // What is published without a connection may be lost. A repeated request is sent again then.
    if (!mayRepeat) await availableWithin(bus, leftMs());
    const one = sending.send(leftMs(), direct);
    sent.add(one);
    one.catch(() => sent.delete(one));
    if (!mayRepeat) noteUnrepeatable(bus, one);
  };
  await send();
  try {
    for (;;) {
      let direct: string | undefined;
      const watch = mayRepeat ? watchForLoss(bus, sending) : undefined;
      try {
        const answer = await Promise.race([...sent, ...(watch === undefined ? [] : [watch.lost])]);
        if (!('isLost' in answer)) {
          absencesOf(bus).delete(subjects.rpc(contract));
          sent.clear();
          return answer;
        }
        losses.push(answer);
        direct = answer.direct;
      } catch (error) {
        if (!hasNoResponders(error) || !mayWaitFor(bus, contract)) throw error;
        await delay(Math.min(withJitter(absentRetryMs), leftMs()));
      } finally {
        watch?.stop();
      }
      signal?.throwIfAborted();
      await send(direct);
    }
  } finally {
    for (const loss of losses) loss.over();
    // Of several answers, the others are not read.
    for (const one of sent) one.then((late) => cancelRest(bus, late)).catch(() => undefined);
  }
};

const availableWithin = async (bus: Bus, ms: number): Promise<void> => {
  const available = stateOfConnection(bus.nc).available();
  if (available === undefined) return;
  const over = new AbortController();
  await Promise.race([available, delay(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
};

/** A connection does not move before it is answered. */
const noteUnrepeatable = ({ nc }: Bus, one: Promise<Msg>): void => {
  const { unrepeatable } = stateOfConnection(nc);
  unrepeatable.add(one);
  const answered = (): void => void unrepeatable.delete(one);
  one.then(answered, answered);
};

const absences = new WeakMap<object, Map<string, number>>();

/** Since when nobody answers a subject. */
const absencesOf = ({ nc }: Bus): Map<string, number> => {
  const known = absences.get(nc) ?? new Map<string, number>();
  absences.set(nc, known);
  return known;
};

/** A service that does not run is not waited for again. */
const mayWaitFor = (bus: Bus, contract: Contract): boolean => {
  const subject = subjects.rpc(contract);
  const now = performance.now();
  const since = absencesOf(bus).get(subject) ?? now;
  absencesOf(bus).set(subject, since);
  return now - since < absentMsMax;
};
