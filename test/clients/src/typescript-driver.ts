import { Almanac, AlmanacError, type Pages } from '@almanac/client/node';
import type { ClientDriver, DrivenCall } from './client-driver.js';

/** The arguments of each call that come before its parameters, in their order, and whether it has parameters. */
export const calls: Readonly<Record<string, readonly [ids: readonly string[], takesParameters: boolean]>> = {
  search: [['q'], true],
  'categories.list': [[], false],
  'series.list': [[], true],
  'series.get': [['series_id'], true],
  'series.markets': [['series_id'], true],
  'series.events': [['series_id'], true],
  'events.get': [['event_id'], true],
  'events.markets': [['event_id'], true],
  'events.snapshots': [['event_id'], true],
  'markets.list': [[], true],
  'markets.changes_since': [['changed_since_ts'], true],
  'markets.get': [['ticker'], true],
  'markets.preview': [['ticker'], true],
  'markets.coverage': [['ticker'], true],
  'markets.snapshots': [['ticker'], true],
  'markets.candles': [['ticker'], true],
  'markets.candles_of': [[], true],
  'markets.trades': [['ticker'], true],
  'markets.book': [['ticker'], true],
  'markets.at': [[], true],
  'exports.formats': [[], false],
  'exports.quote': [[], true],
  'exports.create': [[], true],
  'exports.create_days': [[], true],
  'exports.list': [[], true],
  'exports.get': [['export_id'], false],
  'exports.wait': [['export_id'], false],
  'exports.cancel': [['export_id'], false],
  'exports.download': [['export_id', 'path'], false],
  'datasets.get': [['dataset_id'], true],
  'cart.get': [[], false],
  'cart.add': [['event'], false],
  'cart.remove': [['event_id'], false],
  'cart.checkout': [[], false],
  'billing.upgrade': [['tier_id'], false],
  'billing.portal': [[], false],
  'plan.get': [[], false],
  'operator.status': [[], false],
  'keys.list': [[], true],
  'keys.create': [[], true],
  'keys.revoke': [['key_id'], false],
  'webhooks.list': [[], false],
  'webhooks.get': [['webhook_id'], false],
  'webhooks.create': [[], true],
  'webhooks.delete': [['webhook_id'], false],
  'webhooks.rotate': [['webhook_id'], false],
  'webhooks.enable': [['webhook_id'], false],
  'webhooks.test': [['webhook_id'], false],
  'webhooks.deliveries': [['webhook_id'], true],
  'webhooks.redeliver': [['webhook_id', 'delivery_id'], false],
};

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const withCamelNames = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name === 'as_of' ? name : camel(name), value]));

export const typescriptDriver: ClientDriver = {
  run: async (driven) => {
    try {
      const result = await resultOf(driven);
      return { result: JSON.parse(JSON.stringify(result)) as unknown };
    } catch (error) {
      if (!(error instanceof AlmanacError)) throw error;
      return { error: JSON.parse(JSON.stringify(error)) as Record<string, unknown> };
    }
  },
};

const resultOf = async (driven: DrivenCall): Promise<unknown> => {
  const almanac = new Almanac(withCamelNames(driven.client));
  const returned = callOf(almanac, driven, withCamelNames(driven.options));
  return isPages(returned) ? taken(returned, driven) : returned;
};

/** What the method of a call returns. */
export const callOf = (
  almanac: Almanac,
  { call, args }: Pick<DrivenCall, 'call' | 'args'>,
  options: Readonly<Record<string, unknown>>,
): unknown => {
  const [ids, takesParameters] = calls[call] ?? unknownCall(call);
  const parameters = Object.fromEntries(Object.entries(args).filter(([name]) => !ids.includes(name)));
  const positional = ids.map((name) => args[name]);
  const [resource = '', method] = call.split('.');
  const owner = (almanac as unknown as Record<string, unknown>)[resource];
  const called = method === undefined ? owner : (owner as Record<string, unknown>)[camel(method)];
  const given = [...positional, ...(takesParameters ? [parameters] : []), options];
  return (called as (...given: unknown[]) => unknown)(...given);
};

const unknownCall = (call: string): never => {
  throw new Error(`No call is named ${call}.`);
};

export const isPages = (value: unknown): value is Pages<unknown, unknown> =>
  typeof value === 'object' && value !== null && 'firstPage' in value;

const taken = async (
  list: Pages<unknown, unknown>,
  { take, max }: Pick<DrivenCall, 'take' | 'max'>,
): Promise<unknown> => {
  if (take === 'first_page') return list.firstPage();
  if (take === 'items') return list.toArray(max === undefined ? {} : { max });
  const pages: unknown[] = [];
  for await (const page of list.pages()) pages.push(page);
  return pages;
};
