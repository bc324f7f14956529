import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '@almanac/contracts';
import { withJitter, withTimeout } from '@almanac/runtime';
import type { PubAck } from '@nats-io/jetstream';
import { z } from 'zod';
import { type Bus, isWrongSequence } from './bus.js';
import { stepDownSubject } from './heartbeat-subjects.js';
import { type HeartbeatStream, heartbeatStreams } from './names.js';
import { rawJetStream } from './raw-jetstream.js';

/**
 * Up to which event of EVT_KEYS revocations were answered, in a cluster. A revocation is answered after each stream has its
 * mark. So each stream that a majority acknowledges has all of them, also while EVT_KEYS or the other stream has no leader.
 */
export interface KeyMarks {
  /** Asks each stream. An answer proves a majority, and has the mark, or undefined if the stream has none yet. */
  confirm(timeoutMs: number): Promise<number | undefined>[];
  /** Resolves when every stream has this mark or a later one. Throws after the time. */
  mark(seq: number, timeoutMs: number): Promise<void>;
  /** Gives the streams that have none yet this mark: the position at the leader of EVT_KEYS. */
  begin(seq: number, timeoutMs: number): Promise<void>;
}

export const keyMarks = (bus: Bus): KeyMarks => {
  const streams = heartbeatStreams.map((stream) => markedStream(bus, stream));
  const each = async (act: (stream: MarkedStream) => Promise<void>): Promise<void> =>
    void (await Promise.all(streams.map(act)));
  return {
    confirm: (timeoutMs) => streams.map((stream) => stream.confirm(timeoutMs)),
    mark: (seq, timeoutMs) => each((stream) => stream.mark(seq, timeoutMs)),
    begin: (seq, timeoutMs) =>
      each(async (stream) => {
        if (stream.isEmpty()) await stream.mark(seq, timeoutMs);
      }),
  };
};

type MarkedStream = ReturnType<typeof markedStream>;

const stored = z.object({ seq: z.int() });

/** A try that no leader answers ends after this time. */
const tryMs = 1_000;

/** The server refuses an expectation about a subject while it stores another message with one. */
const conflictMs = 40;

const markedStream = (bus: Bus, { name, heartbeat, mark }: HeartbeatStream) => {
  const { js, jsm } = bus[rawJetStream];
  /** The last known mark, and the sequence of its message in this stream. 0: no message. */
  let known: { readonly at: number; readonly seq: number | undefined } = { at: 0, seq: undefined };

  const inTime = <T>(timeoutMs: number, answer: Promise<T>): Promise<T> =>
    withTimeout(timeoutMs, answer, () => {
      throw new Error(`no majority of the cluster answered about ${name} within ${Math.round(timeoutMs)} ms`);
    });
  /** Any replica has the message with this sequence, or does not have it yet. */
  const load = async (at: number, timeoutMs: number): Promise<void> => {
    const message = at === 0 ? null : await inTime(timeoutMs, jsm.direct.getMessage(name, { seq: at }));
    if (at === 0) known = { at, seq: undefined };
    else if (message !== null) known = { at, seq: markIn(message.string()) };
  };
  /** Publishes if the known mark is the last one. Otherwise it learns the last one, and is repeated. */
  const publish = async (subject: string, text: string, timeoutMs: number): Promise<PubAck | undefined> => {
    const expect = { lastSubjectSequence: known.at, ...(subject === mark ? {} : { lastSubjectSequenceSubject: mark }) };
    try {
      return await inTime(timeoutMs, js.publish(subject, text, { expect, timeout: timeoutMs, retries: 0 }));
    } catch (error) {
      if (!isWrongSequence(error)) throw error;
      const [, last] = /wrong last sequence: (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
      if (last === undefined) await delay(withJitter(conflictMs));
      else await load(Number(last), timeoutMs);
      return undefined;
    }
  };
  return {
    isEmpty: () => known.seq === undefined,
    confirm: async (timeoutMs: number): Promise<number | undefined> => {
      for (const deadline = performance.now() + timeoutMs; ;) {
        const { seq } = known;
        if ((await publish(heartbeat, '', Math.max(1, deadline - performance.now()))) !== undefined) return seq;
      }
    },
    mark: async (seq: number, timeoutMs: number): Promise<void> => {
      for (const deadline = performance.now() + timeoutMs; (known.seq ?? -1) < seq;) {
        const leftMs = deadline - performance.now();
        try {
          const ack = await publish(mark, JSON.stringify({ seq }), Math.min(tryMs, Math.max(1, leftMs)));
          if (ack !== undefined && ack.seq > known.at) known = { at: ack.seq, seq };
        } catch (error) {
          // It may have been stored. Then the next try finds it.
          if (leftMs <= tryMs) throw error;
        }
      }
    },
  };
};

const markIn = (text: string): number => stored.parse(parseJson(text)).seq;

/**
 * Has the second stream led by another server while one leads both: its loss would leave no stream with a leader. For any
 * process, as often as it likes.
 */
export const separateLeaders = async (bus: Bus): Promise<void> => {
  const { jsm } = bus[rawJetStream];
  const [first, second] = await Promise.all(
    heartbeatStreams.map(async ({ name }) => (await jsm.streams.info(name)).cluster?.leader),
  );
  if (first === undefined || first === '' || first !== second) return;
  await bus.streams.request(stepDownSubject, '', { timeout: tryMs });
};
