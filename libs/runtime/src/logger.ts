import { type DestinationStream, type Logger, pino } from 'pino';
import { requestLogFields } from './request-context.js';

export type { Logger };

const secrets = ['authorization', 'cookie', 'x-api-key', 'secret', 'password', 'token'];

/**
 * At the top, and two levels down, such as the headers of a request. An error of Redis holds the command that failed with
 * all that was sent: that of a login, the password.
 */
const paths = [...secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), 'err.command'];

/**
 * JSON lines, on standard output unless told. Each has the `request_id` of the request that it was written for, in
 * whichever service that was, and its `trace_id` where traces are made; secrets are never given to it, and what could hold
 * one is removed all the same.
 */
export const createLogger = (service: string, level: string, to?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { service },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      mixin: requestLogFields,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, remove: true },
    },
    // Not asynchronous: a line on its way when the process ends would come after the last ones, or never.
    to ?? pino.destination({ dest: 1, sync: true }),
  );
