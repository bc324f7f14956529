import { readFile } from 'node:fs/promises';
import { earliestOf, type ReadValidity, validityOfAuthorities, validityOfChain } from '@almanac/runtime';
import { readServerCertificate } from './probe-tls.js';
import { type BusTls, requiredTls } from './tls.js';

/** What TLS to NATS depends on, by a name for the operator. Empty without TLS. */
export const natsCertificates = (url: string, given: BusTls | undefined): Record<string, ReadValidity> => {
  const tls = requiredTls(url, given);
  if (tls === undefined) return {};
  const { caFile, certFile } = tls;
  return {
    ...(caFile === undefined
      ? {}
      : { NATS_CA_FILE: async () => validityOfAuthorities(await readFile(caFile, 'utf8')) }),
    ...(certFile === undefined
      ? {}
      : { NATS_CERT_FILE: async () => validityOfChain(await readFile(certFile, 'utf8')) }),
    'server of NATS': earliestOf(url.split(',').map((server) => () => readServerCertificate(server, tls))),
  };
};
