export interface CachedReadOptions<T> {
  /** An older result is read again. */
  readonly maxAgeMs: number;
  /** Results that are too large to be held are read each time. */
  readonly isStored?: (result: T) => boolean;
}

/** Repeats a read only if its last result is old. A failed read is repeated. */
export const cachedRead = <T>(
  read: () => Promise<T>,
  { maxAgeMs, isStored = () => true }: CachedReadOptions<T>,
): (() => Promise<T>) => {
  let last: { readonly result: T; readonly readAtMs: number } | undefined;
  return async () => {
    if (last !== undefined && performance.now() - last.readAtMs <= maxAgeMs) return last.result;
    const readAtMs = performance.now();
    const result = await read();
    last = isStored(result) ? { result, readAtMs } : undefined;
    return result;
  };
};
