import { TlsError } from '@almanac/bus';
import { UsageError } from './error-message.js';

/** Waits for a connection to NATS. A failure becomes one sentence with the address and the remedy. */
export const reached = async <Connected>(
  url: string,
  connecting: Promise<Connected>,
  remedy = 'Check NATS_URL and that server.',
): Promise<Connected> => {
  try {
    return await connecting;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    if (cause instanceof TlsError) throw new UsageError(`The system at ${url}: ${why}.`, { cause });
    throw new UsageError(`The system at ${url} does not respond (${why}). ${remedy}`, { cause });
  }
};
