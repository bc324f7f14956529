import type { SessionKind } from './session-pool.js';

/** More reading sessions than cores keep the cores busy while answers are copied. */
export const sessionCounts = { read: 4, stream: 3, write: 2, control: 1 } as const satisfies Record<
  SessionKind,
  number
>;

/** libuv threads of the process: one per session, one per pipe that is being opened, some for zlib and files. */
export const threadsNeeded = 24;
