const renew = 'Renew it, and let the servers read it with nats-server --signal reload';
const unknownAuthority =
  'no authority that this process trusts signed the certificate of NATS. Set NATS_CA_FILE to the certificate of the right one';
export const noTlsFault =
  'NATS has no TLS. Start it with deploy/nats/tls.conf, or connect without NATS_CA_FILE and with nats:// in NATS_URL';
export const wantsCertificateFault =
  'NATS wants a certificate of this process. Set NATS_CERT_FILE and NATS_KEY_FILE, signed by the authority that the server trusts';
const refused =
  'NATS refuses the certificate in NATS_CERT_FILE. Renew it if it has expired. Otherwise, add its authority to ca_file of the server';

/** What is wrong and what helps, by the code of Node's error. */
const faults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: `the certificate of NATS has expired. ${renew}`,
  CERT_NOT_YET_VALID: 'the certificate of NATS is not valid yet. Check the clocks of both machines',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of NATS is for other names than the one in NATS_URL. Use a name of the certificate, or add this one to it',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the key in NATS_KEY_FILE does not belong to the certificate in NATS_CERT_FILE',
};

/** What a server says of the certificate of a client. Its release decides which of these it says. */
const refusal = /_ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_EXPIRED|CERTIFICATE_UNKNOWN)$/;

/** Null for an error of another kind. */
export const tlsFaultOf = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== undefined)
    return `${path} cannot be read (${code ?? error.message}). Check NATS_CA_FILE, NATS_CERT_FILE and NATS_KEY_FILE`;
  if (code !== undefined && faults[code] !== undefined) return faults[code];
  if (code !== undefined && refusal.test(code)) return refused;
  // Another fault of OpenSSL, such as a file that is no certificate.
  return code !== undefined && /^ERR_(OSSL|SSL|TLS)_/.test(code) ? `TLS with NATS fails: ${error.message}` : null;
};
