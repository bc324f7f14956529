import type { Following, StreamPosition } from '@almanac/bus';

/** More that arrive out of order are forgotten, and left to the follower. */
const aheadMax = 1_000;

export interface ReceivedChanges {
  /** All changes up to here have been received, from the follower or from heartbeats. */
  readonly position: StreamPosition;
  receive(changes: readonly (readonly [seq: number, account: string])[]): void;
}

/**
 * Changes of EVT_KEYS arrive twice: from the follower, and with the heartbeats of the process that stored them. So a gateway
 * whose consumer was lost with a server misses none.
 */
export const receivedChanges = (
  following: Pick<Following, 'seq'>,
  onChange: (account: string) => void,
): ReceivedChanges => {
  let upTo = 0;
  const ahead = new Set<number>();
  const advance = (): void => {
    upTo = Math.max(upTo, following.seq);
    while (ahead.delete(upTo + 1)) upTo += 1;
  };
  return {
    get position() {
      advance();
      return [upTo];
    },
    receive: (changes) => {
      advance();
      for (const seq of ahead) if (seq <= upTo || ahead.size > aheadMax) ahead.delete(seq);
      for (const [seq, account] of changes) {
        if (seq <= upTo || ahead.has(seq)) continue;
        onChange(account);
        ahead.add(seq);
      }
      advance();
    },
  };
};
