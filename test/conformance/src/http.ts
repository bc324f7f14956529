import { Agent, type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

/** A request as sent over the wire: the path is not normalised. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An answer with its decoded bytes. `ms` is the time until the last byte. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly ms: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Rejects when no answer has come after `timeoutMs`. */
export const send = (baseUrl: string, request: Request, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method, path, body } = request;
    const length =
      body === undefined || 'transfer-encoding' in request.headers ? {} : { 'content-length': lengthOf(body) };
    const headers = { ...length, ...request.headers };
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(timeoutMs);
    const clientRequest = requestHttp(baseUrl, { method, path, headers, agent, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: given } = response;
        const bytes = decoded(Buffer.concat(chunks), given['content-encoding']);
        resolve({ status, headers: given, bytes, ms: performance.now() - startedAt });
      });
    });
    clientRequest.on('error', (cause) =>
      reject(new Error(`${method} ${path.slice(0, 200)}: ${cause.message}`, { cause })),
    );
    clientRequest.end(body);
  });

const lengthOf = (body: string | Uint8Array): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.length;

const decoded = (bytes: Buffer, encoding: string | undefined): Buffer => {
  if (encoding === undefined || bytes.length === 0) return bytes;
  if (encoding === 'gzip') return gunzipSync(bytes);
  if (encoding === 'zstd') return zstdDecompressSync(bytes);
  throw new Error(`the answer has the content encoding ${encoding}`);
};

/** The JSON of an answer. */
export const jsonOf = ({ bytes }: Answer): unknown => JSON.parse(bytes.toString('utf8'));
