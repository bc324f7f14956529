import type { KeysHeartbeat } from '@almanac/contracts';

/** A minimum of this long shows the quickest delivery. Clocks of two machines drift by a few milliseconds in it. */
const spanMs = 30_000;

/** The first heartbeats of an unknown process may have been held back, as by a server that was frozen. */
const settleMs = 1_000;

const sendersMax = 100;

interface Sender {
  readonly firstAt: number;
  since: number;
  /** The lowest difference between arrival and sending, of the current span and of the one before. */
  lowest: number;
  lowestBefore: number;
}

/**
 * When something was true that a heartbeat says, on the monotonic clock of this process. The heartbeat itself tells how old
 * it was when it was sent. How long it was on its way follows from the quickest one of its sender, since two processes have
 * different clocks. So a heartbeat that was held back counts as old.
 */
export const senderClocks = () => {
  const senders = new Map<string, Sender>();
  return {
    /** Undefined while too little is known of the sender. */
    timeOf: ({ clock }: Pick<KeysHeartbeat, 'clock'>, nowMs: number): number | undefined => {
      if (clock === undefined) return undefined;
      const difference = nowMs - clock.sent_ms;
      const known = senders.get(clock.sender);
      const sender = known ?? { firstAt: nowMs, since: nowMs, lowest: difference, lowestBefore: Infinity };
      if (nowMs - sender.since >= spanMs) {
        sender.lowestBefore = sender.lowest;
        sender.lowest = difference;
        sender.since = nowMs;
      }
      sender.lowest = Math.min(sender.lowest, difference);
      if (known === undefined && senders.size >= sendersMax) senders.clear();
      senders.set(clock.sender, sender);
      if (nowMs - sender.firstAt < settleMs) return undefined;
      return clock.sent_ms + Math.min(sender.lowest, sender.lowestBefore) - clock.age_ms;
    },
  };
};
