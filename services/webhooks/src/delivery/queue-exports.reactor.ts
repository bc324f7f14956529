import {
  acknowledgedUpTo,
  type Bus,
  consumeBatches,
  durables,
  enqueueDelivery,
  type EventMessage,
  nextMessage,
  readEvent,
  type Running,
  subjects,
} from '@almanac/bus';
import {
  exportState,
  type ExportState,
  presentExport,
  type StoredWebhook,
  type WebhookEventType,
  webhooksState,
} from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { forEachConcurrent, type Logger } from '@almanac/runtime';
import { bodyOf, deliveryIdOf, type QueueEntry } from './queue-entry.js';

const batchMax = 100;
const concurrentExports = 16;
const durable = durables.webhookExports;

const types: Readonly<Record<string, WebhookEventType>> = {
  ExportRequested: 'export.created',
  ExportReady: 'export.ready',
  ExportFailed: 'export.failed',
  ExportCancelled: 'export.cancelled',
};

/** Queues the events of exports for the webhooks of their accounts, in the order of each export. */
export const queueExportEvents = (bus: Bus, store: EventStore, log: Logger): Promise<Running> =>
  consumeBatches<ExportState>(bus, {
    stream: 'EVT_EXPORT',
    durable,
    // No webhook is older than the consumer: webhooks are created through this service.
    newOnly: true,
    state: exportState,
    batchMax,
    concerns: ({ event: { type } }) => type in types,
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'the event of an export could not be queued for webhooks'),
    handle: async (messages) => {
      const floor = await acknowledgedUpTo(bus, 'EVT_EXPORT', durable);
      const deps = { bus, webhooksOf: readWebhooks(store), searchFrom: isComplete(messages, floor) ? null : floor };
      const exports_ = Map.groupBy(messages, ({ subject }) => subject);
      await forEachConcurrent([...exports_.values()], concurrentExports, (events) => queueInOrder(deps, events));
    },
  });

interface Deps {
  readonly bus: Bus;
  readonly webhooksOf: (account: string) => Promise<readonly StoredWebhook[]>;
  /** The sequence from which unacknowledged events are searched. Null if the batch has all of them. */
  readonly searchFrom: number | null;
}

/** Whether the batch has every event between the last acknowledged one and its own last one. */
const isComplete = (messages: readonly EventMessage[], floor: number): boolean => {
  const seqs = new Set(messages.map(({ seq }) => seq).filter((seq) => seq > floor));
  return Math.max(floor, ...seqs) - floor === seqs.size;
};

/** Reads each account once for a batch, after its events were stored. */
const readWebhooks = (store: EventStore): Deps['webhooksOf'] => {
  const read = new Map<string, Promise<readonly StoredWebhook[]>>();
  return (account) => {
    const known = read.get(account) ?? loadWebhooks(store, account);
    read.set(account, known);
    return known;
  };
};

const loadWebhooks = async (store: EventStore, account: string): Promise<readonly StoredWebhook[]> =>
  (await store.load(subjects.webhooks(account), webhooksState))?.state.webhooks ?? [];

/**
 * After the death of another process, its events arrive behind newer ones. So the unacknowledged events of the export
 * before this one come first. A second time, the queue ignores them, or the receiver knows their id.
 */
const queueInOrder = async (deps: Deps, events: readonly EventMessage<ExportState>[]): Promise<void> => {
  let queuedUpTo = deps.searchFrom;
  for (const event of events.toSorted((one, other) => one.seq - other.seq)) {
    while (queuedUpTo !== null) {
      const { subject } = event;
      const earlier = await nextMessage(deps.bus, 'EVT_EXPORT', { subject, seq: queuedUpTo + 1 });
      if (earlier === null || earlier.seq >= event.seq) break;
      await queue(deps, readEvent(earlier, exportState));
      queuedUpTo = earlier.seq;
    }
    await queue(deps, event);
    if (queuedUpTo !== null) queuedUpTo = event.seq;
  }
};

const queue = async ({ bus, webhooksOf }: Deps, { seq, event }: EventMessage<ExportState>): Promise<void> => {
  const { state, time } = event;
  const type = types[event.type];
  if (type === undefined || state.status === 'abandoned') return;
  const webhooks = await webhooksOf(state.account);
  const {
    storage_key: _key,
    download_url: _url,
    expires_in_s: _expires,
    manifest: _manifest,
    ...data
  } = presentExport(state);
  for (const { id: webhook, events, disabled, enabled_us } of webhooks) {
    if (disabled !== null || !events.includes(type) || time < enabled_us) continue;
    const entry: QueueEntry = {
      kind: 'message',
      type,
      id: deliveryIdOf(webhook, type, `${state.id} ${seq}`),
      body: bodyOf(type, time, data),
      time_us: time,
    };
    await enqueueDelivery(
      bus,
      { webhook, object: state.id, part: String(seq) },
      { data: JSON.stringify(entry), id: entry.id, replaces: false },
    );
  }
};
