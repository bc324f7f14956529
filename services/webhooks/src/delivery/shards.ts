import { setTimeout as delay } from 'node:timers/promises';
import {
  readLease,
  type Running,
  storeLease,
  type StoredLease,
  subjects,
  watchDeliveries,
  webhookShards,
} from '@almanac/bus';
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

/** A lease of another process, and since when it has not changed. */
interface SeenLease {
  readonly seq: number;
  readonly since: number;
}

/** Its own lease is one that a process lost because no renewal was confirmed. Nobody else has delivered since. */
export const mayTake = (
  { seq, holder }: StoredLease,
  { id, seen, nowMs }: { readonly id: string; readonly seen: SeenLease | undefined; readonly nowMs: number },
): boolean => holder === '' || holder === id || (seen?.seq === seq && nowMs - seen.since >= staleMs);

/**
 * Shares the shards among all processes of the service. Each shard has a lease in the stream of deliveries, which its
 * holder renews. A process that dies loses its leases after some seconds, and one that stops returns them at once.
 */
export const shareShards = (deps: LaneDeps, id: string, watch = watchDeliveries): Delivering =>
  new ShardHolder(deps, id, watch).start();

class ShardHolder {
  private readonly held = new Map<number, Held>();
  /** Those whose last deliveries from here have not ended. */
  private readonly ending = new Set<number>();
  private readonly seen = new Map<number, SeenLease>();
  private readonly peers = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly deps: LaneDeps,
    private readonly id: string,
    private readonly watch: typeof watchDeliveries,
  ) {}

  start(): Delivering {
    const { nc } = this.deps.bus;
    const subscription = nc.subscribe(subjects.webhooksHeartbeat, {
      callback: (error, message) => {
        const peer = error === null ? heartbeat.safeParse(message.json()) : undefined;
        if (peer?.success === true) this.peers.set(peer.data.id, performance.now());
      },
    });
    // Apart: to take a shard can last as long as an election, and those that are held must be renewed meanwhile.
    const loops = Promise.all([this.repeat(() => this.renewAll()), this.repeat(() => this.takeShare())]);
    const watching = setInterval(() => this.dropExpired(), 500);
    return {
      loads: () => [...this.held.values()].flatMap(({ lanes }) => [...lanes.values()].map(({ load }) => load)),
      deleted: (webhook) => {
        for (const { lanes } of this.held.values()) lanes.get(webhook)?.deleted();
      },
      stop: async () => {
        this.stopping.abort();
        clearInterval(watching);
        subscription.unsubscribe();
        await loops;
        await Promise.all([...this.held.keys()].map((shard) => this.release(shard)));
      },
    };
  }

  /** Until the process stops, every `renewMs` unless one takes longer. */
  private async repeat(turn: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const endsAt = performance.now() + renewMs;
      await turn().catch((error: unknown) => {
        if (!signal.aborted) this.deps.log.warn({ err: error }, 'the leases of webhooks could not be renewed');
      });
      await delay(Math.max(0, endsAt - performance.now()), undefined, { signal }).catch(() => undefined);
    }
  }

  private async renewAll(): Promise<void> {
    const { nc } = this.deps.bus;
    if (!nc.isClosed()) nc.publish(subjects.webhooksHeartbeat, JSON.stringify({ id: this.id }));
    await allEnded([...this.held].map(([shard, held]) => this.renew(shard, held)));
  }

  private async takeShare(): Promise<void> {
    const share = this.share();
    for (const shard of [...this.held.keys()].slice(share)) await this.release(shard);
    const others = Array.from({ length: webhookShards }, (_, shard) => shard).filter((shard) => !this.isHere(shard));
    while (others.length > 0 && this.held.size < share)
      await allEnded(others.splice(0, share - this.held.size).map((shard) => this.takeIfFree(shard)));
  }

  private isHere(shard: number): boolean {
    return this.held.has(shard) || this.ending.has(shard);
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
    const nowMs = performance.now();
    const seen = this.seen.get(shard);
    if (seen?.seq !== lease.seq) this.seen.set(shard, { seq: lease.seq, since: nowMs });
    if (!mayTake(lease, { id: this.id, seen, nowMs })) return;
    const seq = await storeLease(this.deps.bus, shard, { seq: lease.seq, holder: this.id });
    if (seq === undefined) return;
    const { delivering, ...deliver } = this.deliver(shard);
    const held = { seq, renewedAt: nowMs, ...deliver };
    this.held.set(shard, held);
    this.deps.log.debug({ shard }, 'this process delivers a shard of the webhooks');
    // It waits as long as the servers make no consumer. The other shards do not wait for it.
    delivering.catch((error: unknown) => {
      if (!this.stopping.signal.aborted) this.deps.log.warn({ err: error, shard }, 'a shard could not be delivered');
      this.drop(shard, held);
    });
  }

  private deliver(shard: number): Pick<Held, 'lanes' | 'stop'> & { readonly delivering: Promise<void> } {
    const lanes = new Map<string, Lane>();
    const ended = new AbortController();
    const { signal } = ended;
    const takenOverMs = this.deps.clock.now();
    const newLane = (webhook: string): Lane =>
      new Lane(this.deps, webhook, { takenOverMs, signal, onEnd: () => void lanes.delete(webhook) });
    const queued = (webhook: string, seq: number): void => {
      if (signal.aborted) return;
      const lane = lanes.get(webhook) ?? newLane(webhook);
      lanes.set(webhook, lane);
      lane.queued(seq);
    };
    let subscription: Running | undefined;
    const watched = this.watch(this.deps.bus, shard, queued);
    const delivering = watched.then(async (running) => {
      subscription = running;
      if (signal.aborted) await running.stop();
    });
    const stop = async (): Promise<void> => {
      ended.abort();
      await subscription?.stop();
      await Promise.all([...lanes.values()].map((lane) => lane.settled()));
    };
    return { lanes, delivering, stop };
  }

  private async release(shard: number): Promise<void> {
    const held = this.held.get(shard);
    if (held === undefined) return;
    await this.lose(shard, held);
    await storeLease(this.deps.bus, shard, { seq: held.seq, holder: '' });
  }

  private async lose(shard: number, held: Held): Promise<void> {
    if (this.held.get(shard) !== held) return;
    this.held.delete(shard);
    this.ending.add(shard);
    try {
      await held.stop();
    } finally {
      this.ending.delete(shard);
    }
  }

  /** A process that could not renew must not deliver what another one may deliver now. */
  private dropExpired(): void {
    const oldest = performance.now() - heldMsMax;
    for (const [shard, held] of this.held) {
      if (held.renewedAt >= oldest) continue;
      this.deps.log.warn({ shard }, 'the lease of a shard expired');
      this.drop(shard, held);
    }
  }

  private drop(shard: number, held: Held): void {
    this.lose(shard, held).catch((error: unknown) => {
      this.deps.log.warn({ err: error, shard }, 'the deliveries of a shard could not be ended');
    });
  }
}

/** Waits for all, and then throws the first error. */
const allEnded = async (parts: readonly Promise<void>[]): Promise<void> => {
  const failed = (await Promise.allSettled(parts)).find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
};
