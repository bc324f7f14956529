import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** An answer: status, headers, and the body as bytes. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** The options of fetch, with headers as plain names and values. */
type RequestOptions = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** A client as a researcher would write it: a base URL, a key, and JSON. */
export const apiClient = (baseUrl: string, key: string) => {
  const send = async (path: string, init: RequestOptions = {}): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, ...(init.body === undefined ? {} : jsonType), ...init.headers };
    const url = `${baseUrl}/api/v1${path}`;
    const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(60_000) });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  };
  return {
    key,
    send,
    /** Throws the answer when its status is not 200. A busy system may refuse for a while what can be repeated. */
    json: async <Schema extends z.ZodType>(
      schema: Schema,
      path: string,
      init: RequestOptions = {},
    ): Promise<z.output<Schema>> => {
      const { status, bytes } = await poll(
        () => send(path, init),
        (answer) => answer.status !== 503 || !isRepeatable(init),
        { everyMs: 250 },
      );
      if (status !== 200) throw new Error(`${path} answered ${status}: ${bytes.toString('utf8').slice(0, 500)}`);
      return schema.parse(JSON.parse(bytes.toString('utf8')));
    },
    /** The error of a refused request. */
    refusal: async (path: string, init: RequestOptions = {}) => {
      const { status, bytes } = await send(path, init);
      return { status, ...errorBody.parse(JSON.parse(bytes.toString('utf8'))) };
    },
  };
};
export type ApiClient = ReturnType<typeof apiClient>;

const isRepeatable = ({ method = 'GET', headers = {} }: RequestOptions): boolean =>
  method === 'GET' || 'idempotency-key' in headers;

const jsonType = { 'content-type': 'application/json' };

export const errorBody = z.object({ detail: z.string(), code: z.string(), request_id: z.string() });

/** A POST request. With a key it may be repeated. */
export const post = (body: object = {}, key?: string) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: key === undefined ? {} : { 'idempotency-key': key },
});

/** Repeats a request until `done` accepts the answer, as a client polls. The error contains the last answer. */
export const poll = async <T>(
  attempt: () => Promise<T>,
  done: (value: T) => boolean,
  { timeoutMs = 120_000, everyMs = 50 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await attempt();
    if (done(value)) return value;
    if (performance.now() > deadline)
      throw new Error(`not done in ${timeoutMs} ms: ${JSON.stringify(value).slice(0, 800)}`);
    await delay(everyMs);
  }
};
