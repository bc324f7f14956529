import { type IncomingHttpHeaders, request } from 'node:http';

/** An answer as it came over the wire: nothing is unpacked, and no header is sent that the test did not name. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface RawAsk {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client goes away when it aborts. */
  readonly signal?: AbortSignal;
}

export const askRaw = (url: string, { method = 'GET', headers = {}, signal }: RawAsk = {}): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false, ...(signal ? { signal } : {}) }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject).end();
  });
