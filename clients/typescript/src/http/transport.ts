import type { CallOptions } from '../types.js';
import { errorOfAnswer, jsonObject, notAnswered, noticesIn } from './answer-errors.js';
import { type Attempt, beginAttempt, type Limits } from './attempt.js';
import { prepare, type PreparedRequest, type Request } from './request.js';
import { withRetries } from './retry.js';
import type { Settings } from './settings.js';
import { inWordsOf } from './wording.js';

/** An answer whose body is read bit by bit. */
export interface OpenAnswer {
  readonly response: Response;
  /** The pieces of the body. Ends the attempt when it is left. */
  readonly pieces: AsyncGenerator<Uint8Array, void, undefined>;
  /** Ends an answer whose body is not read. */
  close(): void;
}

/** Sends requests of operations. Everything above it is free of HTTP. */
export interface Transport {
  /** The JSON answer of an operation, after retries. `list` names an array that the answer must have. */
  json<T>(request: Request, options?: CallOptions, list?: string): Promise<T>;
  /** The headers of an answer, after retries. A body that breaks later is not repeated. */
  open(request: Request, options?: CallOptions): Promise<OpenAnswer>;
  limitsOf(options: CallOptions | undefined, deadlineMs?: number): Limits;
}

export const transportOf = (settings: Settings): Transport => {
  const limitsOf: Transport['limitsOf'] = (options = {}, deadlineMsDefault = settings.deadlineMs) => {
    const deadlineMs = options.deadlineMs ?? deadlineMsDefault;
    return {
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? settings.timeoutMs,
      deadlineMs,
      maxRetries: options.maxRetries ?? settings.maxRetries,
      onWait: settings.onWait,
      endsMs: performance.now() + deadlineMs,
    };
  };
  return {
    limitsOf,
    json: async <T>(request: Request, options: CallOptions = {}, list?: string): Promise<T> => {
      const prepared = prepare(request, settings, options);
      const limits = limitsOf(options);
      return withRetries(() => readJson<T>(settings, prepared, { limits, list }), limits);
    },
    open: async (request, options = {}) => {
      const prepared = prepare(request, settings, options);
      const limits = limitsOf(options);
      const answer = await withRetries(() => openAnswer(settings, prepared, limits), limits);
      return { response: answer.response, pieces: piecesOf(answer), close: () => answer.attempt.end() };
    },
  };
};

interface Answer {
  readonly response: Response;
  readonly attempt: Attempt;
}

/** Rejects unless the status is 2xx. */
const openAnswer = async (
  { fetch, wording }: Settings,
  { url, init }: PreparedRequest,
  limits: Limits,
): Promise<Answer> => {
  const attempt = beginAttempt(url, limits);
  try {
    const response = await fetch(url, { ...init, signal: attempt.signal });
    if (!response.ok) throw await errorOfAnswer(response, wording);
    return { response, attempt };
  } catch (error) {
    const reason = attempt.errorOf(error);
    attempt.end();
    throw reason;
  }
};

const readJson = async <T>(
  settings: Settings,
  prepared: PreparedRequest,
  { limits, list }: { readonly limits: Limits; readonly list: string | undefined },
): Promise<T> => {
  const { response, attempt } = await openAnswer(settings, prepared, limits);
  try {
    const text = await response.text();
    const value = jsonObject(text);
    if (value === undefined || (list !== undefined && !Array.isArray(value[list]))) throw notAnswered(response, text);
    settings.onAnswer({ url: prepared.url, text });
    for (const notice of noticesIn(value))
      settings.onNotice({ ...notice, detail: inWordsOf(notice.detail, settings.wording), url: prepared.url });
    return value as T;
  } catch (error) {
    throw attempt.errorOf(error);
  } finally {
    attempt.end();
  }
};

/** The answer counts as read only when the server has ended it. Whoever stops reading frees the connection. */
async function* piecesOf({ response, attempt }: Answer): AsyncGenerator<Uint8Array, void, undefined> {
  // Safari cannot iterate a stream.
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const read = await reader?.read();
      if (read === undefined || read.done) return;
      attempt.progressed();
      yield read.value;
    }
  } catch (error) {
    throw attempt.errorOf(error);
  } finally {
    attempt.end();
  }
}
