import { crc32 } from 'node:zlib';
import { tokenOf, webhookStream } from './names.js';

export const webhookPrefix = 'webhook';

/** Parts of all webhooks. Each is delivered by one process at a time. */
export const webhookShards = 16;

export const shardOf = (webhook: string): number => crc32(webhook) % webhookShards;

/** The subjects of the stream of deliveries. */
export const deliverySubjects = {
  all: `${webhookPrefix}.>`,
  /** A delivery that waits. `part` distinguishes the deliveries of an object. A delivery with the same part replaces it. */
  queued: ({ webhook, object, part }: { webhook: string; object: string; part: string }) =>
    `${webhookPrefix}.queue.${shardOf(webhook)}.${tokenOf(webhook)}.${tokenOf(object)}.${tokenOf(part)}`,
  queueOf: (webhook: string) => `${webhookPrefix}.queue.${shardOf(webhook)}.${tokenOf(webhook)}.>`,
  queuesOf: (shard: number) => `${webhookPrefix}.queue.${shard}.>`,
  /** The failed attempts of the first waiting delivery of an object. */
  retry: (webhook: string, object: string) => `${webhookPrefix}.retry.${tokenOf(webhook)}.${tokenOf(object)}`,
  retriesOf: (webhook: string) => `${webhookPrefix}.retry.${tokenOf(webhook)}.>`,
  log: (webhook: string) => `${webhookPrefix}.log.${tokenOf(webhook)}`,
  lease: (shard: number) => `${webhookPrefix}.lease.${shard}`,
} as const;

/** What the webhooks service may do in the stream of deliveries, which it alone uses. */
export const webhookSubjects: readonly string[] = [
  deliverySubjects.all,
  ...['CREATE', 'UPDATE', 'INFO', 'PURGE', 'MSG.GET', 'MSG.DELETE'].map(
    (operation) => `$JS.API.STREAM.${operation}.${webhookStream}`,
  ),
  `$JS.API.CONSUMER.CREATE.${webhookStream}.>`,
  `$JS.API.CONSUMER.INFO.${webhookStream}.*`,
  `$JS.API.CONSUMER.DELETE.${webhookStream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${webhookStream}.*`,
  `$JS.ACK.${webhookStream}.>`,
];
