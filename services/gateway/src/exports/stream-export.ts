import type { Logger } from '@almanac/runtime';
import type { Exchange } from '../http/exchange.js';
import { type EventStream, eventStreamHead, type EventStreams } from '../http/event-streams.js';
import { notStored, writeHead } from '../http/reply.js';
import type { ExportStates } from './export-states.js';
import type { FileProgresses } from './file-progress.js';
import type { ShowExport } from './show-export.js';

export interface StreamExportParts {
  readonly states: ExportStates;
  readonly progresses: FileProgresses;
  readonly show: ShowExport;
  readonly streams: EventStreams;
  readonly log: Logger;
}

const progressMs = 1_000;

/**
 * Tells where an export stands now and at each change until its end, each time as a poll shows it. An event's id is the
 * sequence of the export's last event, so a client that comes again is told only what it does not know; one that knows
 * the end is answered 204, which tells browsers to come no more.
 */
export const streamExport =
  (parts: StreamExportParts) =>
  async (exportId: string, exchange: Exchange): Promise<void> => {
    const { request, response, caller } = exchange;
    const { state, seq } = await parts.states.get(caller.account, exportId);
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
    const stream = parts.streams.open(response, caller.account, () => {
      for (const unwatch of watches) unwatch();
    });
    const telling = tellingOf(parts, exchange, { stream, id: state.id, seen });
    watches.push(
      parts.states.watch(caller.account, state.id, telling.changed),
      parts.progresses.watch(state.file_key, telling.progressed),
    );
    telling.changed();
  };

interface Told {
  readonly stream: EventStream;
  readonly id: string;
  /** Sequence of the last event that the client knows. */
  readonly seen: number;
}

const tellingOf = ({ states, show, log }: StreamExportParts, exchange: Exchange, { stream, id, seen }: Told) => {
  let told = seen;
  let progressToldMs = -Infinity;
  const { account } = exchange.caller;
  const tellState = async (): Promise<void> => {
    const { state, seq } = await states.get(account, id);
    if (seq <= told) return;
    stream.send({ name: state.status, id: seq, data: await show(state, exchange) });
    told = seq;
    if (state.status !== 'pending') stream.end();
  };
  const tellProgress = async (): Promise<void> => {
    const { state } = await states.get(account, id);
    const now = performance.now();
    if (state.status !== 'pending' || now - progressToldMs < progressMs || !stream.flows) return;
    progressToldMs = now;
    stream.send({ name: 'progress', data: await show(state, exchange) });
  };
  // One after the other, so that nothing is told behind what came after it.
  let telling = Promise.resolve();
  const inTurn = (tell: () => Promise<void>) => (): void => {
    telling = telling.then(tell).catch((error: unknown) => {
      log.warn({ err: error, request_id: exchange.requestId }, 'a stream of events broke off');
      stream.break();
    });
  };
  return { changed: inTurn(tellState), progressed: inTurn(tellProgress) };
};

/** What is no number of ours is none: all is told. */
const lastSeen = (header: string | undefined): number =>
  header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : 0;
