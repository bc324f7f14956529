import { AlmanacError, ConnectionError } from '../errors.js';

/** Codes of Node for a peer that does not speak HTTP. */
const foreign = /^(HPE_|HTTPParserError|UND_ERR_INVALID|ERR_SSL_|EPROTO)/;
const certificateTimes = new Set(['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED']);
const certificates = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS/;

/** Browsers do not say why a request failed. */
const inBrowsers = ' In a browser, the server must allow the origin of the page (CORS_ORIGINS).';

/** The code of the first cause that has one. `fetch` wraps the reason of a failure. */
const causeCode = (error: unknown): string => {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    // Node 24 gives this error no code.
    if (cause.name === 'HTTPParserError') return cause.name;
  }
  return '';
};

/** The error of a `fetch` that rejected, or of a body that broke. */
export const connectionError = (error: unknown, url: string): ConnectionError => {
  const code = causeCode(error);
  const { origin } = new URL(url);
  const because = code === '' ? '' : ` (${code})`;
  if (certificateTimes.has(code) || certificates.test(code)) {
    const clock = 'Check the clock of this machine: a certificate is valid only within its dates.';
    const chain = 'Check baseUrl, and that this machine trusts the authority of the certificate.';
    return new ConnectionError({
      code: 'certificate_refused',
      detail: `The certificate of ${origin} was refused${because}.`,
      remedy: certificateTimes.has(code) ? clock : chain,
      cause: error,
    });
  }
  if (foreign.test(code)) {
    return new ConnectionError({
      code: 'not_almanac',
      detail: `${origin} does not speak the expected protocol${because}.`,
      remedy: 'Check the port of baseUrl, and whether it must start with http:// or https://.',
      cause: error,
    });
  }
  const isUnknownHost = code === 'ENOTFOUND';
  return new ConnectionError(
    {
      code: 'connection_failed',
      detail: `No answer from ${origin}${because}.`,
      remedy: isUnknownHost
        ? 'Check the name of the host in baseUrl.'
        : `Check that the server runs and that this machine reaches it.${code === '' ? inBrowsers : ''}`,
      cause: error,
    },
    !isUnknownHost,
  );
};

export const timeoutError = (url: string, timeoutMs: number): ConnectionError =>
  new ConnectionError(
    {
      code: 'connection_failed',
      detail: `${new URL(url).origin} sent nothing for ${timeoutMs} ms.`,
      remedy: 'Raise timeoutMs if the network is slow.',
    },
    true,
  );

/** `cause` is what failed last. */
export const deadlineError = (deadlineMs: number, cause: unknown): ConnectionError => {
  // The deadline of a request within a wait says nothing more.
  const last = cause instanceof AlmanacError && cause.code !== 'deadline_exceeded' ? cause : undefined;
  const failure = last === undefined ? '' : ` The last attempt failed: ${last.detail}`;
  return new ConnectionError({
    code: 'deadline_exceeded',
    detail: `The call did not end within ${deadlineMs} ms.${failure}`,
    remedy: `Raise deadlineMs. ${last?.remedy ?? ''}`.trim(),
    cause,
  });
};
