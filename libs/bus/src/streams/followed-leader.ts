import type { Bus } from '../bus.js';
import { rawJetStream } from '../connection/raw-jetstream.js';

/** Servers choose another leader 4 s after they last heard from theirs, or later. */
const contactWithinMs = 3_000;

class UnfollowedLeaderError extends Error {
  override readonly name = 'UnfollowedLeaderError';
}

/**
 * A leader that was cut off answers for up to 10 s with what it had. But it knows when it last heard from each replica: if a
 * majority followed it a moment ago, nobody else can be the leader yet. Throws if none did.
 */
export const requireFollowedLeader = async (bus: Bus, server: string): Promise<void> => {
  const { cluster } = await bus[rawJetStream].jsm.streams.info(server);
  const replicas = cluster?.replicas ?? [];
  // 0: it has not heard from this one since it leads.
  const followers = replicas.filter(({ active }) => active > 0 && active / 1e6 < contactWithinMs);
  if (followers.length + 1 > bus.replicas / 2) return;
  throw new UnfollowedLeaderError(
    `the leader of ${server} is not followed by a majority: ${cluster?.leader ?? 'none'}`,
  );
};
