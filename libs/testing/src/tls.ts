import { fileURLToPath } from 'node:url';

const pathOf = (name: string): string => fileURLToPath(new URL(`../tls/${name}`, import.meta.url));

/**
 * Files of a certificate for 127.0.0.1 and localhost, and of the authority that signed it, in PEM form. For tests
 * only: everybody has the key. They end in 2126.
 */
export const testTls = {
  authority: pathOf('ca.pem'),
  certificate: pathOf('server.pem'),
  key: pathOf('server.key'),
} as const;

/** The same of another authority. */
export const otherTls = {
  authority: pathOf('other-ca.pem'),
  certificate: pathOf('other.pem'),
  /** It ended in 2025. */
  expired: pathOf('other-expired.pem'),
  /** For nats.example.com alone. */
  elsewhere: pathOf('other-host.pem'),
  key: pathOf('other.key'),
} as const;
