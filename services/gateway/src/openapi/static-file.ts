import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { writeHead } from '../http/reply.js';

export interface StaticFile {
  readonly type: string;
  readonly cacheControl: string;
  /** Read when the first client asks, and kept from then on. */
  readonly read: () => Promise<Uint8Array> | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** May be kept, and must be asked about each time. */
export const revalidateAlways = 'no-cache';
/** Stands under a path that changes with it. */
export const immutable = 'public, max-age=31536000, immutable';

const compress = promisify(gzip);

/** Answers with the same bytes each time, without a key; gzipped for who takes that. */
export const staticFileHandler = (file: StaticFile): RequestHandler => {
  let loaded: ReturnType<typeof make> | undefined;
  return async (request, response) => {
    // What could not be read once may be there the next time.
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
  // Weak, since it stands for the file gzipped and plain alike.
  return { bytes, gzipped: await compress(bytes), etag: `W/"${hash('sha256', bytes, 'hex').slice(0, 20)}"` };
};

const isKnown = ({ headers }: Request, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((one) => [etag, '*'].includes(one.trim()));
