import type { IncomingHttpHeaders } from 'node:http';
import type { Notice } from '@almanac/contracts';
import { limited } from './notice-header.js';

/** A response on which the steps of its request note what they found. */
interface Noted {
  readonly locals: Record<string, unknown>;
}

const none: readonly Notice[] = [];

/** The notices about this request. Every answer to it has them, also an error. */
export const noticesOf = ({ locals }: Noted): readonly Notice[] =>
  // Only `addNotices` writes it.
  (locals['notices'] as readonly Notice[] | undefined) ?? none;

export const addNotices = (response: Noted, notices: readonly Notice[]): void => {
  if (notices.length > 0) response.locals['notices'] = limited([...noticesOf(response), ...notices]);
};

const handlingPreference = /(?:^|,)\s*handling\s*=\s*"?(\w+)"?\s*(?=;|,|$)/i;

/** `Prefer: handling=strict` (RFC 7240). If the preference is repeated, the first one counts. */
export const isStrict = ({ prefer }: IncomingHttpHeaders): boolean =>
  prefer !== undefined && handlingPreference.exec(String(prefer))?.[1]?.toLowerCase() === 'strict';
