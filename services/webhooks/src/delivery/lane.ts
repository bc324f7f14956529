import {
  countDeliveries,
  nextDelivery,
  purgeDeliveries,
  type QueuedDelivery,
  removeDelivery,
  storeRetry,
} from '@almanac/bus';
import type { StoredWebhook } from '@almanac/contracts';
import { accountOfKey } from '@almanac/runtime';
import { countAttempt, countDisabled, type LaneLoad } from '../metrics.js';
import { slowMs } from './delivery-slots.js';
import { messageOf, queueEntry } from './queue-entry.js';
import type { LaneDeps } from './lane-deps.js';
import { type Attempted, loggedOf, storeAttempt } from './log.js';
import { failingMsMax, waitMs } from './schedule.js';
import { newestSecret } from '../webhooks/webhooks.decider.js';
import { earlierAttempts, noAttempts, type WaitingDelivery } from './waiting-delivery.js';

/** Deliveries of a webhook in memory. The others wait in the stream only. */
const windowMax = 100;
/** Concurrent attempts to a webhook whose last attempt succeeded. A failing one gets one at a time. */
const attemptsMax = 8;
/** More waiting deliveries of an account disable a webhook, so that one account cannot fill the stream. A webhook has an equal part. */
const accountWaitingMax = 20_000;
const waitingMax = 10_000;
const unavailableWaitMs = 1_000;

/** What a lane has from its shard. */
export interface LaneShard {
  /** Deliveries of events before it may have failed at another process. */
  readonly takenOverMs: number;
  /** Aborted when another process may deliver. */
  readonly signal: AbortSignal;
  /** The webhook is deleted, and nothing of it waits or runs. Another delivery needs another lane. */
  readonly onEnd: () => void;
}

/**
 * Delivers to one webhook: in the order of the queue for each object, and several objects at a time. A delivery that fails
 * waits for its next attempt, and only later deliveries of its object wait with it. What has failed is stored before the
 * next attempt, and a delivery leaves the queue after its answer. So another process can continue at any point.
 */
export class Lane {
  private readonly window: WaitingDelivery[] = [];
  private queuedUpTo = 0;
  private readUpTo = 0;
  private signals = 0;
  private readonly attempts = new Set<Promise<void>>();
  private failing = false;
  /** Whether the last attempt failed or took long, so that the next one may take long. */
  private slow = false;
  private pumping: Promise<void> | undefined;
  private again = false;
  private mustDrop = false;
  private isDeleted = false;
  private cancelWake: () => void = () => undefined;

  constructor(
    private readonly deps: LaneDeps,
    private readonly webhook: string,
    private readonly shard: LaneShard,
  ) {}

  queued(seq: number): void {
    this.queuedUpTo = Math.max(this.queuedUpTo, seq);
    this.signals += 1;
    this.pump();
  }

  /** Drops what waits of a deleted webhook, which may be hours before its next attempt. */
  deleted(): void {
    this.mustDrop = true;
    this.pump();
  }

  /** Resolves when nothing runs any longer, after an abort. */
  async settled(): Promise<void> {
    await this.pumping;
    await Promise.allSettled(this.attempts);
    this.cancelWake();
  }

  get load(): LaneLoad {
    const waiting = Math.max(this.window.length, this.hasUnread ? this.signals : 0);
    return { waiting, oldestUs: this.window[0]?.entry.time_us, isFailing: this.failing };
  }

  private get hasUnread(): boolean {
    return this.readUpTo < this.queuedUpTo;
  }

  private pump(): void {
    if (this.shard.signal.aborted) return;
    if (this.pumping !== undefined) {
      this.again = true;
      return;
    }
    this.again = false;
    this.pumping = this.advance()
      .catch((error: unknown) => this.postpone(error))
      .finally(() => {
        this.pumping = undefined;
        if (this.again) this.pump();
        else if (this.isDeleted && this.isIdle) this.shard.onEnd();
      });
  }

  private get isIdle(): boolean {
    return this.window.length === 0 && this.attempts.size === 0 && !this.hasUnread;
  }

