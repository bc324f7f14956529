import { ApiError, ConnectionError, ExportError } from '../errors.js';
import type { Limits } from '../http/attempt.js';
import { deadlineError } from '../http/connection-errors.js';
import { announcedPause, delayOf, isTransient } from '../http/retry.js';
import { serverSentEvents } from '../http/server-sent-events.js';
import type { Transport } from '../http/transport.js';
import type { CallOptions, Export } from '../types.js';

export interface WaitOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Gets the export after each change, about once a second: `progress` is between 0 and 1. */
  readonly onProgress?: ((state: Export) => void) | undefined;
}

/** A large export takes minutes. Whoever needs another limit passes `deadlineMs`. */
export const waitMsDefault = 3_600_000;
/** The server sends a comment every 15 s. */
const silenceMsMax = 45_000;
/** After this many streams without an event, a proxy probably does not pass them on. */
const emptyStreamsMax = 3;
const pollMsMin = 1_000;
const pollMsMax = 10_000;

interface Wait {
  readonly transport: Transport;
  readonly id: string;
  readonly limits: Limits;
  readonly onProgress: (state: Export) => void;
  lastEventId: string | undefined;
}

/**
 * Waits for the end of an export, over server-sent events. Reconnects after every loss, and polls where events do not
 * arrive. Throws unless the export becomes ready.
 */
export const waitForExport = async (transport: Transport, id: string, options: WaitOptions = {}): Promise<Export> => {
  const { onProgress = () => undefined, ...call } = options;
  const limits = transport.limitsOf(call, waitMsDefault);
  const wait: Wait = { transport, id, limits, onProgress, lastEventId: undefined };
  let emptyStreams = 0;
  for (let failures = 0; ;) {
    try {
      const polls = emptyStreams >= emptyStreamsMax;
      const { state, events } = polls ? await pollOnce(wait) : await followOnce(wait);
      if (state !== undefined && state.status !== 'pending') return readyOrThrow(state);
      emptyStreams = events > 0 || polls ? 0 : emptyStreams + 1;
      failures = events > 0 ? 0 : failures + 1;
      await pause(wait, Math.min(pollMsMax, pollMsMin * 2 ** Math.min(failures, 4)), { attempt: 1 });
    } catch (error) {
      if (error instanceof ConnectionError && error.code === 'deadline_exceeded') throw tooLate(limits, error);
      if (!isTransient(error)) throw error;
      if (isStreamRefused(error)) emptyStreams = emptyStreamsMax;
      await pause(wait, delayOf(error, Math.min(failures, 6)), { error, attempt: failures + 2 });
      failures += 1;
    }
  }
};

/** An export that is no longer pending. */
export const readyExport = async (transport: Transport, id: string, options: CallOptions): Promise<Export> => {
  const found = await transport.json<Export>({ operation: 'getExport', path: { export_id: id } }, options);
  return found.status === 'pending' ? waitForExport(transport, id, options) : found;
};

/** The account has too many streams open. Polling works without one. */
const isStreamRefused = (error: unknown): boolean => error instanceof ApiError && error.code === 'too_many_streams';

/** Why the wait pauses: undefined while everything is in order. */
interface Failure {
  readonly error?: unknown;
  readonly attempt: number;
}

/** A request of the wait has only the rest of its time, so its own error names another duration. */
const tooLate = ({ deadlineMs }: Limits, cause: unknown): ConnectionError => deadlineError(deadlineMs, cause);

const pause = async ({ limits }: Wait, ms: number, { error, attempt }: Failure): Promise<void> => {
  if (performance.now() + ms >= limits.endsMs) throw tooLate(limits, error);
  await announcedPause({ ms, error, attempt }, limits);
};

/** What a request of the wait may use: the rest of its time, and no retries of its own. */
const callOf = ({ limits }: Wait, timeoutMs: number): CallOptions => ({
  signal: limits.signal,
  timeoutMs,
  deadlineMs: Math.max(1, limits.endsMs - performance.now()),
  maxRetries: 0,
});

interface Seen {
  /** The last known state. Undefined if the stream ended without an event. */
  readonly state: Export | undefined;
  readonly events: number;
}

const pollOnce = async (wait: Wait): Promise<Seen> => {
  const request = { operation: 'getExport', path: { export_id: wait.id } } as const;
  const state = await wait.transport.json<Export>(request, callOf(wait, wait.limits.timeoutMs));
  wait.onProgress(state);
  return { state, events: 1 };
};

const followOnce = async (wait: Wait): Promise<Seen> => {
  const headers: Record<string, string> = { Accept: 'text/event-stream' };
  if (wait.lastEventId !== undefined) headers['Last-Event-ID'] = wait.lastEventId;
  const request = { operation: 'streamExport', path: { export_id: wait.id }, headers } as const;
  const answer = await wait.transport.open(request, callOf(wait, silenceMsMax));
  // 204: the end is known already, but its event was lost on the way.
  if (answer.response.status === 204) {
    answer.close();
    return pollOnce(wait);
  }
  let state: Export | undefined;
  let events = 0;
  try {
    for await (const event of serverSentEvents(answer.pieces)) {
      state = JSON.parse(event.data) as Export;
      events += 1;
      wait.lastEventId = event.id ?? wait.lastEventId;
      wait.onProgress(state);
      if (state.status !== 'pending') break;
    }
  } catch (error) {
    // A stream that broke after an event is continued at once.
    if (!(error instanceof ConnectionError) || !error.isTransient || events === 0) throw error;
  }
  return { state, events };
};

const readyOrThrow = (state: Export): Export => {
  if (state.status === 'ready') return state;
  const isFailed = state.status === 'failed';
  throw new ExportError({
    code: isFailed ? 'export_failed' : 'export_cancelled',
    detail: isFailed
      ? `Export ${state.id} failed: ${state.error ?? 'no reason is stored'}.`
      : `Export ${state.id} was cancelled.`,
    remedy: 'Create the export again. It has cost nothing.',
  });
};
