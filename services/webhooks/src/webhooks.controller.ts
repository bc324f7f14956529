import { randomUUID } from 'node:crypto';
import { type Bus, enqueueDelivery, subjects } from '@almanac/bus';
import { Rpc, type RpcContext } from '@almanac/bus/server';
import {
  decodeCursor,
  DomainError,
  encodeCursor,
  listingOf,
  type StoredWebhook,
  webhooksMax,
  webhooksRpc,
  type WebhooksState,
  webhooksState,
} from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { newKeyId, idempotentId } from '@almanac/runtime';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { type Addresses, RefusedAddressError } from './webhooks/addresses.js';
import { bodyOf, deliveryIdOf, type QueueEntry } from './delivery/queue-entry.js';
import { presentAttempt, readLog } from './delivery/log.js';
import { ADDRESSES, BUS, SECRETS, STORE } from './webhooks-deps.js';
import { presentWebhook } from './webhooks/present.js';
import type { WebhookSecrets } from './webhooks/secrets.js';
import { webhookOf, type WebhooksCommand, webhooksDecider } from './webhooks/webhooks.decider.js';

type InputOf<Method extends keyof typeof webhooksRpc> = z.output<(typeof webhooksRpc)[Method]['input']>;
type OutputOf<Method extends keyof typeof webhooksRpc> = z.input<(typeof webhooksRpc)[Method]['output']>;

