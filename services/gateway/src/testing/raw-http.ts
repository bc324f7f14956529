import { type IncomingHttpHeaders, request } from 'node:http';

/** An answer as it came over the wire: nothing is decompressed, and the request has only the given headers. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborting it disconnects the client. */
  readonly signal?: AbortSignal;
}

export const sendRaw = (url: string, { method = 'GET', headers = {}, signal }: RawRequest = {}): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const clientRequest = request(url, { method, headers, agent: false, ...(signal ? { signal } : {}) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    clientRequest.on('error', reject).end();
  });