  private postpone(error: unknown): void {
    if (this.shard.signal.aborted) return;
    this.deps.log.warn({ err: error, webhook: this.webhook }, 'the deliveries of a webhook wait');
    this.wakeAt(this.deps.clock.now() + unavailableWaitMs);
  }

  private wakeAt(ms: number): void {
    this.cancelWake();
    this.cancelWake = this.deps.clock.at(ms, () => this.pump());
  }

  private async advance(): Promise<void> {
    if (this.mustDrop) {
      await this.dropUnlessEnabled();
      this.mustDrop = false;
    }
    if (this.signals > this.waitingMax) await this.refuseFlood();
    while (this.window.length < windowMax && this.hasUnread) {
      const upTo = this.queuedUpTo;
      const next = await nextDelivery(this.deps.bus, this.webhook, this.readUpTo + 1);
      if (next !== null) await this.add(next);
      this.readUpTo = next?.seq ?? upTo;
      this.startDue();
    }
    this.startDue();
  }

  private get waitingMax(): number {
    return Math.min(waitingMax, Math.floor(accountWaitingMax / this.deps.siblings(this.webhook)));
  }

  private async refuseFlood(): Promise<void> {
    this.signals = await countDeliveries(this.deps.bus, this.webhook);
    const { waitingMax: most } = this;
    if (this.signals > most) await this.disable(`More than ${most} deliveries waited.`);
  }

  private async add(next: QueuedDelivery): Promise<void> {
    const entry = queueEntry.parse(JSON.parse(Buffer.from(next.data).toString()));
    const earlier = this.window.find(
      (one) => !one.running && entry.kind === 'market' && one.object === next.object && one.entry.type === entry.type,
    );
    if (earlier !== undefined) {
      // First, because after a failure this delivery is read and added again, and must not replace itself.
      await removeDelivery(this.deps.bus, earlier.seq);
      return this.replace(earlier, { ...earlier, ...next, entry });
    }
    const isFirst = !this.window.some(({ object }) => object === next.object);
    const isOlder = entry.time_us / 1_000 < this.shard.takenOverMs;
    const { bus } = this.deps;
    const failed = isFirst && isOlder ? await earlierAttempts(bus, this.webhook, next.object) : undefined;
    if (failed !== undefined) this.failing = this.slow = true;
    this.window.push({ ...next, entry, ...(failed ?? noAttempts), running: false });
  }

  private replace(before: WaitingDelivery, after: WaitingDelivery): void {
    const at = this.window.indexOf(before);
    if (at >= 0) this.window[at] = after;
  }

  private startDue(): void {
    const now = this.deps.clock.now();
    const blocked = new Set<string>();
    let nextDueMs = Infinity;
    for (const waiting of this.window) {
      if (this.attempts.size >= (this.failing ? 1 : attemptsMax)) return;
      const isBlocked = blocked.has(waiting.object);
      blocked.add(waiting.object);
      if (isBlocked || waiting.running) continue;
      if (waiting.dueMs <= now) this.start(waiting);
      else nextDueMs = Math.min(nextDueMs, waiting.dueMs);
    }
    if (nextDueMs < Infinity) this.wakeAt(nextDueMs);
  }

  private start(waiting: WaitingDelivery): void {
    waiting.running = true;
    const attempt = this.attempt(waiting)
      .catch((error: unknown) => {
        const dueMs = this.deps.clock.now() + unavailableWaitMs;
        this.replace(waiting, { ...waiting, dueMs, running: false });
        this.postpone(error);
      })
      .finally(() => {
        this.attempts.delete(attempt);
        this.pump();
      });
    this.attempts.add(attempt);
  }

  private async attempt(waiting: WaitingDelivery): Promise<void> {
    const { bus, slots, sender } = this.deps;
    const { signal } = this.shard;
    const releaseSlot = await slots.acquire({ account: accountOfKey(this.webhook), signal }, this.slow);
    try {
      if (signal.aborted) return;
      const webhook = this.known(waiting) ?? (await this.deps.load(this.webhook));
      if (webhook === undefined || webhook.disabled !== null) {
        if (await this.dropUnlessEnabled()) return;
        throw new Error('the webhook was enabled a moment ago');
      }
      // Of a deleted webhook with the same id, or from the time in which it was disabled.
      const isOfBefore = waiting.entry.time_us < webhook.enabled_us;
      const message = isOfBefore ? undefined : await messageOf(bus, this.webhook, waiting.entry);
      if (message === undefined) return await this.remove(waiting);
      const sentMs = this.deps.clock.now();
      const outcome = await sender.send(webhook, message, signal);
      this.slow = outcome.error !== null || outcome.ms >= slowMs;
      countAttempt(outcome.error === null ? 'succeeded' : 'failed');
      await this.settle(waiting, { message, outcome, sentMs });
    } finally {
      releaseSlot();
    }
  }