@Controller()
export class WebhooksController {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(STORE) private readonly store: EventStore,
    @Inject(SECRETS) private readonly secrets: WebhookSecrets,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
  ) {}

  @Rpc(webhooksRpc.list)
  async list(_input: InputOf<'list'>, { caller }: RpcContext): Promise<OutputOf<'list'>> {
    const webhooks = (await this.stateOf(caller))?.webhooks ?? [];
    return {
      count: webhooks.length,
      limit: webhooksMax,
      webhooks: webhooks.toReversed().map((webhook) => presentWebhook(webhook)),
    };
  }

  @Rpc(webhooksRpc.get)
  async get({ webhook_id }: InputOf<'get'>, { caller }: RpcContext): Promise<OutputOf<'get'>> {
    return presentWebhook(webhookOf(await this.stateOf(caller), webhook_id));
  }

  @Rpc(webhooksRpc.create)
  async create(input: InputOf<'create'>, context: RpcContext): Promise<OutputOf<'create'>> {
    const { idempotency_key: key, ...body } = input;
    this.refuseUnreachable(body);
    const account = context.caller;
    const nowUs = Date.now() * 1_000;
    const id = key
      ? await idempotentId(
          { account, kind: 'webhook', idempotencyKey: key },
          { existing: (await this.stateOf(account))?.webhooks ?? [], nowUs },
        )
      : newKeyId(account);
    const webhook: StoredWebhook = {
      ...body,
      id,
      created_us: nowUs,
      enabled_us: nowUs,
      secrets: [{ version: 1, expires_us: null }],
      disabled: null,
    };
    const stored = webhookOf(await this.change({ type: 'create', webhook }, context), id);
    // Another time means that an earlier request created the webhook, and returned the secret.
    if (stored.created_us !== nowUs) return { ...presentWebhook(stored), secret: null, secret_already_shown: true };
    return { ...presentWebhook(stored), secret: this.secrets.current(stored) };
  }

  @Rpc(webhooksRpc.remove)
  async remove({ webhook_id: id }: InputOf<'remove'>, context: RpcContext): Promise<OutputOf<'remove'>> {
    const webhook = webhookOf(await this.stateOf(context.caller), id);
    await this.change({ type: 'delete', id }, context);
    return presentWebhook(webhook);
  }

  @Rpc(webhooksRpc.rotate)
  async rotate({ webhook_id: id }: InputOf<'rotate'>, context: RpcContext): Promise<OutputOf<'rotate'>> {
    const state = await this.change({ type: 'rotate', id, us: Date.now() * 1_000 }, context);
    const webhook = webhookOf(state, id);
    return { ...presentWebhook(webhook), secret: this.secrets.current(webhook) };
  }

  @Rpc(webhooksRpc.enable)
  async enable({ webhook_id: id }: InputOf<'enable'>, context: RpcContext): Promise<OutputOf<'enable'>> {
    const state = await this.change({ type: 'enable', id, us: Date.now() * 1_000 }, context);
    return presentWebhook(webhookOf(state, id));
  }

  @Rpc(webhooksRpc.test)
  async test({ webhook_id: id }: InputOf<'test'>, { caller }: RpcContext): Promise<OutputOf<'test'>> {
    const time_us = await this.sendableFrom(caller, id);
    const body = bodyOf('webhook.test', time_us, { webhook_id: id });
    const unique = randomUUID();
    const entry: QueueEntry = {
      kind: 'message',
      type: 'webhook.test',
      id: deliveryIdOf(id, 'webhook.test', unique),
      body,
      time_us,
    };
    return this.enqueue(id, entry, { object: 'test', part: unique });
  }

  @Rpc(webhooksRpc.deliveries)
  async deliveries(
    { webhook_id: id, limit, cursor }: InputOf<'deliveries'>,
    { caller }: RpcContext,
  ): Promise<OutputOf<'deliveries'>> {
    const listing = listingOf('webhook deliveries', { id });
    const before = decodeCursor(cursor, { listing, position });
    webhookOf(await this.stateOf(caller), id);
    const older = (await readLog(this.bus, id)).filter(({ seq }) => before === null || seq < before);
    const page = older.slice(0, limit);
    const hasMore = older.length > page.length;
    return {
      count: page.length,
      deliveries: page.map(({ attempt }) => presentAttempt(attempt)),
      has_more: hasMore,
      next_cursor: hasMore ? encodeCursor(listing, page.at(-1)?.seq) : null,
    };
  }

  @Rpc(webhooksRpc.redeliver)
  async redeliver(
    { webhook_id: id, delivery_id }: InputOf<'redeliver'>,
    { caller }: RpcContext,
  ): Promise<OutputOf<'redeliver'>> {
    const time_us = await this.sendableFrom(caller, id);
    const logged = (await readLog(this.bus, id)).find(({ attempt }) => attempt.id === delivery_id)?.attempt;
    if (logged === undefined) {
      throw new DomainError(
        'delivery_not_found',
        'The log of this webhook has no delivery with this id. It has the newest 100 attempts.',
      );
    }
    const { type, body, object } = logged;
    const entry: QueueEntry = { kind: 'message', type, id: delivery_id, body, time_us };
    return this.enqueue(id, entry, { object, part: randomUUID() });
  }

  private async enqueue(
    webhook: string,
    entry: Extract<QueueEntry, { kind: 'message' }>,
    place: { object: string; part: string },
  ): Promise<{ delivery_id: string }> {
    const message = { data: JSON.stringify(entry), id: place.part, replaces: false };
    await enqueueDelivery(this.bus, { webhook, ...place }, message);
    return { delivery_id: entry.id };
  }

  /** The present, which is never before the time from which events are sent: clocks of processes differ. */
  private async sendableFrom(account: string, id: string): Promise<number> {
    const { disabled, enabled_us } = webhookOf(await this.stateOf(account), id);
    if (disabled === null) return Math.max(Date.now() * 1_000, enabled_us);
    throw new DomainError('webhook_disabled', 'This webhook is disabled, so nothing is sent to it. Enable it first.');
  }

  private refuseUnreachable({ url, events, tickers, series }: Omit<InputOf<'create'>, 'idempotency_key'>): void {
    try {
      this.addresses.urlOf(url);
    } catch (error) {
      if (!(error instanceof RefusedAddressError)) throw error;
      throw new DomainError('invalid_input', `The url cannot get deliveries. ${error.message}`, { cause: error });
    }
    if (events.some((type) => type.startsWith('market.')) && tickers.length + series.length === 0)
      throw new DomainError('invalid_input', 'Events of markets need tickers or series.');
  }

  private async change(command: WebhooksCommand, context: RpcContext): Promise<WebhooksState> {
    const account = context.caller;
    const outcome = await execute(this.store, webhooksDecider(account), {
      subject: subjects.webhooks(account),
      command,
      id: randomUUID(),
      account,
      time: Date.now() * 1_000,
      timeoutMs: context.remainingMs,
    });
    if (outcome === undefined) throw new Error('a command left no webhooks');
    return outcome.state;
  }

  private async stateOf(account: string): Promise<WebhooksState | undefined> {
    return (await this.store.load(subjects.webhooks(account), webhooksState))?.state;
  }
}

/** The position of a cursor: the sequence of the last attempt on the page. */
const position = z.int().positive();
