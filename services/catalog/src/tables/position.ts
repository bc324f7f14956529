/** Where a thing stands in a listing: latest close first, then by id. */
export interface Position {
  /** `close_key` of the tables. */
  readonly key: number;
  readonly id: string;
}

export const byPosition = (a: Position, b: Position): number => b.key - a.key || byText(a.id, b.id);

/** The order of ClickHouse, by bytes of UTF-8, which is the order of code points. */
export const byText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    // Half of a pair stands for a code point above all that stand alone.
    return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1;
  }
  return a.length - b.length;
};

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
