import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '@almanac/runtime';
import { ImportError, sentenceOf } from '../errors.js';

export type RequestHeaders = Readonly<Record<string, string>>;

/** What a request is for, and where it goes. */
export interface Target {
  /** In reports and errors, without secrets. */
  readonly name: string;
  readonly url: URL;
  /** The headers with those that prove the right to read. Not called for another host. */
  readonly signed: (url: URL, headers: RequestHeaders) => Promise<RequestHeaders>;
  /** What to do about an answer that is no success. `code` is that of an S3 store. */
  readonly remedyOf: (refusal: Refusal) => string;
}

export interface Refusal {
  readonly status: number;
  readonly code: string | null;
  readonly headers: IncomingHttpHeaders;
}

export interface HttpOptions {
  /** Hosts that redirects may lead to, as `cdn.example.org` or `cdn.example.org:8443`. */
  readonly allowedHosts?: readonly string[];
  /** Names proxies, in HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly onWaiting?: (sentence: string) => void;
  /** How long a server may send nothing, in ms. Default 60,000. */
  readonly silenceMs?: number;
  /** After how much silence the user reads of it, in ms. Default 5,000. */
  readonly waitingMs?: number;
  /** The first pause before a retry, in ms. Default 500. */
  readonly firstPauseMs?: number;
}

/** The connection or the server failed in a way that another attempt may repair. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  constructor(
    message: string,
    readonly afterMs = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server refuses the request for good. The message names the place. */
export class RefusedError extends ImportError {
  constructor(
    message: string,
    readonly refusal: Refusal,
  ) {
    super(message);
  }
}

