import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { DomainError, exportFormats, notFound, type RecordedExport } from '@almanac/contracts';
import { inSpan } from '@almanac/runtime';
import { matchesIfNoneMatch } from '../cache/cached-response.js';
import type { Exchange } from '../http/exchange.js';
import { HttpError } from '../http/error-response.js';
import { revalidated, writeHead } from '../http/reply.js';
import { fileBytesMax } from '../http/answer-memory.js';
import type { ExportStates } from './export-states.js';
import type { LinkCache } from './links.js';
import { readWithIdleTimeout } from './read-with-idle-timeout.js';

/** How long the object store may let this gateway wait, for the first byte and for any further one. */
const idleTimeoutMs = 15_000;

/**
 * Sends an export's file, or a range of it, from an internal signed link. It requests the link even if the cached
 * state is not ready, because that state may be a moment old. A refused link is then the answer.
 */
export const sendFile =
  (states: ExportStates, links: LinkCache) =>
  async (exportId: string, exchange: Exchange): Promise<void> => {
    const { request, response, caller } = exchange;
    const { state } = await states.get(caller, exportId);
    const link = await links.get(state.id, exchange, false).catch((error: unknown) => {
      // Another account's export and a missing one must give identical answers, whoever reports it.
      throw error instanceof DomainError && error.code === 'export_not_found'
        ? notFound('export_not_found', exportId)
        : error;
    });
    const etag = state.status === 'ready' ? `"${state.file.sha256}"` : undefined;
    if (etag !== undefined && matchesIfNoneMatch(exchange, { etag })) {
      writeHead(response, 304, { ETag: etag, 'Cache-Control': revalidated }).end();
      return;
    }
    const upstream = await inSpan(linkSpan, () => open(link.url, rangeOf(exchange, etag)));
    if (upstream.statusCode === 404) {
      upstream.destroy();
      // A lost object is prepared again. The next request gets a file that was restored meanwhile.
      await links.missing(state.id, exchange);
      throw unreachable(new Error('the object store has no such object'));
    }
    if (upstream.statusCode === 416) throw unsatisfiable(upstream, state);
    if (upstream.statusCode !== 200 && upstream.statusCode !== 206) throw failed(upstream);
    try {
      exchange.reserveAnswer(exchange, fileBytesMax);
    } catch (error) {
      upstream.destroy();
      throw error;
    }
    writeHead(response, upstream.statusCode, fileHeaders(upstream, state, etag));
    if (request.method === 'HEAD') {
      upstream.destroy();
      response.end();
      return;
    }
    // A failed pipeline destroys the response, so that a client cannot mistake the part for the complete file.
    await pipeline(readWithIdleTimeout(upstream, idleTimeoutMs), response);
  };

/** A request for several ranges may be answered with the complete file, which all stores support. */
const oneRange = /^bytes=(?:\d+-\d*|-\d+)$/;

/** The requested range. With If-Range, only if the file still has our ETag; the store's ETag does not count. */
const rangeOf = ({ request }: Exchange, etag: string | undefined): string | undefined => {
  const { range = '', 'if-range': ifRange } = request.headers;
  const rangeHeader = range.toLowerCase();
  const isMeant = request.method === 'GET' && (ifRange === undefined || ifRange === etag);
  return isMeant && oneRange.test(rangeHeader) ? rangeHeader : undefined;
};

/** Ends with the first byte. Without the link, because the link grants access to the file. */
const linkSpan = () =>
  ({
    kind: 'client',
    name: 'S3/GetObject',
    attributes: { 'rpc.system.name': 'aws-api', 'rpc.system': 'aws-api', 'rpc.method': 'S3/GetObject' },
  }) as const;

/** The store's answer with its headers. Rejects with `unavailable` if there is none. */
const open = (url: string, range: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const upstreamRequest = send(url, { headers: range === undefined ? {} : { Range: range } });
    const fellSilent = (): void => void upstreamRequest.destroy(new Error('the object store fell silent'));
    const timer = setTimeout(fellSilent, idleTimeoutMs);
    upstreamRequest.on('response', (upstream) => {
      clearTimeout(timer);
      resolve(upstream);
    });
    upstreamRequest.on('error', (cause) => {
      clearTimeout(timer);
      reject(unreachable(cause));
    });
    upstreamRequest.end();
  });

const unreachable = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The file is temporarily unavailable. Try again in a few seconds.', { cause });

const failed = (upstream: IncomingMessage): DomainError => {
  upstream.destroy();
  return unreachable(new Error(`the object store answered ${upstream.statusCode}`));
};

/** The size comes from the export's state, because not every store reports it. */
const unsatisfiable = (upstream: IncomingMessage, state: RecordedExport): HttpError => {
  upstream.destroy();
  return new HttpError('range_not_satisfiable', {
    detail: 'The requested range is outside the file. `Content-Range` gives the size of the file.',
    ...(state.status === 'ready' ? { headers: { 'Content-Range': `bytes */${state.file.bytes}` } } : {}),
  });
};

const fileHeaders = (
  { headers }: IncomingMessage,
  state: RecordedExport,
  etag: string | undefined,
): Record<string, string> => {
  const all: Record<string, string | undefined> = {
    'Content-Type': exportFormats[state.query.format].contentType,
    'Content-Disposition': headers['content-disposition'] ?? `attachment; filename="${state.filename}"`,
    'Content-Length': headers['content-length'],
    'Content-Range': headers['content-range'],
    'Accept-Ranges': 'bytes',
    'Cache-Control': revalidated,
    ETag: etag,
  };
  const passedThrough: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) if (value !== undefined) passedThrough[name] = value;
  return passedThrough;
};
