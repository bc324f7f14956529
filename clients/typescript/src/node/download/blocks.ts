/** A socket often has more bytes than the 64 KB that a stream of Node reads at once. */
const blockBytes = 524_288;
/** With less space than this, the next bytes go to another block. */
const spaceMin = 65_536;
/** So many blocks wait for their reader before the connection has to. */
const waitingMax = 3;
/** A slow connection fills a block in minutes. What has arrived is passed on after this time. */
const partMs = 100;

/**
 * The bytes of a connection in large blocks. They are read into the blocks without a copy, and a block is used again as soon as its
 * reader asks for the next one. New buffers for a gigabyte cost more time than its SHA-256.
 */
export interface Blocks {
  /** Where the next bytes go. */
  readonly space: () => Uint8Array;
  /** So many bytes have arrived in this space. Returns whether there is space for more. */
  readonly arrived: (bytes: number) => boolean;
  /** Nothing more arrives. The reader gets what is there, and then the error. */
  readonly end: (error?: Error) => void;
  /** The next bytes, which are valid until the next call. Undefined at the end. */
  readonly next: () => Promise<Uint8Array | undefined>;
}

export const blocksOf = (): Blocks => {
  const free: Uint8Array[] = [];
  const waiting: Uint8Array[] = [];
  let block: Uint8Array = new Uint8Array(blockBytes);
  let [start, filled] = [0, 0];
  let lent: Uint8Array | undefined;
  let ended: { readonly error: Error | undefined } | undefined;
  let wake = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;

  const passOn = (bytes: Uint8Array): void => {
    clearTimeout(timer);
    timer = undefined;
    if (bytes.length > 0) waiting.push(bytes);
    start = filled;
    wake();
  };
  const passBlock = (): void => {
    const full = block.subarray(start, filled);
    [block, filled] = [free.pop() ?? new Uint8Array(blockBytes), 0];
    passOn(full);
  };
  // A copy, because the connection goes on with the rest of this block.
  const passPart = (): void => passOn(block.slice(start, filled));
  const takeBack = (): void => {
    if (lent?.buffer.byteLength === blockBytes) free.push(new Uint8Array(lent.buffer));
    lent = undefined;
  };
  return {
    space: () => block.subarray(filled),
    arrived: (bytes) => {
      filled += bytes;
      if (blockBytes - filled < spaceMin) passBlock();
      else timer ??= setTimeout(passPart, partMs);
      return waiting.length < waitingMax;
    },
    end: (error) => {
      ended ??= { error };
      passPart();
    },
    next: async () => {
      takeBack();
      while (waiting.length === 0 && ended === undefined) await new Promise<void>((resolve) => (wake = resolve));
      lent = waiting.shift();
      if (lent === undefined && ended?.error !== undefined) throw ended.error;
      return lent;
    },
  };
};
