import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, endOf, type KeyMarks, type Running, spreadHeartbeatStreams, subjects } from '@almanac/bus';
import type { KeysHeartbeat, StreamName } from '@almanac/contracts';
import { type Logger, withJitter, withTimeout } from '@almanac/runtime';
import type { RecentChanges } from './recent-changes.js';

export const heartbeatMs = 250;
/** With several servers, a process leaves one from which no heartbeats arrive. The sooner it knows, the less its callers wait. */
const clusterHeartbeatMs = 100;

/** A later answer is too old for a gateway. */
const answerMsMax = 2_000;

/** With marks, a heartbeat waits this long for them, and for EVT_KEYS, whose leader may be elected or wait for its disk. */
const keysWaitMs = 200;

/** Older positions of other streams are not sent. */
const positionAgeMsMax = 1_000;

/** Heartbeats begin on time although earlier ones wait. */
const openMax = 20;

/** A stream that cannot be moved is tried less and less often, because each try loses its mark. */
const [spreadMs, spreadMsMax] = [2_000, 60_000];

export interface HeartbeatOptions {
  readonly bus: Bus;
  readonly log: Logger;
  /** In a cluster. One server alone has no other leader. */
  readonly marks: KeyMarks | undefined;
  readonly changes: RecentChanges;
}

/**
 * Tells every gateway, four times a second, in a cluster ten times, up to which event of EVT_KEYS it must have received everything before it uses
 * cached keys, and how long ago that was so (docs/decisions/117-evidence-for-caches.md). The last sequences of the other
 * streams that gateways follow go along, as far as their leaders answer.
 */
export const startHeartbeat = ({ bus, log, marks, changes }: HeartbeatOptions): Running => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sender = randomUUID();
  const others = {
    commerce: watchEnd(bus, 'EVT_COMMERCE', signal),
    archive: watchEnd(bus, 'EVT_ARCHIVE', signal),
    catalog: watchEnd(bus, 'EVT_CATALOG', signal),
  };
  const open = new Set<Promise<void>>();
  let failing = false;
  const send = async (): Promise<void> => {
    const beganAt = performance.now();
    try {
      const seq = await keysPosition(bus, marks);
      if (signal.aborted) return;
      const sentAt = performance.now();
      const heartbeat: KeysHeartbeat = {
        seq,
        commerce: others.commerce()?.[0],
        archive: oneOrAll(others.archive()),
        catalog: oneOrAll(others.catalog()),
        changes: changes.list(sentAt),
        clock: { sender, sent_ms: sentAt, age_ms: sentAt - beganAt },
      };
      bus.nc.publish(subjects.keysHeartbeat, JSON.stringify(heartbeat));
      if (failing) log.info('the heartbeat works again');
      failing = false;
    } catch (error) {
      if (!failing && !signal.aborted)
        log.warn({ err: error }, 'no heartbeat: gateways verify every key with this service');
      failing = true;
    }
  };
  const sending = (async () => {
    while (!signal.aborted) {
      if (open.size < openMax) {
        const one = send().finally(() => open.delete(one));
        open.add(one);
      }
      await pause(marks === undefined ? heartbeatMs : clusterHeartbeatMs, signal);
    }
  })();
  const spreading = marks === undefined ? undefined : keepSpread(bus, log, signal);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([sending, spreading, ...open]);
    },
  };
};

/**
 * A position that has every revocation that was answered before this call. Alone, EVT_KEYS' leader knows it. In a cluster
 * this leader may have lost the others, so a majority of the servers must answer, and their mark is enough.
 */
const keysPosition = async (bus: Bus, marks: KeyMarks | undefined): Promise<number> => {
  const endOfKeys = (): Promise<number> => endWithin(bus, 'EVT_KEYS', answerMsMax).then(([seq]) => seq);
  if (marks === undefined) return endOfKeys();
  const { majority, mark } = marks.confirm(answerMsMax);
  await majority;
  const position = (await inTime(mark)) ?? (await endOrMark(endOfKeys(), mark));
  // It is tried again with the next heartbeat.
  void marks.begin(position, answerMsMax).catch(() => undefined);
  return position;
};

/**
 * The end of EVT_KEYS is requested only without a mark: it may have a change whose answer was lost with a server, which no heartbeat
 * tells.
 */
const endOrMark = async (end: Promise<number>, mark: Promise<number>): Promise<number> =>
  (await inTime(end)) ?? Promise.any([end, mark]);

const inTime = (position: Promise<number>): Promise<number | undefined> =>
  withTimeout(keysWaitMs, position, noAnswer).catch(noAnswer);

const noAnswer = (): undefined => undefined;

/** Reads the end of a stream all the time. Undefined while its leader does not answer. */
const watchEnd = (bus: Bus, stream: StreamName, signal: AbortSignal) => {
  let read: { readonly end: Ends; readonly at: number } | undefined;
  void (async () => {
    while (!signal.aborted) {
      const at = performance.now();
      const end = await endWithin(bus, stream, positionAgeMsMax).catch(() => undefined);
      if (end !== undefined) read = { end, at };
      await pause(heartbeatMs, signal);
    }
  })();
  return (): Ends | undefined =>
    read !== undefined && performance.now() - read.at < positionAgeMsMax ? read.end : undefined;
};

/** Keeps each stream of heartbeats on a server of its own. */
const keepSpread = async (bus: Bus, log: Logger, signal: AbortSignal): Promise<void> => {
  let waitMs = spreadMs;
  while (!signal.aborted) {
    const isSpread = await spreadHeartbeatStreams(bus).catch((error: unknown) =>
      log.debug({ err: error }, 'the servers of the heartbeats are not known'),
    );
    if (isSpread === false) log.info('a stream of heartbeats moves to another server');
    waitMs = isSpread === false ? Math.min(2 * waitMs, spreadMsMax) : spreadMs;
    // Several processes do this. Without jitter they would move the stream at once.
    await pause(withJitter(waitMs), signal);
  }
};

/** One for each partition. */
type Ends = [number, ...number[]];

const oneOrAll = (ends: Ends | undefined) => (ends?.length === 1 ? ends[0] : ends);

const endWithin = async (bus: Bus, stream: StreamName, timeoutMs: number): Promise<Ends> => {
  const [first, ...more] = await withTimeout(timeoutMs, endOf(bus, stream), () => {
    throw new Error(`no answer about ${stream} within ${timeoutMs} ms`);
  });
  if (first === undefined) throw new Error(`${stream} has no partition`);
  return [first, ...more];
};

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await delay(ms, undefined, { signal }).catch(() => undefined);
};
