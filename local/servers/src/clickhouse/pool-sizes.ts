import type { SessionKind } from './session-pool.js';

/**
 * More reading sessions than cores keep the cores busy while answers are copied. A bulk read of snapshots has its
 * streaming session for as long as its client reads, so exports need sessions beside the four of STREAMS_CONCURRENT.
 */
export const sessionCounts = { read: 4, stream: 7, write: 2, control: 1 } as const satisfies Record<
  SessionKind,
  number
>;

/** libuv threads of the process: one per session, one per pipe that is being opened, some for zlib and files. */
export const threadsNeeded = 32;
