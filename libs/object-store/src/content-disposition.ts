/**
 * `attachment` with the name as RFC 6266 has it: an ASCII fallback in quotes and, where that differs from the
 * name, the whole name as `filename*` (RFC 8187). The result is printable ASCII whatever the name holds, so it
 * can end no header line and name no folder.
 */
export const contentDisposition = (filename: string): string => {
  const name = filename.toWellFormed().replaceAll(unsafe, '_');
  const fallback = name.replaceAll(/[^\x20-\x7e]|["%]/gu, '_');
  const plain = `attachment; filename="${fallback}"`;
  return fallback === name ? plain : `${plain}; filename*=UTF-8''${encodeExtended(name)}`;
};

/** Control and invisible direction-changing characters, and what separates folders on some system. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/gu;

/** encodeURIComponent leaves four characters that RFC 8187 does not allow. */
const encodeExtended = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
