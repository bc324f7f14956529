import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { writeHead } from './reply.js';

export interface StaticFile {
  readonly type: string;
  readonly cacheControl: string;
  /** Called on the first request; the result is cached. */
  readonly read: () => Promise<Uint8Array> | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** May be stored, but must be revalidated on each use. */
export const revalidateAlways = 'no-cache';
/** For a path that changes with the content. */
export const immutable = 'public, max-age=31536000, immutable';

const compress = promisify(gzip);

/** Serves a static file without a key, gzipped if the client accepts it. */
export const staticFileHandler = (file: StaticFile): RequestHandler => {
  let loaded: ReturnType<typeof make> | undefined;
  return async (request, response) => {
    // After a failed read, the next request tries again.
    loaded ??= make(file).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    const { etag, bytes, gzipped } = await loaded;
    const headers = { ...file.headers, ETag: etag, 'Cache-Control': file.cacheControl, Vary: 'Accept-Encoding' };
    if (isKnown(request, etag)) {
      writeHead(response, 304, headers).end();
      return;
    }
    const isGzipped = request.acceptsEncodings('gzip') === 'gzip';
    const body = isGzipped ? gzipped : bytes;
    writeHead(response, 200, {
      ...headers,
      'Content-Type': file.type,
      'Content-Length': body.length,
      ...(isGzipped ? { 'Content-Encoding': 'gzip' } : {}),
    }).end(body);
  };
};

const make = async ({ read }: StaticFile) => {
  const bytes = await read();
  // Weak, because it covers the gzipped and the plain file.
  return { bytes, gzipped: await compress(bytes), etag: `W/"${hash('sha256', bytes, 'hex').slice(0, 20)}"` };
};

const isKnown = ({ headers }: Request, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((one) => [etag, '*'].includes(one.trim()));
