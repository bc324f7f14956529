import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '@almanac/contracts';
import { withJitter, withTimeout } from '@almanac/runtime';
import type { PubAck } from '@nats-io/jetstream';
import { z } from 'zod';
import { type Bus, isWrongSequence } from '../bus.js';
import type { HeartbeatStream } from '../names.js';
import { rawJetStream } from '../connection/raw-jetstream.js';

/** The stream of one server (key-marks.ts). */
export type MarkedStream = ReturnType<typeof markedStream>;

const stored = z.object({ seq: z.int() });

/** A try that the server does not answer ends after this time. */
const tryMs = 1_000;

/** The server refuses an expectation about a subject while it stores another message with one. */
const conflictMs = 40;

export const markedStream = (bus: Bus, { name, heartbeat, mark }: HeartbeatStream) => {
  const { js, jsm } = bus[rawJetStream];
  const known = knownMark();

  const inTime = <T>(timeoutMs: number, answer: Promise<T>): Promise<T> =>
    withTimeout(timeoutMs, answer, () => {
      throw new Error(`no answer about ${name} within ${Math.round(timeoutMs)} ms`);
    });
  const load = async (at: number, timeoutMs: number): Promise<void> => {
    const message = at === 0 ? null : await inTime(timeoutMs, jsm.direct.getMessage(name, { seq: at }));
    if (at === 0) known.isNone();
    else if (message !== null) known.isLoaded(at, markIn(message.string()));
  };
  /** Publishes if the known mark is the last one. Otherwise it learns the last one, and is repeated. */
  const publish = async (subject: string, text: string, timeoutMs: number): Promise<PubAck | undefined> => {
    const expect = {
      lastSubjectSequence: known.at(),
      ...(subject === mark ? {} : { lastSubjectSequenceSubject: mark }),
    };
    try {
      const ack = await inTime(timeoutMs, js.publish(subject, text, { expect, timeout: timeoutMs, retries: 0 }));
      return known.isAfterRestart(ack) ? undefined : ack;
    } catch (error) {
      if (!isWrongSequence(error)) throw error;
      const [, last] = /wrong last sequence: (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
      if (last === undefined) await delay(withJitter(conflictMs));
      else await load(Number(last), timeoutMs);
      return undefined;
    }
  };
  /** The mark, or undefined if the stream has none. */
  const confirm = async (timeoutMs: number): Promise<number | undefined> => {
    for (const deadline = performance.now() + timeoutMs; ;) {
      const seq = known.seq();
      if ((await publish(heartbeat, '', Math.max(1, deadline - performance.now()))) === undefined) continue;
      if (seq === undefined) known.isNone();
      return seq;
    }
  };
  /** Stores the mark unless the stream has it or a later one. Returns whether it has. */
  const tryMark = async (seq: number, timeoutMs: number): Promise<boolean> => {
    const has = known.seq();
    // Its server may have restarted since this process knew it.
    if (has !== undefined && has >= seq) return ((await confirm(timeoutMs)) ?? -1) >= seq;
    const ack = await publish(mark, JSON.stringify({ seq }), timeoutMs);
    if (ack !== undefined) known.isStored(ack.seq, seq);
    return ack !== undefined;
  };
  return {
    confirm,
    /** How long this process has known that the stream has no mark. */
    emptyForMs: known.emptyForMs,
    /** Resolves when the stream has this mark or a later one. */
    mark: async (seq: number, timeoutMs: number): Promise<void> => {
      for (const deadline = performance.now() + timeoutMs; ;) {
        const leftMs = deadline - performance.now();
        try {
          if (await tryMark(seq, Math.min(tryMs, Math.max(1, leftMs)))) return;
        } catch (error) {
          // It may have been stored. Then the next try finds it.
          if (leftMs <= tryMs) throw error;
          await delay(withJitter(conflictMs));
        }
      }
    },
  };
};

const markIn = (text: string): number => stored.parse(parseJson(text)).seq;

/** The last known mark of a stream in memory, which begins again when its server restarts. */
const knownMark = () => {
  /** The sequence of the mark's message in the stream. 0: no message. */
  let last: { readonly at: number; readonly seq: number | undefined } = { at: 0, seq: undefined };
  let highest = 0;
  let emptySince: number | undefined;
  const isNone = (): void => {
    last = { at: 0, seq: undefined };
    emptySince ??= performance.now();
  };
  return {
    at: (): number => last.at,
    seq: (): number | undefined => last.seq,
    emptyForMs: (): number => (emptySince === undefined ? 0 : performance.now() - emptySince),
    isNone,
    isLoaded: (at: number, seq: number): void => {
      emptySince = undefined;
      last = { at, seq };
    },
    /** Answers to several marks can arrive in another order. */
    isStored: (at: number, seq: number): void => {
      emptySince = undefined;
      if (at > last.at) last = { at, seq };
    },
    /** A sequence that was there before says that the stream began again. What is known about its mark is then void. */
    isAfterRestart: ({ seq }: PubAck): boolean => {
      const restarted = seq <= highest;
      highest = seq;
      if (restarted) isNone();
      return restarted;
    },
  };
};
