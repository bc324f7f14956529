import { X509Certificate } from 'node:crypto';
import { connect, type ConnectionOptions, type PeerCertificate } from 'node:tls';
import { isIP } from 'node:net';
import { Gauge } from 'prom-client';
import { processMetrics } from './metrics.js';
import type { Runtime } from './process.js';
import { withTimeout } from './with-timeout.js';

/** Milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

/** Reads one certificate, such as that of a server. Null: there is none. */
export type ReadValidity = () => Promise<Validity | null>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const readMs = 5_000;

const labelNames = ['certificate'] as const;
const registers = [processMetrics];
const expires = new Gauge({
  name: 'almanac_certificate_expires_timestamp_seconds',
  help: 'when a certificate ends that this process or one of its servers shows, or that it trusts; read each hour',
  labelNames,
  registers,
});
const lifetime = new Gauge({
  name: 'almanac_certificate_lifetime_seconds',
  help: 'from the beginning of a certificate to its end',
  labelNames,
  registers,
});

/** The last fifth of its life, and of a long one the last 14 days. Who renews certificates does it earlier. */
const isLate = ({ from, to }: Validity): boolean => to - Date.now() < Math.min((to - from) / 5, 14 * dayMs);

/**
 * Reads certificates now and each hour of this process, so that one that was renewed counts without a new connection. Their ends are metrics.
 * The optional check `<name>_certificates` tells of those that end soon: a server's ends long before connections notice.
 */
export const watchCertificates = (
  name: string,
  certificates: Readonly<Record<string, ReadValidity>>,
  { health, log }: Pick<Runtime, 'health' | 'log'>,
): void => {
  if (Object.keys(certificates).length === 0) return;
  const known = new Map<string, Validity>();
  health.degradable.set(`${name}_certificates`, () => {
    const late = [...known].filter(([, validity]) => isLate(validity)).map(([of, { to }]) => `${of} ${ending(to)}`);
    return late.length === 0 ? null : `${late.join(', ')}. Renew it`;
  });
  const readOne = async ([of, read]: [string, ReadValidity]): Promise<void> => {
    const validity = await withTimeout(readMs, read(), () => Promise.reject(new Error(`no answer in ${readMs} ms`)));
    if (validity === null) return;
    known.set(of, validity);
    expires.set({ certificate: of }, validity.to / 1_000);
    lifetime.set({ certificate: of }, (validity.to - validity.from) / 1_000);
  };
  const readAll = async (): Promise<void> => {
    for (const one of Object.entries(certificates))
      await readOne(one).catch((error: unknown) =>
        log.info({ err: error, certificate: one[0] }, 'a certificate could not be read; the next try is in an hour'),
      );
  };
  void readAll();
  setInterval(() => void readAll(), hourMs).unref();
};

const ending = (to: number): string => `${to < Date.now() ? 'ended' : 'ends'} at ${new Date(to).toISOString()}`;

/** Of PEM text: that of the first certificate, which is the owner's own. Throws if it has none. */
export const validityOfChain = (pem: string): Validity => {
  const [first] = certificatesIn(pem);
  if (first === undefined) throw new Error('the file has no certificate');
  return first;
};

/** Of authorities in PEM text: that of the one that ends last. The others may be there for the change to it. */
export const validityOfAuthorities = (pem: string): Validity =>
  certificatesIn(pem).reduce((last, one) => (one.to > last.to ? one : last), validityOfChain(pem));

const certificatesIn = (pem: string): Validity[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map((one) => {
    const { validFromDate, validToDate } = new X509Certificate(one);
    return { from: validFromDate.getTime(), to: validToDate.getTime() };
  });

/** Of the server at an address, or on a connection. Nothing is sent to it, so it may be one that nobody trusts. */
export const validityOfServer = async ({
  host,
  ...options
}: ConnectionOptions & { readonly host: string }): Promise<Validity> => {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, ...name, ...options, rejectUnauthorized: false, timeout: readMs });
  try {
    return await new Promise<Validity>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('timeout', () => reject(new Error('no certificate in time')));
      socket.once('close', () => reject(new Error('the server closed the connection')));
      socket.once('secureConnect', () => resolve(validityOfPeer(socket.getPeerCertificate())));
    });
  } finally {
    socket.on('error', () => undefined).destroy();
  }
};

const validityOfPeer = ({ valid_from: from, valid_to: to }: PeerCertificate): Validity => ({
  from: Date.parse(from),
  to: Date.parse(to),
});

/** That of the server at an address such as https://HOST:PORT, by a name for the operator. Empty for an address without TLS. */
export const serverCertificate = (name: string, url: string): Record<string, ReadValidity> => {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return {};
  const host = hostname.replaceAll(/[[\]]/g, '');
  return { [name]: () => validityOfServer({ host, port: Number(port || 443) }) };
};

/** That of the servers which ends first. Rejects if none of them has told its own. */
export const earliestOf =
  (reads: readonly ReadValidity[]): ReadValidity =>
  async () => {
    const outcomes = await Promise.allSettled(reads.map((read) => read()));
    const found = outcomes.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []));
    const failed = outcomes.find((one) => one.status === 'rejected');
    if (found.length === 0 && failed !== undefined) throw failed.reason;
    return found.length === 0 ? null : found.reduce((first, one) => (one.to < first.to ? one : first));
  };
