import type { Contract, ErrorCode } from '@almanac/contracts';
import { z } from 'zod';
import type { SendResult } from '../cache/send-response.js';
import type { Exchange } from '../http/exchange.js';
import type { HttpCode } from '../http/error-response.js';
import { type Form, negotiateForm } from '../http/content-negotiation.js';
import { type Given, type Raw, type Shapes, validator } from '../validation/validate.js';
import type { RouteDeps } from './route-deps.js';
import type { Tag } from './tags.js';

export type Method = 'get' | 'post' | 'delete';

/** What the documentation says of an endpoint beside its shapes. Texts are Markdown. */
export interface Doc {
  /** The endpoint's name in a client made from the document; never changed once published. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
}

/** The body of a success: JSON of a shape, a file with one of these media types, or server-sent events. */
export type Success =
  | { readonly json: z.ZodType }
  | { readonly files: readonly string[] }
  | { /** What the stream looks like. */ readonly events: string };

/** An endpoint as the documentation shows it, all but `doc` taken from what it runs on. */
export interface Operation {
  readonly doc: Doc;
  readonly given: Shapes;
  readonly success: Success;
  /** Beyond what every endpoint may answer. */
  readonly errors: readonly (ErrorCode | HttpCode)[];
  /** Its answers carry an ETag that the client may ask about with If-None-Match. */
  readonly hasEtag: boolean;
  /** A session opens it too. */
  readonly takesSession: boolean;
  /** It takes an Idempotency-Key. */
  readonly isIdempotent: boolean;
  /** Media types of the other forms that `Accept` may ask for. */
  readonly otherForms: readonly string[];
}

/** What an endpoint is, before anybody asks: a row of the tables in this folder. */
interface Row<S extends Shapes> {
  readonly method: Method;
  /** Behind `/api/v1`; `:name` takes one segment of the path. */
  readonly path: string;
  readonly doc: Doc;
  readonly given: S;
  /** Whether a session opens it as a key does. */
  readonly takesSession?: boolean;
}

type Forms<F extends string> = readonly [Form<F>, ...Form<F>[]];

/** What a question takes from the request's headers; `form` is undefined for a row without forms. */
interface Headers<F extends string> {
  readonly idempotencyKey: string | undefined;
  readonly form: F | undefined;
}

/** Which service answers, and how. */
export interface ForwardingRow<C extends Contract, S extends Shapes, F extends string> extends Row<S> {
  readonly contract: C;
  readonly input: (given: Given<S>, headers: Headers<F>) => z.input<C['input']>;
  /** Forms to be had by `Accept`, the usual one first; without them it is JSON. */
  readonly forms?: Forms<F>;
  /** The market that an answer tells of, which may be kept until its data changes; and whether it also tells of the account. */
  readonly cacheable?: (given: Given<S>) => { readonly ticker: string; readonly byAccount: boolean };
}

/** An endpoint that the gateway answers itself. */
export interface LocalRow<S extends Shapes>
  extends Row<S>, Pick<Operation, 'success'>, Partial<Pick<Operation, 'errors' | 'hasEtag' | 'isIdempotent'>> {
  readonly answer: (given: Given<S>, exchange: Exchange, deps: RouteDeps) => Promise<void> | void;
}

/** A row made ready to answer: validates, then answers or throws. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly takesBody: boolean;
  /** Whether a session opens it too. */
  readonly takesSession: boolean;
  readonly operation: Operation;
  readonly answer: (raw: Raw, exchange: Exchange, deps: RouteDeps) => Promise<void> | void;
}

export const forwarding = <C extends Contract, S extends Shapes, F extends string>(
  row: ForwardingRow<C, S, F>,
): Route => {
  const validate = validator(row.given);
  const { method, path, contract, cacheable, forms, takesSession = false } = row;
  const negotiate = forms === undefined ? () => undefined : negotiateForm<F>(forms);
  return {
    method,
    path,
    takesBody: row.given.body !== undefined,
    takesSession,
    operation: {
      doc: row.doc,
      given: row.given,
      success: { json: contract.output },
      errors: contract.errors,
      hasEtag: cacheable !== undefined,
      takesSession,
      isIdempotent: contract.input instanceof z.ZodObject && 'idempotency_key' in contract.input.shape,
      otherForms: (forms ?? []).slice(1).map(({ mediaType }) => mediaType),
    },
    answer: (raw, exchange, deps) => {
      const form = negotiate(exchange.request);
      const cached = cacheable === undefined ? undefined : deps.answerFromCache(path, exchange, form);
      if (cached !== undefined) return completion(cached);
      const given = validate(raw);
      const idempotencyKey = exchange.request.get('idempotency-key') || undefined;
      const input = row.input(given, { idempotencyKey, form: form?.id });
      return completion(
        deps.forward({ contract, input, exchange, path, form, ...(cacheable ? { cacheable: cacheable(given) } : {}) }),
      );
    },
  };
};

/** An answer that was sent already is waited for no more. */
export const completion = (sending: SendResult): Promise<void> | void => (sending === 'sent' ? undefined : sending);

export const local = <S extends Shapes>(row: LocalRow<S>): Route => {
  const validate = validator(row.given);
  const { method, path, doc, given, success } = row;
  const { errors = [], hasEtag = false, isIdempotent = false, takesSession = false } = row;
  return {
    method,
    path,
    takesBody: given.body !== undefined,
    takesSession,
    operation: { doc, given, success, errors, hasEtag, takesSession, isIdempotent, otherForms: [] },
    answer: (raw, exchange, deps) => row.answer(validate(raw), exchange, deps),
  };
};
