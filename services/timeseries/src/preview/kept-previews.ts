import { isNewer, type MadePreview } from './made-preview.js';

/** The newest preview of each market, within a bound of bytes; what was used longest ago goes first. */
export interface KeptPreviews {
  get(ticker: string): MadePreview | undefined;
  /** Does nothing where a newer one is kept. */
  keep(made: MadePreview): void;
  /** Bytes held, with an estimate of what is around them. */
  readonly bytes: number;
}

/** What a Map's entry, the ticker and the other fields take beside the body; rounded up. */
const overheadBytes = 1_024;

export const keptPreviews = (bytesMax: number): KeptPreviews => {
  const kept = new Map<string, MadePreview>();
  let bytes = 0;

  const remove = (made: MadePreview): void => {
    kept.delete(made.ticker);
    bytes -= made.body.length + overheadBytes;
  };
  return {
    get: (ticker) => {
      const made = kept.get(ticker);
      if (made === undefined) return undefined;
      kept.delete(ticker);
      kept.set(ticker, made);
      return made;
    },
    keep: (made) => {
      const older = kept.get(made.ticker);
      if (older !== undefined) {
        if (isNewer(older, made)) return;
        remove(older);
      }
      kept.set(made.ticker, made);
      bytes += made.body.length + overheadBytes;
      for (const oldest of kept.values()) {
        if (bytes <= bytesMax) return;
        remove(oldest);
      }
    },
    get bytes() {
      return bytes;
    },
  };
};
