import { randomUUID } from 'node:crypto';
import {
  type Bus,
  type EventMessage,
  isDiscarded,
  NewerEventError,
  nextMessage,
  readEvent,
  subjects,
} from '@almanac/bus';
import { fileSweep, type FileSweep } from '@almanac/contracts';
import { type Decider, type EventStore, execute } from '@almanac/event-store';
import type { z } from 'zod';

type SweepAdvanced = { readonly type: 'SweepAdvanced'; readonly data: FileSweep };

/** A process takes or extends the lease. Nothing changes while another one has it. */
const sweepDecider: Decider<FileSweep, FileSweep & { readonly process: string; readonly us: number }, SweepAdvanced> = {
  state: fileSweep,
  decide: ({ process, us, ...next }, state) => {
    const isFree = state === undefined || state.until_us <= us || state.holder === process;
    return isFree ? { type: 'SweepAdvanced', data: next } : null;
  },
  evolve: (state, { data }) => ({ ...state, ...data }),
};

/** A process that dies loses the lease after this time. It extends the lease more often. */
export const leaseMs = 120_000;
const advanceEveryMs = 20_000;
const advanceEvery = 500;
const appendTimeoutMs = 10_000;

export interface Sweep<State> {
  /** Each sweep has its own position. */
  readonly name: string;
  readonly filter: string;
  readonly state: z.ZodType<State>;
  /** Events are swept when they are older than this. */
  readonly afterUs: number;
  readonly handle: (message: EventMessage<State>) => Promise<void>;
}

export interface SweepStreamDeps {
  readonly bus: Bus;
  readonly store: EventStore;
  /** Unique for this process. */
  readonly process: string;
  readonly nowUs: () => number;
}

/**
 * Handles the events of EVT_FILE that have become old enough since the last sweep, in order. One process at a time
 * sweeps. The position is stored, so that another process continues after a crash: at most the events since the last
 * stored position are handled again. Without such events it costs two reads. Returns the number of events.
 */
export const sweepStream = async <State>(
  deps: SweepStreamDeps,
  sweep: Sweep<State>,
  signal: AbortSignal,
): Promise<number> => {
  const { bus, store, nowUs } = deps;
  const subject = subjects.fileSweep(sweep.name);
  const position = (await store.load(subject, fileSweep))?.state;
  let seq = position?.seq ?? 0;
  let next = await nextDue(bus, sweep, { seq, us: nowUs() });
  if (next === undefined) return 0;
  const advance = async (ms: number): Promise<boolean> => {
    const us = nowUs();
    const holder = ms > 0 ? deps.process : null;
    const outcome = await execute(store, sweepDecider, {
      subject,
      command: { seq, holder, until_us: us + ms * 1_000, process: deps.process, us },
      id: randomUUID(),
      account: null,
      time: us,
      timeoutMs: appendTimeoutMs,
    });
    return outcome?.changed === true;
  };
  if (!(await advance(leaseMs))) return 0;
  let handled = 0;
  let advancedAt = performance.now();
  while (next !== undefined) {
    signal.throwIfAborted();
    if (next.message !== undefined) await sweep.handle(next.message);
    handled += 1;
    seq = next.seq;
    if (handled % advanceEvery === 0 || performance.now() - advancedAt > advanceEveryMs) {
      if (!(await advance(leaseMs))) return handled;
      advancedAt = performance.now();
    }
    next = await nextDue(bus, sweep, { seq, us: nowUs() });
  }
  await advance(0);
  return handled;
};

interface DueEvent<State> {
  readonly seq: number;
  /** Undefined for a message that is no event. */
  readonly message: EventMessage<State> | undefined;
}

/**
 * The next event that is old enough. Nothing after an event of a newer release: the sweep continues after the upgrade,
 * or when the operator has discarded the event.
 */
const nextDue = async <State>(
  bus: Bus,
  { filter, state, afterUs }: Sweep<State>,
  { seq, us }: { seq: number; us: number },
): Promise<DueEvent<State> | undefined> => {
  const stored = await nextMessage(bus, 'EVT_FILE', { subject: filter, seq: seq + 1 });
  if (stored === null) return undefined;
  try {
    const message = readEvent(stored, state);
    return message.event.time + afterUs <= us ? { seq: stored.seq, message } : undefined;
  } catch (error) {
    const isHeld = error instanceof NewerEventError && !(await isDiscarded(bus, 'EVT_FILE', stored));
    return isHeld ? undefined : { seq: stored.seq, message: undefined };
  }
};
