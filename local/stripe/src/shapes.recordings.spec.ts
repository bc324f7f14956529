import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { recording } from '@almanac/testing';
import { z } from 'zod';
import { type FakeStripe, startFakeStripe } from './fake-stripe.js';

const { path, skip } = recording('specs/stripe-fixtures.json');

const kinds = [
  'customer',
  'deleted_customer',
  'checkout.session',
  'billing_portal.session',
  'payment_intent',
  'charge',
  'refund',
  'subscription',
  'subscription_item',
  'price',
  'plan',
  'invoice',
  'dispute',
  'event',
];

/** Fields that the pinned SDK requires and that the samples, from an older API version, do not have. */
const newerThanSamples: Readonly<Record<string, readonly string[]>> = {
  'checkout.session': ['allowed_payment_method_types'],
  payment_intent: ['allowed_payment_method_types', 'payment_record'],
  subscription_item: ['current_trial'],
  dispute: ['evidence_details.submission_method', 'intended_submission_method'],
};

type Json = z.output<ReturnType<typeof z.json>>;
type Fields = Record<string, Json>;

const json = z.json();
const fields = z.record(z.string(), json);
const file = z.object({ resources: z.record(z.string(), fields) });
const samples = skip !== false ? {} : file.parse(JSON.parse(readFileSync(path, 'utf8'))).resources;

describe('the objects of the Stripe fake', () => {
  let sent: Fields[] = [];
  before(async () => {
    const standIn = await startFakeStripe({ prices: { price_pro: 4_900 } });
    try {
      sent = (await everythingSent(standIn)).flatMap(objectsIn);
    } finally {
      await standIn.stop();
    }
  });
  const sentOf = (kind: string) => sent.filter((one) => kindOf(one) === kind);

  it('cover every compared kind', () => {
    assert.deepEqual(
      kinds.filter((kind) => sentOf(kind).length === 0),
      [],
    );
  });

  for (const kind of kinds) {
    it(`have only fields that Stripe's sample has, of the same JSON types: ${kind}`, { skip }, () => {
      const sample = samples[kind] ?? assert.fail(`there is no sample of ${kind}`);
      const found = new Set(sentOf(kind).flatMap((one) => differences(one, sample)));
      assert.deepEqual(
        [...found].toSorted(),
        (newerThanSamples[kind] ?? []).map((name) => `${name} is missing in the sample`),
      );
    });
  }
});

/** Returns every answer and every event of purchases, a refund, a dispute and a plan: all kinds, in several states. */
const everythingSent = async (standIn: FakeStripe): Promise<Json[]> => {
  const { people, ledger, webhooks } = standIn;
  const answers: Json[] = [];
  const call = async (method: string, address: string, form: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${standIn.url}/v1/${address}`, {
      method,
      headers: { authorization: `Bearer ${standIn.secretKey}`, 'idempotency-key': randomUUID() },
      ...(method === 'POST' ? { body: new URLSearchParams(form) } : {}),
    });
    const body = fields.parse(await answer.json());
    assert.equal(answer.status, 200, JSON.stringify(body));
    answers.push(body);
    return typeof body['id'] === 'string' ? body['id'] : '';
  };

  const customer = await call('POST', 'customers', { email: 'a@example.com', 'metadata[account]': 'a1' });
  await call('GET', `customers/${customer}`);
  await call('POST', 'billing_portal/sessions', { customer, return_url: 'http://127.0.0.1/docs' });
  const page = { customer, success_url: 'http://127.0.0.1/paid', 'line_items[0][price]': 'price_pro' };

  const purchase = await call('POST', 'checkout/sessions', { ...page, mode: 'payment' });
  people.pay(purchase);
  const payment = ledger.session.get(purchase)?.payment ?? assert.fail('nothing was paid');
  await call('GET', `checkout/sessions/${purchase}?expand[0]=payment_intent`);
  await call('GET', `payment_intents/${payment}?expand[0]=latest_charge`);
  await call('POST', 'refunds', { payment_intent: payment, amount: '100', 'metadata[event]': 'EV-A' });
  people.endDispute(people.dispute(payment).id, 'lost');

  const plan = await call('POST', 'checkout/sessions', { ...page, mode: 'subscription' });
  people.pay(plan);
  const subscription = ledger.session.get(plan)?.subscription ?? assert.fail('there is no subscription');
  people.failRenewal(subscription);
  people.renew(subscription);
  await call('GET', `subscriptions?customer=${customer}`);
  await call('DELETE', `customers/${customer}`);
  return [...answers, ...webhooks.events.map(({ body }) => json.parse(JSON.parse(body)))];
};

/** All Stripe objects in a value, including those in lists, in events and expanded ones. */
const objectsIn = (value: Json): Fields[] => {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isFields(value)) return [];
  return [...(kindOf(value) === undefined ? [] : [value]), ...Object.values(value).flatMap(objectsIn)];
};

const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for a list, which has no sample. */
const kindOf = ({ object, deleted }: Fields): string | undefined => {
  if (typeof object !== 'string' || object === 'list') return undefined;
  return deleted === true ? `deleted_${object}` : object;
};

const differences = (ours: Fields, sample: Fields, parent = ''): string[] =>
  Object.entries(ours).flatMap(([name, value]) => {
    const at = `${parent}${name}`;
    const sampled = sample[name];
    if (sampled === undefined) return [`${at} is missing in the sample`];
    // The caller chooses the keys of metadata, and an event holds an object of any kind.
    if (name === 'metadata' || at === 'data.object') return [];
    return valueDifferences(value, sampled, at);
  });

const valueDifferences = (ours: Json, sample: Json, at: string): string[] => {
  if (ours === null || sample === null) return [];
  if (Array.isArray(ours) && Array.isArray(sample)) {
    const [first = null] = sample;
    return ours.flatMap((one) => valueDifferences(one, first, `${at}[]`));
  }
  if (isFields(ours) && kindOf(ours) !== undefined) {
    // Another test compares it with the sample of its own kind. An expanded object replaces the id of the sample.
    if (typeof sample === 'string' || (isFields(sample) && kindOf(sample) === kindOf(ours))) return [];
    return [`${at} is a ${kindOf(ours)}, in the sample ${JSON.stringify(sample)}`];
  }
  if (typeof ours !== typeof sample || Array.isArray(ours) !== Array.isArray(sample)) {
    return [`${at} is ${JSON.stringify(ours)}, in the sample ${JSON.stringify(sample)}`];
  }
  return isFields(ours) && isFields(sample) ? differences(ours, sample, `${at}.`) : [];
};
