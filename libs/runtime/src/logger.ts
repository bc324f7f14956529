import { type DestinationStream, type Logger, pino } from 'pino';
import { logDestination } from './log-destination.js';
import { requestLogFields } from './request-context.js';

export type { Logger };

const secrets = ['authorization', 'cookie', 'x-api-key', 'secret', 'password', 'token'];

/**
 * At the top level and two levels down, such as the headers of a request. An error of Redis contains the failed
 * command with its arguments: for a login, the password.
 */
const paths = [...secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), 'err.command'];

/**
 * Writes JSON lines, by default to standard output. Each line has the `request_id` of its request, in whichever
 * service, and its `trace_id` if tracing is on. Code must not pass secrets to it; fields that may hold one are
 * removed anyway.
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
    to ?? logDestination(1),
  );
