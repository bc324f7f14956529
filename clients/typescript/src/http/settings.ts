import { AlmanacError } from '../errors.js';
import { asOfSeconds, type Time } from '../times.js';
import type { Notice } from '../types.js';
import { ownWording, type Wording } from './wording.js';

export interface AlmanacOptions {
  /** The API key. Default: the environment variable ALMANAC_API_KEY. */
  readonly apiKey?: string | undefined;
  /**
   * In a page that the server itself serves, instead of a key: the browser sends the cookie of the session that
   * `/auth/session` opened, and calls that change something send its token.
   */
  readonly session?: Session | undefined;
  /** The address of the server, with or without `/api/v1`. Default: the environment variable ALMANAC_BASE_URL. */
  readonly baseUrl?: string | undefined;
  /** Answers as the archive was known at this time, exact to the microsecond. A call can set an earlier one. */
  readonly as_of?: Time | undefined;
  /** Refuses unknown parameters and filter values with status 422 instead of a notice. Default true. */
  readonly strict?: boolean | undefined;
  /** The longest time of one attempt, and of a pause between bytes of a stream. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** The longest time of a call with all its retries. Default 120,000. */
  readonly deadlineMs?: number | undefined;
  /** How often a failed attempt is repeated: status 429, 502, 503 and 504, and lost connections. Default 5. */
  readonly maxRetries?: number | undefined;
  /** Instead of the global `fetch`, for proxies and tests. */
  readonly fetch?: typeof fetch | undefined;
  /** Gets each JSON answer as the server wrote it, with every digit of its numbers. Files and streams are no answers. */
  readonly onAnswer?: ((answer: AnswerText) => void) | undefined;
  /**
   * Gets each notice of an answer: what the answer does not show by itself, such as a window that was cut. Lists that are
   * iterated show no answers, so this is where their notices are.
   */
  readonly onNotice?: ((notice: AnswerNotice) => void) | undefined;
  /** For programs on this client: how its errors and notices name calls. Default: as this client does. */
  readonly wording?: Wording | undefined;
  /** Gets each pause of more than 2 s, before it begins. The call is then sent again. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
}

export interface AnswerNotice extends Notice {
  /** The address of the request. */
  readonly url: string;
}

export interface Wait {
  /** What the client waits for, such as a limit of the plan. */
  readonly error: AlmanacError;
  readonly seconds: number;
  /** Which attempt follows: the first one after a failure is 2. */
  readonly attempt: number;
}

export interface AnswerText {
  readonly url: string;
  readonly text: string;
}

export interface Session {
  /** The `csrf_token` of `/auth/session`, or undefined if none is open. It is read before each call. */
  readonly csrfToken: () => string | undefined;
}

/** The options after validation. */
export interface Settings {
  /** The headers that say who calls. */
  readonly credentials: (method: string) => Record<string, string>;
  /** Without `/api/v1` and without a slash at its end. */
  readonly baseUrl: string;
  readonly asOf: number | undefined;
  readonly strict: boolean;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof fetch;
  readonly onAnswer: (answer: AnswerText) => void;
  readonly onNotice: (notice: AnswerNotice) => void;
  readonly onWait: (wait: Wait) => void;
  readonly wording: Wording;
}

export const invalidOption = (detail: string, remedy: string): AlmanacError =>
  new AlmanacError({ code: 'invalid_options', detail, remedy });

export const settingsOf = (options: AlmanacOptions): Settings => ({
  credentials: credentialsOf(options),
  baseUrl: baseUrlOf(options.baseUrl ?? environment('ALMANAC_BASE_URL')),
  asOf: options.as_of === undefined ? undefined : asOfSeconds(options.as_of),
  strict: options.strict ?? true,
  timeoutMs: positive('timeoutMs', options.timeoutMs ?? 30_000),
  deadlineMs: positive('deadlineMs', options.deadlineMs ?? 120_000),
  maxRetries: count('maxRetries', options.maxRetries ?? 5),
  // Browsers refuse a fetch that is called as a method of another object.
  fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
  onAnswer: options.onAnswer ?? (() => undefined),
  onNotice: options.onNotice ?? (() => undefined),
  onWait: options.onWait ?? (() => undefined),
  wording: options.wording ?? ownWording,
});

/** Browsers have no environment. */
const environment = (name: string): string | undefined => {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
};

const credentialsOf = ({ apiKey, session }: AlmanacOptions): Settings['credentials'] => {
  if (session === undefined) {
    const headers = { Authorization: `Bearer ${apiKeyOf(apiKey ?? environment('ALMANAC_API_KEY'))}` };
    return () => headers;
  }
  if (apiKey !== undefined) throw invalidOption('There are an API key and a session.', 'Pass only one of them.');
  return (method) => {
    const token = method === 'GET' ? undefined : session.csrfToken();
    return token === undefined ? {} : { 'X-CSRF-Token': token };
  };
};

const apiKeyOf = (key: string | undefined): string => {
  const trimmed = key?.trim() ?? '';
  if (trimmed === '') {
    throw invalidOption('There is no API key.', 'Pass apiKey, or set the environment variable ALMANAC_API_KEY.');
  }
  // Other characters cannot be sent in a header. The key itself must not be in an error message.
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw invalidOption('The API key has characters that no key has.', 'Copy the whole key once more, on one line.');
  }
  return trimmed;
};

const baseUrlOf = (text: string | undefined): string => {
  const remedy = 'Pass baseUrl, such as http://127.0.0.1:8080, or set the environment variable ALMANAC_BASE_URL.';
  if (text === undefined || text.trim() === '') throw invalidOption('The address of the server is missing.', remedy);
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw invalidOption(`${text} is not an address.`, remedy);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalidOption(`${text} does not start with http:// or https://.`, remedy);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
};

const positive = (name: string, value: number): number => {
  if (value > 0) return value;
  throw invalidOption(`${name} is ${value}.`, 'Pass a number of milliseconds above 0.');
};

const count = (name: string, value: number): number => {
  if (Number.isInteger(value) && value >= 0) return value;
  throw invalidOption(`${name} is ${value}.`, 'Pass a whole number from 0.');
};
