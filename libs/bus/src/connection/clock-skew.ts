import { randomUUID } from 'node:crypto';
import { type StreamName, streams } from '@almanac/contracts';
import type { Check } from '@almanac/runtime';
import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Bus } from '../bus.js';
import { serverStream, serverSubject } from '../partitions.js';
import { followedBy } from '../rights/rights.js';
import { rawJetStream } from './raw-jetstream.js';

/** Signatures and sessions tolerate minutes. A healthy host is off by milliseconds. */
const skewMsMax = 5_000;
const everyMs = 60_000;

/**
 * A check that compares this process' clock with nats-server's once a minute and reports the last result. An
 * unavailable server counts as no fault. Sessions, signed links, Stripe's signatures and the times of events depend
 * on the clock. Key revocation, deadlines and timeouts use the monotonic clock.
 */
export const clockSkewCheck = (bus: Bus, nowMs: () => number = Date.now): Check => {
  const stream = followedBy(bus.user);
  let probedAt = Number.NEGATIVE_INFINITY;
  let skewMs = 0;
  const probe = async (of: StreamName): Promise<void> => {
    skewMs = await skewMsOf(bus, of, nowMs).catch(() => 0);
  };
  return () => {
    if (stream !== undefined && performance.now() - probedAt >= everyMs) {
      probedAt = performance.now();
      void probe(stream);
    }
    if (Math.abs(skewMs) <= skewMsMax) return null;
    const way = skewMs > 0 ? 'ahead of' : 'behind';
    return `this clock is ${Math.round(Math.abs(skewMs) / 1_000)} s ${way} that of nats-server: keep both hosts by NTP`;
  };
};

/**
 * nats-server 2.9 returns its time only when a consumer is created. This consumer matches no message and expires
 * after a second. A slow answer is less exact, so half of its duration is subtracted as uncertainty.
 */
const skewMsOf = async (bus: Bus, stream: StreamName, nowMs: () => number): Promise<number> => {
  const { jsm } = bus[rawJetStream];
  const beganAt = nowMs();
  const { created } = await jsm.consumers.add(serverStream(bus, stream), {
    name: `${bus.user}-clock-${randomUUID()}`,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.New,
    filter_subject: serverSubject(bus, { stream, partition: 0, subject: `evt.${streams[stream]}.clock` }),
    inactive_threshold: nanos(1_000),
    mem_storage: true,
  });
  const tookMs = nowMs() - beganAt;
  const skew = beganAt + tookMs / 2 - Date.parse(created);
  return Math.sign(skew) * Math.max(0, Math.abs(skew) - tookMs / 2);
};