  /** The webhook in memory, unless a request knows a newer secret, or an attempt has failed since: memory may lag. */
  private known({ entry, attempts }: WaitingDelivery): StoredWebhook | undefined {
    const cached = attempts === 0 ? this.deps.cached(this.webhook) : undefined;
    if (cached === undefined || entry.kind !== 'message') return cached;
    return newestSecret(cached) >= (entry.secret ?? 0) ? cached : undefined;
  }

  private async settle(waiting: WaitingDelivery, attempted: Attempted): Promise<void> {
    const { outcome, sentMs } = attempted;
    if (outcome.error === null) {
      this.failing = false;
      await Promise.all([this.record(waiting, attempted, null), this.remove(waiting)]);
      return;
    }
    this.failing = true;
    const firstFailedMs = waiting.firstFailedMs ?? sentMs;
    const now = this.deps.clock.now();
    const isLast = outcome.status === 410 || now - firstFailedMs >= failingMsMax;
    const dueMs = now + waitMs(waiting.attempts + 1);
    await this.record(waiting, attempted, isLast ? null : dueMs);
    if (isLast) {
      const reason = outcome.status === 410 ? 'The address' : 'The address failed for 24 hours. At last it';
      return this.disable(`${reason} gave: ${outcome.error}`);
    }
    await this.storeFailure(waiting, firstFailedMs, dueMs);
  }

  private async storeFailure(waiting: WaitingDelivery, firstFailedMs: number, dueMs: number) {
    const { webhook } = this;
    const attempts = waiting.attempts + 1;
    const stored = { attempts, first_us: Math.round(firstFailedMs * 1_000), next_us: Math.round(dueMs * 1_000) };
    // Dropped meanwhile: a later delivery of the object must not continue with these attempts.
    if (!this.window.includes(waiting)) return;
    const retrySeq = await storeRetry(this.deps.bus, { webhook, object: waiting.object }, JSON.stringify(stored));
    this.replace(waiting, { ...waiting, attempts, firstFailedMs, dueMs, retrySeq, running: false });
  }

  private record(waiting: WaitingDelivery, attempted: Attempted, nextMs: number | null): Promise<void> {
    return storeAttempt(this.deps, this.webhook, loggedOf(waiting, attempted, nextMs));
  }

  private async remove(waiting: WaitingDelivery): Promise<void> {
    // In this order: after a kill between them, a later delivery of the object must not continue with these attempts.
    if (waiting.retrySeq !== null) await removeDelivery(this.deps.bus, waiting.retrySeq);
    await removeDelivery(this.deps.bus, waiting.seq);
    this.signals -= 1;
    const at = this.window.indexOf(waiting);
    if (at >= 0) this.window.splice(at, 1);
  }

  private async disable(reason: string): Promise<void> {
    await this.deps.disable(this.webhook, reason);
    countDisabled();
    await this.dropUnlessEnabled();
  }

  /** Drops what waited before the webhook was seen disabled or deleted. False if it is enabled. */
  private async dropUnlessEnabled(): Promise<boolean> {
    const upTo = this.queuedUpTo;
    const webhook = await this.deps.load(this.webhook);
    this.isDeleted = webhook === undefined;
    if (webhook !== undefined && webhook.disabled === null) return false;
    await purgeDeliveries(this.deps.bus, this.webhook, upTo);
    // A webhook that was created again meanwhile has newer ones.
    const newer = this.window.filter(({ seq }) => seq > upTo);
    this.window.splice(0, Infinity, ...newer);
    this.readUpTo = Math.max(this.readUpTo, upTo);
    this.signals = newer.length;
    this.failing = false;
    return true;
  }
}