export const attemptsMax = 7;
const pauseMsMax = 15_000;
const redirectsMax = 5;
const redirectMs = 60_000;
const retryAfterMsMax = 60_000;
const errorBytesMax = 16 * 1024;
/** No such host, or a certificate that is not valid. The last ones are of an authority that Node does not know. */
const permanentFaults = /^(?:ENOTFOUND$|CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
const unknownAuthority = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
const transientStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Requests to the hosts that the user named, and to no other. */
export class Http {
  readonly #options: Required<Omit<HttpOptions, 'environment'>>;
  readonly #closing = new AbortController();
  /** Where the last redirect led. An object that is read by ranges has the same one many times. */
  #redirect: { readonly from: string; readonly to: URL; readonly untilMs: number } | null = null;
  readonly #agents: { readonly 'http:': Agent; readonly 'https:': HttpsAgent };

  constructor({ environment, ...options }: HttpOptions = {}) {
    this.#options = {
      allowedHosts: [],
      onWaiting: () => undefined,
      silenceMs: 60_000,
      waitingMs: 5_000,
      firstPauseMs: 500,
      ...options,
    };
    const agent = { keepAlive: true, ...(environment && { proxyEnv: environment }) };
    this.#agents = { 'http:': new Agent(agent), 'https:': new HttpsAgent(agent) };
  }

  close(): void {
    this.#closing.abort();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** Repeats what fails for a while. */
  async retried<T>(name: string, work: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof TransientError)) throw error;
        await this.afterFailure(name, error, failures);
      }
    }
  }

  /** Waits before the next attempt, or throws after the last one. */
  async afterFailure(name: string, error: TransientError, failures: number): Promise<void> {
    if (failures >= attemptsMax)
      throw new ImportError(`${name}: ${error.message}, also at attempt ${attemptsMax} of ${attemptsMax}`, {
        cause: error,
      });
    const { firstPauseMs, onWaiting } = this.#options;
    onWaiting(`Waiting for ${name}: ${error.message} (attempt ${failures + 1} of ${attemptsMax})`);
    const pauseMs = Math.max(error.afterMs, backoffMs(failures - 1, { firstMs: firstPauseMs, mostMs: pauseMsMax }));
    await pause(pauseMs, undefined, { signal: this.#closing.signal });
  }

  /** One answer with status 200, 206, or one of `also`, after redirects. Throws a `TransientError` if another attempt may help. */
  async get(target: Target, headers: RequestHeaders, also: readonly number[] = []): Promise<IncomingMessage> {
    const from = target.url.href;
    const known =
      this.#redirect?.from === from && this.#redirect.untilMs > performance.now() ? this.#redirect.to : null;
    let url = known ?? target.url;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.#send(target, url, headers);
      const status = answer.statusCode ?? 0;
      if (status === 200 || status === 206 || also.includes(status)) {
        if (redirects > 0) this.#redirect = { from, to: url, untilMs: performance.now() + redirectMs };
        return answer;
      }
      if (url === known) {
        // It may have been signed for a short time.
        answer.destroy();
        this.#redirect = null;
        return this.get(target, headers, also);
      }
      const { location } = answer.headers;
      if (status >= 300 && status < 400 && location !== undefined) {
        answer.destroy();
        if (redirects >= redirectsMax)
          throw new ImportError(`${target.name}: the server redirects more than ${redirectsMax} times`);
        url = this.#redirected(target, url, location);
        continue;
      }
      throw await this.#failed(target, answer);
    }
  }

  /** The bytes of an answer. A connection that breaks or falls silent is a `TransientError`. */
  async *body(name: string, answer: IncomingMessage): AsyncGenerator<Buffer, void, undefined> {
    const blocks = answer[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#watched(name, blocks.next(), (error) => answer.destroy(error));
        if (next.done === true) return;
        if (next.value instanceof Buffer) yield next.value;
      }
    } finally {
      answer.destroy();
    }
  }

  async #send({ name, url: named, signed }: Target, url: URL, headers: RequestHeaders): Promise<IncomingMessage> {
    const sent = { 'accept-encoding': 'identity', 'user-agent': 'almanac-import', ...headers };
    const all = isSameServer(url, named) ? await signed(url, sent) : sent;
    const to = { hostname: url.hostname.replaceAll(/^\[|\]$/g, ''), port: url.port, path: url.pathname + url.search };
    const request =
      url.protocol === 'https:'
        ? requestHttps({ ...to, headers: all, agent: this.#agents['https:'] })
        : requestHttp({ ...to, headers: all, agent: this.#agents['http:'] });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', (message) => {
        // Whoever reads the body gets its errors. Nobody reads that of a redirect.
        message.on('error', () => undefined);
        resolve(message);
      });
      request.on('error', reject);
    });
    request.end();
    return this.#watched(name, answer, (error) => request.destroy(error));
  }

  /** Waits for what a server sends, as long as it may be silent. */
  async #watched<T>(name: string, work: Promise<T>, stop: (error: Error) => void): Promise<T> {
    const { silenceMs, waitingMs, onWaiting } = this.#options;
    let silentMs = 0;
    const timer = setInterval(() => {
      silentMs += waitingMs;
      if (silentMs >= silenceMs) stop(new Error(`nothing came for ${silenceMs / 1_000} s`));
      else onWaiting(`Waiting for ${name}: nothing came for ${silentMs / 1_000} s`);
    }, waitingMs);
    try {
      return await work;
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
      if (permanentFaults.test(code))
        throw new ImportError(
          `${name}: there is no connection to this host (${sentenceOf(cause)}). ${connectionRemedy(code)}`,
          { cause },
        );
      throw new TransientError(`the connection failed (${connectionFault(cause)})`, 0, { cause });
    } finally {
      clearInterval(timer);
    }
  }

  #redirected({ name, url: named }: Target, from: URL, location: string): URL {
    const to = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
    if (to === null || (to.protocol !== 'http:' && to.protocol !== 'https:'))
      throw new ImportError(`${name}: the server redirects to an address that is not valid`);
    if (from.protocol === 'https:' && to.protocol === 'http:')
      throw new ImportError(`${name}: the server redirects from https to http, which anyone can read and change`);
    if (
      !isSameServer(to, named) &&
      !this.#options.allowedHosts.some((host) => host === to.host || host === to.hostname)
    )
      throw new ImportError(
        `${name}: the server redirects to ${to.host}, which you did not name. To allow it, add --allow-host ${to.host}`,
      );
    return to;
  }

  async #failed({ name, remedyOf }: Target, answer: IncomingMessage): Promise<Error> {
    const { statusCode: status = 0, statusMessage = '', headers } = answer;
    const stated = `the server answers ${`${status} ${statusMessage}`.trim()}`;
    if (transientStatuses.has(status)) {
      answer.destroy();
      const seconds = Number(headers['retry-after']);
      return new TransientError(stated, Number.isFinite(seconds) ? Math.min(retryAfterMsMax, seconds * 1_000) : 0);
    }
    const code = /<Code>(\w{1,60})<\/Code>/.exec(await this.text(name, answer, errorBytesMax))?.[1] ?? null;
    const refusal = { status, code, headers };
    return new RefusedError(`${name}: ${stated}${code === null ? '' : ` (${code})`}. ${remedyOf(refusal)}`, refusal);
  }

  /** The start of a body as text. */
  async text(name: string, answer: IncomingMessage, bytesMax: number): Promise<string> {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const block of this.body(name, answer)) {
      parts.push(block);
      bytes += block.length;
      if (bytes > bytesMax) break;
    }
    return Buffer.concat(parts).toString('utf8');
  }
}

/** Also its encrypted port. */
const isSameServer = (url: URL, named: URL): boolean =>
  url.host === named.host ||
  (url.hostname === named.hostname && url.protocol === 'https:' && named.protocol === 'http:');

/** The reason of a failed connection, also of one to several addresses. */
const connectionFault = (cause: unknown): string => {
  if (cause instanceof AggregateError && cause.errors.length > 0) return connectionFault(cause.errors[0]);
  return sentenceOf(cause);
};

const connectionRemedy = (code: string): string =>
  unknownAuthority.test(code)
    ? 'To trust its authority, set NODE_EXTRA_CA_CERTS to a file with its certificate'
    : 'Check the address';
