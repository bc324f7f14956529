import { AlmanacError, ApiError, ConnectionError, FileError } from '@almanac/client/node';
import { Interrupted, SignedOutError, UsageError } from './errors.js';

/** What the exit code of the command says. Scripts decide by it. */
export const exitCodes = {
  done: [0, 'Done.'],
  failed: [1, 'It failed for another reason.'],
  usage: [2, 'The command line or a value is invalid.'],
  signedOut: [3, 'There is no valid API key.'],
  notFound: [4, 'There is nothing with this id.'],
  plan: [5, 'The plan does not cover it, or a limit of the plan is reached.'],
  unavailable: [6, 'The server does not answer, or is busy. Try again later.'],
  file: [7, 'A file cannot be stored, or its bytes are damaged.'],
  interrupted: [130, 'Ctrl-C.'],
} as const;

const signedOut = new Set(['unauthenticated', 'as_of_fenced']);
const planCodes = new Set([
  'payment_required',
  'export_daily_limit',
  'export_pending_limit',
  'key_limit_reached',
  'key_daily_limit',
]);

const outcomeOf = (error: unknown): keyof typeof exitCodes => {
  if (error instanceof Interrupted) return 'interrupted';
  if (error instanceof UsageError) return 'usage';
  if (error instanceof SignedOutError) return 'signedOut';
  if (error instanceof ApiError) return outcomeOfAnswer(error);
  if (error instanceof ConnectionError) return 'unavailable';
  if (error instanceof FileError) return 'file';
  if (error instanceof AlmanacError && ['invalid_options', 'as_of_unsupported'].includes(error.code)) return 'usage';
  return 'failed';
};

const outcomeOfAnswer = ({ code, status }: ApiError): keyof typeof exitCodes => {
  if (signedOut.has(code)) return 'signedOut';
  if (planCodes.has(code)) return 'plan';
  if (status === 404) return 'notFound';
  if (status === 400 || status === 422) return 'usage';
  return status === 429 || status >= 502 ? 'unavailable' : 'failed';
};

export const exitCodeOf = (error: unknown): number => exitCodes[outcomeOf(error)][0];
