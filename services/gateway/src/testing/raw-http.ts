import { type IncomingHttpHeaders, request } from 'node:http';

/** A response as received: nothing is decompressed. Requests have no headers except those of the test. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface RawRequest {
  readonly method?: string;
  /** Sent as it is, instead of that of the URL, which Node cleans. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An abort disconnects the client. */
  readonly signal?: AbortSignal;
}

export const sendRaw = (
  url: string,
  { method = 'GET', path, headers = {}, signal }: RawRequest = {},
): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const options = {
      method,
      headers,
      agent: false,
      ...(signal ? { signal } : {}),
      ...(path === undefined ? {} : { path }),
    };
    const clientRequest = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    clientRequest.on('error', reject).end();
  });
