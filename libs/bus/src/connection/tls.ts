import { readFile } from 'node:fs/promises';
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from 'node:tls';
import { ConfigError } from '@almanac/runtime';

/** Files of certificates, in PEM form. They are read for each connection, so a renewed one needs no restart. */
export interface BusTls {
  /** Authorities whose servers are trusted. Default: those of Node. */
  readonly caFile?: string;
  /** What this process shows to a server that wants a certificate. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** The `NATS_…_FILE` part of `processVariables`. */
export interface TlsVariables {
  readonly NATS_CA_FILE?: string | undefined;
  readonly NATS_CERT_FILE?: string | undefined;
  readonly NATS_KEY_FILE?: string | undefined;
}

/** An empty variable counts as absent. Throws a ConfigError for a certificate without its key. */
export const tlsIn = ({
  NATS_CA_FILE: caFile,
  NATS_CERT_FILE: certFile,
  NATS_KEY_FILE: keyFile,
}: TlsVariables | NodeJS.ProcessEnv): { readonly tls?: BusTls } => {
  if (!certFile !== !keyFile) throw new ConfigError('NATS_CERT_FILE and NATS_KEY_FILE need each other.');
  const tls = { ...(caFile ? { caFile } : {}), ...(certFile && keyFile ? { certFile, keyFile } : {}) };
  return Object.keys(tls).length === 0 ? {} : { tls };
};

/** Undefined: TLS is used if the server offers it. An address with `tls://` demands it. */
export const requiredTls = (url: string, tls: BusTls | undefined): BusTls | undefined =>
  tls ?? (url.split(',').some((one) => one.startsWith('tls://')) ? {} : undefined);

/**
 * The client passes these on to Node. It connects to addresses, so Node does not know the name that the certificate must
 * have: without this check, the certificate of `localhost` would do for every address.
 */
export const clientTls = (
  tls: BusTls,
  host: () => string,
): BusTls & Pick<ConnectionOptions, 'checkServerIdentity'> => ({
  ...tls,
  checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host(), certificate),
});

/** What Node needs, with the present content of the files. */
export const readTls = async ({ caFile, certFile, keyFile }: BusTls): Promise<ConnectionOptions> => ({
  ...(caFile === undefined ? {} : { ca: await readFile(caFile) }),
  ...(certFile === undefined ? {} : { cert: await readFile(certFile) }),
  ...(keyFile === undefined ? {} : { key: await readFile(keyFile) }),
});
