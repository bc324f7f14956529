/** Names of parameters that prove a right. */
const secretName = /sig|token|key|secret|cred|pass|pw|auth|policy|session|^x-/i;
/** A longer value, or one of other characters, may be a secret by any name. */
const plainValue = /^[\w.,:-]{1,24}$/;

/** A URL for reports: without user, password, fragment, and values of its query that may be secret. */
export const shownUrl = (url: URL): string => {
  const shown = Array.from(url.searchParams, ([name, value]) =>
    secretName.test(name) || !plainValue.test(value) ? `${encodeURIComponent(name)}=…` : `${name}=${value}`,
  );
  return `${url.protocol}//${url.host}${url.pathname}${shown.length === 0 ? '' : `?${shown.join('&')}`}`;
};
