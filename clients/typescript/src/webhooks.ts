import { AlmanacError } from './errors.js';
import { sha256 } from './sha256.js';

/** The headers of a request: those of Node, of Fetch, or pairs of names and values. */
export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>> | Iterable<readonly [string, string]>;

/** A verified delivery. */
export interface WebhookEvent {
  /** The same in every attempt: store it, and ignore an event that you have processed. */
  readonly id: string;
  readonly type: string;
  /** Time of the event, in ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const toleranceDefaultS = 300;

/**
 * Verifies a delivery of a webhook and returns its event. `body` is the text or the bytes as received, before any parser.
 * `secrets` are the secret of the webhook, or several ones. Throws `webhook_invalid` if no signature is right, or if the
 * request is older or newer than five minutes, so that nobody can send it again later.
 */
export const verifyWebhook = async (
  { headers, body }: { readonly headers: WebhookHeaders; readonly body: string | Uint8Array },
  secrets: string | readonly string[],
  { toleranceS = toleranceDefaultS, now = () => Date.now() }: { toleranceS?: number; now?: () => number } = {},
): Promise<WebhookEvent> => {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw invalid('A header of the delivery is missing.');
  if (!/^\d{1,12}$/.test(timestamp)) throw invalid('The time of the delivery is not a number.');
  const ageS = now() / 1_000 - Number(timestamp);
  if (!(Math.abs(ageS) <= toleranceS)) throw outdated(ageS, toleranceS);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [bytesOf(one.slice(3))] : []));
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets)
    if (isSigned(secret, signed, given)) return { id, ...(JSON.parse(text) as Omit<WebhookEvent, 'id'>) };
  throw invalid('No signature of the delivery is right.');
};

const isSigned = (secret: string, signed: Uint8Array, given: readonly (Uint8Array | null)[]): boolean => {
  const key = bytesOf(secret.replace(/^whsec_/, ''));
  if (key === null || key.length === 0) throw invalid('The secret is not one of a webhook.');
  const expected = hmac(key, signed);
  return given.filter((signature) => signature !== null && isEqual(signature, expected)).length > 0;
};

/** Without `crypto`, which Node 18 and pages without HTTPS do not have. RFC 2104. */
const hmac = (key: Uint8Array, message: Uint8Array): Uint8Array => {
  const block = new Uint8Array(hmacBlockBytes);
  block.set(key.length > hmacBlockBytes ? digestOf(key) : key);
  const inner = digestOf(
    block.map((byte) => byte ^ 0x36),
    message,
  );
  return digestOf(
    block.map((byte) => byte ^ 0x5c),
    inner,
  );
};
const hmacBlockBytes = 64;

const digestOf = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = sha256();
  for (const part of parts) hash.update(part);
  return Uint8Array.from(hash.hex().match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
};

/** In a time that does not depend on where they differ. */
const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length &&
  one.reduce((differences, byte, at) => differences | (byte ^ (other[at] ?? 0)), 0) === 0;

const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  const pairs =
    Symbol.iterator in headers ? [...(headers as Iterable<readonly [string, string]>)] : Object.entries(headers);
  const value = pairs.find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
};

const bytesOf = (base64: string): Uint8Array | null => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
};

const invalid = (
  detail: string,
  remedy = 'Answer 400. Pass the body as it was received, and the secret of this webhook.',
): AlmanacError => new AlmanacError({ code: 'webhook_invalid', detail, remedy });

const outdated = (ageS: number, toleranceS: number): AlmanacError =>
  invalid(
    `The delivery is ${Math.round(Math.abs(ageS))} s ${ageS > 0 ? 'old' : 'ahead of the clock of this machine'}, and ${toleranceS} s are allowed.`,
    'Answer 400. If every delivery is refused, set the clock of this machine.',
  );
