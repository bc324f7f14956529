/**
 * An `attachment` header value with the name as in RFC 6266: an ASCII fallback in quotes and, if it differs from the
 * name, the complete name as `filename*` (RFC 8187). The result is always printable ASCII, so a name cannot end the
 * header line or contain a folder.
 */
export const contentDisposition = (filename: string): string => {
  const name = filename.toWellFormed().replaceAll(unsafe, '_');
  const fallback = name.replaceAll(/[^\x20-\x7e]|["%]/gu, '_');
  const plain = `attachment; filename="${fallback}"`;
  return fallback === name ? plain : `${plain}; filename*=UTF-8''${encodeExtended(name)}`;
};

/** Control characters, invisible bidirectional controls, and the folder separators of all systems. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/gu;

/** encodeURIComponent leaves four characters that RFC 8187 does not allow. */
const encodeExtended = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
