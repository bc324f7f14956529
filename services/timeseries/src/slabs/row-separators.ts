const openBracket = 0x5b;
const closeBracket = 0x5d;
const lineFeed = 0x0a;

/** Rows of JSON, of which each ends with a comma. */
interface SeparatedRows {
  readonly bytes: Buffer;
  /** Of each row, with its separator. */
  readonly textLengths: readonly number[];
}

/** Makes the rows one JSON array, in place: a copy of them would double the memory of a large answer. */
export const toJsonArray = ({ bytes, textLengths }: SeparatedRows): Buffer => {
  if (textLengths.length === 0) return Buffer.from('[]');
  bytes[0] = openBracket;
  bytes[bytes.length - 1] = closeBracket;
  return bytes;
};

/** Makes the rows JSON lines, in place. Nothing precedes them. */
export const toJsonLines = ({ bytes, textLengths }: SeparatedRows): Buffer => {
  let end = 0;
  for (const length of textLengths) {
    end += length;
    bytes[end - 1] = lineFeed;
  }
  return bytes;
};
