/** The position of an entity in a listing: latest close first, then by id. */
export interface Position {
  readonly key: number;
  readonly id: string;
}

export const byPosition = (a: Position, b: Position): number => b.key - a.key || byText(a.id, b.id);

/** ClickHouse's order, by UTF-8 bytes, which is the order of code points. */
export const byText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    // A surrogate belongs to a code point above all code points without surrogates.
    return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1;
  }
  return a.length - b.length;
};

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
