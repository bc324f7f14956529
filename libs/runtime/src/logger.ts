import { pino, type Logger } from 'pino';

export type { Logger };

/**
 * JSON lines on standard output. A service logs the request id it serves as `request_id`; secrets are never given to
 * it, and what could hold one is removed all the same.
 */
export const createLogger = (service: string, level: string): Logger =>
  pino({
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['authorization', '*.authorization', 'secret', '*.secret', 'password', '*.password'],
      remove: true,
    },
  });
