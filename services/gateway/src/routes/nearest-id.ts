import type { RpcClient } from '@almanac/bus';
import { catalogRpc, DomainError, type ErrorCode, notFound, type Notice } from '@almanac/contracts';
import { z } from 'zod';
import type { SendResult } from '../cache/send-response.js';
import { contextOf, type Exchange } from '../http/exchange.js';
import type { ForwardedCall } from '../cache/route-deps.js';
import { addNotices } from '../notices/request-notices.js';

type IdKind = z.input<typeof catalogRpc.nearestId.input>['kind'];

const kindOf: Readonly<Partial<Record<ErrorCode, IdKind>>> = {
  series_not_found: 'series',
  event_not_found: 'event',
  market_not_found: 'market',
};

/** The field of a service's input that has an id of this kind. */
const fieldsOf: Readonly<Record<IdKind, readonly string[]>> = {
  series: ['series_id', 'series'],
  event: ['event_id', 'event'],
  market: ['ticker'],
};

/** Adds the nearest id to a 404, also with strict handling: one fault has one code. */
export const withNearestId =
  (rpc: RpcClient, forward: (call: ForwardedCall) => SendResult) =>
  (call: ForwardedCall): SendResult => {
    const sending = forward(call);
    return sending === 'sent' ? sending : sending.catch((error: unknown) => explain(rpc, call, error));
  };

const explain = async (rpc: RpcClient, { exchange, input }: ForwardedCall, error: unknown): Promise<never> => {
  // The nearest id may be one that was not known then.
  if (isAboutPast(input)) throw error;
  const kind = error instanceof DomainError ? kindOf[error.code] : undefined;
  const sent = kind === undefined ? undefined : (idIn(input, kind) ?? listedIn(input, error));
  if (kind === undefined || sent === undefined) throw error;
  const nearest = await nearestOf(rpc, { kind, id: sent.id }, exchange);
  if (nearest === null) throw error;
  const loc = [exchange.request.params[sent.name] === undefined ? 'body' : 'path', sent.name];
  // The error beside it says what the archive does not have.
  const notice: Notice = { code: 'unknown_id', detail: `Did you mean ${nearest}?`, loc, nearest };
  addNotices(exchange.response, [notice]);
  throw error;
};

const past = z.object({ as_of: z.number() });
const isAboutPast = (input: unknown): boolean => past.safeParse(input).success;

const idIn = (input: unknown, kind: IdKind): { name: string; id: string } | undefined => {
  const fields = z.record(z.string(), z.unknown()).parse(input);
  const name = fieldsOf[kind].find((field) => typeof fields[field] === 'string' && fields[field] !== '');
  return name === undefined ? undefined : { name, id: String(fields[name]) };
};

const lists = z.object({ tickers: z.array(z.string()) });

/** The ticker of a list that an error is about. */
const listedIn = (input: unknown, error: unknown): { name: string; id: string } | undefined => {
  const listed = lists.safeParse(input).data?.tickers ?? [];
  const about = listed.find(
    (id) => error instanceof DomainError && notFound('market_not_found', id).detail === error.detail,
  );
  return about === undefined ? undefined : { name: 'tickers', id: about };
};

/** A suggestion is a help, so its failure must not replace the error that it explains. */
const nearestOf = async (
  rpc: RpcClient,
  input: z.input<typeof catalogRpc.nearestId.input>,
  exchange: Exchange,
): Promise<string | null> => {
  try {
    return (await rpc.call(catalogRpc.nearestId, { input, context: contextOf(exchange) })).nearest;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
};
