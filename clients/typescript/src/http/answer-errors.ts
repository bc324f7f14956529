import { ApiError, ConnectionError, type FieldError } from '../errors.js';
import { errorAdvice } from '../generated/error-advice.js';
import type { Notice } from '../types.js';
import { fieldSentence, inWordsOf, type Wording, withoutNextStep } from './wording.js';

const clockToleranceS = 30;

/** The error of an answer whose status is not 2xx. */
export const errorOfAnswer = async (response: Response, wording: Wording): Promise<ApiError | ConnectionError> => {
  const text = await response.text();
  const body = jsonObject(text);
  if (body === undefined || typeof body['code'] !== 'string') return notAnswered(response, text);
  const { code, detail } = body;
  const hints = noticesIn(body).map((notice) => notice.detail);
  const fields = Array.isArray(detail) ? (detail as FieldError[]) : [];
  return new ApiError({
    code,
    detail:
      fields.length > 0
        ? fields.map(({ loc, msg }) => fieldSentence(loc, msg, wording)).join(' ')
        : inWordsOf(withoutNextStep(String(detail)), wording),
    remedy: inWordsOf([adviceOf(code), ...hints].join(' '), wording) + clockAdvice(code, response),
    status: response.status,
    request_id: typeof body['request_id'] === 'string' ? body['request_id'] : response.headers.get('x-request-id'),
    retryAfter: retryAfterOf(response),
    fields,
    notices: noticesIn(body),
    body,
  });
};

export const noticesIn = ({ notices }: Readonly<Record<string, unknown>>): readonly Notice[] =>
  Array.isArray(notices) ? (notices as Notice[]) : [];

const adviceOf = (code: string): string =>
  code in errorAdvice
    ? errorAdvice[code as keyof typeof errorAdvice]
    : 'This code is newer than this client. Update the client.';

/** A clock that is ahead is the most frequent reason of a time in the future. */
const clockAdvice = (code: string, response: Response): string => {
  const aheadS = Math.round((Date.now() - serverMsOf(response.headers)) / 1_000);
  if (code !== 'as_of_in_future' || Math.abs(aheadS) < clockToleranceS) return '';
  return ` Your clock is ${Math.abs(aheadS)} s ${aheadS > 0 ? 'ahead of' : 'behind'} the clock of the server. Set it.`;
};

/** Seconds. A date counts from the clock of the server, since that of this machine can be wrong. */
const retryAfterOf = ({ headers }: Response): number | null => {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - serverMsOf(headers)) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
};

/** What the clock of the server showed. A page of another origin cannot read that header, and has its own clock only. */
const serverMsOf = (headers: Headers): number => {
  const serverMs = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(serverMs) ? Date.now() : serverMs;
};

/** The answer of something that is not an Almanac server, or of a proxy in front of one. */
export const notAnswered = (response: Response, text: string): ConnectionError => {
  const { status, url, headers } = response;
  const what = headers.get('content-type')?.split(';')[0] ?? 'an answer without a type';
  const start = text.slice(0, 80).replaceAll(/\s+/g, ' ').trim();
  const isProxy = [502, 503, 504].includes(status);
  return new ConnectionError(
    {
      code: isProxy ? 'connection_failed' : 'not_almanac',
      detail: `${url} answered ${status} with ${what} instead of an answer of Almanac: ${start}`,
      remedy: isProxy
        ? 'A proxy could not reach the server. Try again later.'
        : 'Check baseUrl: it must be the address of an Almanac server, without a login page or another server in between.',
    },
    isProxy,
  );
};

export const jsonObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};
