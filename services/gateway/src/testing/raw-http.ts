import { type IncomingHttpHeaders, request } from 'node:http';

/** A response as received: nothing is decompressed. Requests have no headers except those of the test. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An abort disconnects the client. */
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
