import type { Logger } from '@almanac/runtime';
import type { Authentication } from '../auth/authenticate.js';
import type { Exchange } from '../http/exchange.js';
import { type EventStream, eventStreamHead, type EventStreams } from '../http/event-streams.js';
import { notStored, writeHead } from '../http/reply.js';
import type { ExportStates } from './export-states.js';
import type { FileProgresses } from './file-progress.js';
import type { ShowExport } from './show-export.js';

export interface StreamExportDeps {
  readonly states: ExportStates;
  readonly progresses: FileProgresses;
  readonly show: ShowExport;
  readonly streams: EventStreams;
  readonly authentication: Pick<Authentication, 'confirm'>;
  readonly log: Logger;
}

const progressMs = 1_000;

/**
 * Sends the state of an export now and after each change until it ends, in the form of a poll. An event's id is the
 * sequence of the export's last event, so a reconnecting client gets only what it does not know. A client that knows
 * the end gets 204, which tells browsers not to reconnect.
 */
export const streamExport =
  (deps: StreamExportDeps) =>
  async (exportId: string, exchange: Exchange): Promise<void> => {
    const { request, response, caller } = exchange;
    const { state, seq } = await deps.states.get(caller, exportId);
    const seen = lastSeen(request.get('last-event-id'));
    if (state.status !== 'pending' && seen >= seq) {
      writeHead(response, 204, { 'Cache-Control': notStored }).end();
      return;
    }
    if (request.method === 'HEAD') {
      writeHead(response, 200, eventStreamHead).end();
      return;
    }
    const watches: (() => void)[] = [];
    const stream = deps.streams.open(response, caller.account, () => {
      for (const unwatch of watches) unwatch();
    });
    // A revocation before this point found no stream to end.
    const isValid = await confirmed(deps, exchange);
    if (!isValid || response.destroyed) return stream.end();
    const sender = createSender(deps, exchange, { stream, id: state.id, seen });
    watches.push(
      deps.states.watch(caller.account, state.id, sender.changed),
      deps.progresses.watch(state.file_key, sender.progressed),
    );
    sender.changed();
  };

/** Without an answer of the keys service the stream ends, too. The client reconnects and is authenticated again. */
const confirmed = async ({ authentication, log }: StreamExportDeps, { caller, requestId }: Exchange) => {
  try {
    await authentication.confirm(caller, requestId);
    return true;
  } catch (error) {
    log.debug({ err: error, request_id: requestId }, 'an event stream ends, because its key was not confirmed');
    return false;
  }
};

interface StreamPosition {
  readonly stream: EventStream;
  readonly id: string;
  /** Sequence of the last event that the client has seen. */
  readonly seen: number;
}

const createSender = (
  { states, show, log }: StreamExportDeps,
  exchange: Exchange,
  { stream, id, seen }: StreamPosition,
) => {
  let lastSentSeq = seen;
  let progressSentMs = -Infinity;
  const { caller } = exchange;
  const sendState = async (): Promise<void> => {
    const { state, seq } = await states.get(caller, id);
    if (seq <= lastSentSeq) return;
    stream.send({ name: state.status, id: seq, data: await show(state, exchange) });
    lastSentSeq = seq;
    if (state.status !== 'pending') stream.end();
  };
  const sendProgress = async (): Promise<void> => {
    const { state } = await states.get(caller, id);
    const now = performance.now();
    if (state.status !== 'pending' || now - progressSentMs < progressMs || !stream.flows) return;
    progressSentMs = now;
    stream.send({ name: 'progress', data: await show(state, exchange) });
  };
  // Sends one after the other, so that an older state never follows a newer one.
  let queue = Promise.resolve();
  const inTurn = (send: () => Promise<void>) => (): void => {
    queue = queue.then(send).catch((error: unknown) => {
      log.warn({ err: error, request_id: exchange.requestId }, 'an event stream failed');
      stream.break();
    });
  };
  return { changed: inTurn(sendState), progressed: inTurn(sendProgress) };
};

/** An invalid id is ignored, and the client gets the current state. */
const lastSeen = (header: string | undefined): number =>
  header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : 0;
