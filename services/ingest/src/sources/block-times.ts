/** Blocks of a page, in neighbouring numbers. */
const pageBlocks = 4_096;
/** 134 million blocks: 8 years of a chain with a block every 2 seconds, and 270 MB. */
const pagesMax = 32_768;
/** A time is stored as its distance to the first one of its page, plus this. 0 is no time. */
const middle = 0x80_00;

interface Page {
  readonly firstS: number;
  readonly offsets: Uint16Array;
}

/** The times of blocks of a chain, in whole seconds, as chains state them. A block takes 2 bytes. */
export interface BlockTimes {
  /** False if the time cannot be kept: it is far from those around it, or there are too many blocks. */
  see(block: number, us: number): boolean;
  usOf(block: number): number | null;
}

export const blockTimes = (): BlockTimes => {
  const pages = new Map<number, Page>();
  return {
    see: (block, us) => {
      const seconds = Math.floor(us / 1_000_000);
      const number = Math.floor(block / pageBlocks);
      let page = pages.get(number);
      if (page === undefined) {
        if (pages.size >= pagesMax) return false;
        pages.set(number, (page = { firstS: seconds, offsets: new Uint16Array(pageBlocks) }));
      }
      const offset = seconds - page.firstS + middle;
      if (offset <= 0 || offset > 0xff_ff) return false;
      page.offsets[block % pageBlocks] = offset;
      return true;
    },
    usOf: (block) => {
      const page = pages.get(Math.floor(block / pageBlocks));
      const offset = page?.offsets[block % pageBlocks] ?? 0;
      return page === undefined || offset === 0 ? null : (page.firstS + offset - middle) * 1_000_000;
    },
  };
};
