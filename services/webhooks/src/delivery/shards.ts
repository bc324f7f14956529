import { readLease, type Running, storeLease, watchDeliveries, webhookShards, subjects } from '@almanac/bus';
import { z } from 'zod';
import type { LaneLoad } from '../metrics.js';
import { Lane } from './lane.js';
import type { LaneDeps } from './lane-deps.js';

const renewMs = 2_000;
/** Without a renewal for this long, a process stops delivering. */
const heldMsMax = 8_000;
/** A lease that has not changed for this long may be taken. Measured by the taker's clock alone. */
const staleMs = 12_000;

const heartbeat = z.object({ id: z.string() });

export interface Delivering extends Running {
  /** What waits for each webhook of the shards of this process. */
  readonly loads: () => readonly LaneLoad[];
  /** Frees what this process has of a deleted webhook. */
  readonly deleted: (webhook: string) => void;
}

interface Held {
  seq: number;
  renewedAt: number;
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly stop: () => Promise<void>;
}

/**
 * Shares the shards among all processes of the service. Each shard has a lease in the stream of deliveries, which its
 * holder renews. A process that dies loses its leases after some seconds, and one that stops returns them at once.
 */
export const shareShards = (deps: LaneDeps, id: string): Delivering => new ShardHolder(deps, id).start();

class ShardHolder {
  private readonly held = new Map<number, Held>();
  /** Leases of others, and since when they have not changed. */
  private readonly seen = new Map<number, { seq: number; since: number }>();
  private readonly peers = new Map<string, number>();
  private readonly stopping = new AbortController();
  private turning: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: LaneDeps,
    private readonly id: string,
  ) {}

  start(): Delivering {
    const { nc } = this.deps.bus;
    const subscription = nc.subscribe(subjects.webhooksHeartbeat, {
      callback: (error, message) => {
        const peer = error === null ? heartbeat.safeParse(message.json()) : undefined;
        if (peer?.success === true) this.peers.set(peer.data.id, performance.now());
      },
    });
    const turn = (): void => {
      const before = this.turning;
      this.turning = before.then(() => (this.stopping.signal.aborted ? undefined : this.turn()));
    };
    const timer = setInterval(turn, renewMs);
    const watch = setInterval(() => this.dropExpired(), 500);
    turn();
    return {
      loads: () => [...this.held.values()].flatMap(({ lanes }) => [...lanes.values()].map(({ load }) => load)),
      deleted: (webhook) => {
        for (const { lanes } of this.held.values()) lanes.get(webhook)?.deleted();
      },
      stop: async () => {
        this.stopping.abort();
        clearInterval(timer);
        clearInterval(watch);
        subscription.unsubscribe();
        await this.turning;
        await Promise.all([...this.held.keys()].map((shard) => this.release(shard)));
      },
    };
  }

  private async turn(): Promise<void> {
    try {
      if (!this.deps.bus.nc.isClosed())
        this.deps.bus.nc.publish(subjects.webhooksHeartbeat, JSON.stringify({ id: this.id }));
      await Promise.all([...this.held].map(([shard, held]) => this.renew(shard, held)));
      const share = this.share();
      for (const shard of [...this.held.keys()].slice(share)) await this.release(shard);
      for (let shard = 0; shard < webhookShards && this.held.size < share; shard += 1)
        if (!this.held.has(shard)) await this.takeIfFree(shard);
    } catch (error) {
      if (!this.stopping.signal.aborted)
        this.deps.log.warn({ err: error }, 'the leases of webhooks could not be renewed');
    }
  }

  /** How many shards this process may hold, so that each running one can have as many. */
  private share(): number {
    const oldest = performance.now() - 3 * renewMs;
    for (const [peer, at] of this.peers) if (at < oldest) this.peers.delete(peer);
    const others = [...this.peers.keys()].filter((peer) => peer !== this.id).length;
    return Math.ceil(webhookShards / (others + 1));
  }

  private async renew(shard: number, held: Held): Promise<void> {
    const at = performance.now();
    const seq = await storeLease(this.deps.bus, shard, { seq: held.seq, holder: this.id });
    if (seq === undefined) return this.lose(shard, held);
    held.seq = seq;
    held.renewedAt = at;
  }

  private async takeIfFree(shard: number): Promise<void> {
    const lease = await readLease(this.deps.bus, shard);
    const now = performance.now();
    const known = this.seen.get(shard);
    if (known?.seq !== lease.seq) this.seen.set(shard, { seq: lease.seq, since: now });
    const isStale = known?.seq === lease.seq && now - known.since >= staleMs;
    if (lease.holder !== '' && !isStale) return;
    const seq = await storeLease(this.deps.bus, shard, { seq: lease.seq, holder: this.id });
    if (seq === undefined) return;
    this.held.set(shard, { seq, renewedAt: now, ...(await this.deliver(shard)) });
    this.deps.log.debug({ shard }, 'this process delivers a shard of the webhooks');
  }

  private async deliver(shard: number): Promise<Pick<Held, 'lanes' | 'stop'>> {
    const lanes = new Map<string, Lane>();
    const ended = new AbortController();
    const takenOverMs = this.deps.clock.now();
    const newLane = (webhook: string): Lane =>
      new Lane(this.deps, webhook, { takenOverMs, signal: ended.signal, onEnd: () => void lanes.delete(webhook) });
    const watching = await watchDeliveries(this.deps.bus, shard, (webhook, seq) => {
      const lane = lanes.get(webhook) ?? newLane(webhook);
      lanes.set(webhook, lane);
      lane.queued(seq);
    });
    const stop = async (): Promise<void> => {
      ended.abort();
      await watching.stop();
      await Promise.all([...lanes.values()].map((lane) => lane.settled()));
    };
    return { lanes, stop };
  }

  private async release(shard: number): Promise<void> {
    const held = this.held.get(shard);
    if (held === undefined) return;
    await this.lose(shard, held);
    await storeLease(this.deps.bus, shard, { seq: held.seq, holder: '' });
  }

  private async lose(shard: number, held: Held): Promise<void> {
    this.held.delete(shard);
    await held.stop();
  }

  /** A process that could not renew must not deliver what another one may deliver now. */
  private dropExpired(): void {
    const oldest = performance.now() - heldMsMax;
    for (const [shard, held] of this.held) {
      if (held.renewedAt >= oldest) continue;
      this.deps.log.warn({ shard }, 'the lease of a shard expired');
      void this.lose(shard, held);
    }
  }
}
