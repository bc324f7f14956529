import type { AbsenceCode, Contract } from '@almanac/contracts';
import type { z } from 'zod';
import type { Exchange } from '../http/exchange.js';
import { type Given, type Raw, type Shapes, validator } from '../validation/validate.js';
import type { Parts } from './parts.js';

export type Method = 'get' | 'post' | 'delete';

/** What an endpoint is, before anybody asks: a row of the tables in this folder. */
interface Row<S extends Shapes> {
  readonly method: Method;
  /** Behind `/api/v1`; `:name` takes one segment of the path. */
  readonly path: string;
  readonly given: S;
}

/** Which service answers, and how. */
export interface ForwardingRow<C extends Contract, S extends Shapes> extends Row<S> {
  readonly contract: C;
  readonly input: (given: Given<S>, headers: { readonly idempotencyKey: string | undefined }) => z.input<C['input']>;
  /** The error for an id in the path that cannot name anything. */
  readonly absence?: AbsenceCode;
  /** The market that an answer tells of, which may be kept until its data changes; and whether it also tells of the account. */
  readonly kept?: (given: Given<S>) => { readonly ticker: string; readonly byAccount: boolean };
}

/** An endpoint that the gateway answers itself. */
export interface LocalRow<S extends Shapes> extends Row<S> {
  readonly answer: (given: Given<S>, exchange: Exchange, parts: Parts) => Promise<void> | void;
}

/** A row made ready to answer: validates, then answers or throws. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly takesBody: boolean;
  readonly answer: (raw: Raw, exchange: Exchange, parts: Parts) => Promise<void> | void;
}

export const forwarding = <C extends Contract, S extends Shapes>(row: ForwardingRow<C, S>): Route => {
  const validate = validator(row.given);
  const { method, path, contract, kept, absence } = row;
  return {
    method,
    path,
    takesBody: row.given.body !== undefined,
    answer: (raw, exchange, parts) => {
      if (kept !== undefined && parts.recall(exchange)) return;
      const given = validate(raw);
      if (absence !== undefined) parts.refuseUnnameable(raw.path, absence);
      const idempotencyKey = exchange.request.get('idempotency-key') || undefined;
      const input = row.input(given, { idempotencyKey });
      return parts.forward({ contract, input, exchange, path, ...(kept ? { kept: kept(given) } : {}) });
    },
  };
};

export const local = <S extends Shapes>(row: LocalRow<S>): Route => {
  const validate = validator(row.given);
  const { method, path } = row;
  return {
    method,
    path,
    takesBody: row.given.body !== undefined,
    answer: (raw, exchange, parts) => row.answer(validate(raw), exchange, parts),
  };
};
