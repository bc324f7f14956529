import { randomUUID } from 'node:crypto';
import type { Contract, ErrorCode } from '@almanac/contracts';
import { z } from 'zod';
import { asOfPartOf, refuseFenced, withinFence } from '../auth/fence.js';
import type { SendResult } from '../cache/send-response.js';
import type { Caller, Exchange } from '../http/exchange.js';
import { pathNotFound } from '../http/error-response.js';
import type { HttpCode } from '../http/http-errors.js';
import { type Form, negotiateForm } from '../http/content-negotiation.js';
import { addNotices, isStrict } from '../notices/request-notices.js';
import {
  type CheckTogether,
  type Given,
  queryValues,
  type Raw,
  type Shapes,
  type Validate,
  validator,
} from '../validation/validate.js';
import type { Unknown } from '../validation/unknown.js';
import type { Cacheable, RouteDeps } from '../cache/route-deps.js';
import type { Tag } from './tags.js';

export type Method = 'get' | 'post' | 'delete';

/** The documentation of an endpoint, except for its shapes. Texts are Markdown. */
export interface Doc {
  /** The endpoint's name in generated clients. It must not change once published. */
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
}

/** The body of a success: JSON with a schema, a file with one of these media types, or server-sent events. */
export type Success =
  | { readonly json: z.ZodType }
  | { readonly files: readonly string[] }
  | { /** What the stream looks like. */ readonly events: string };

/** An endpoint as the documentation shows it. Everything except `doc` is derived from the route. */
export interface Operation {
  readonly doc: Doc;
  readonly given: Shapes;
  readonly success: Success;
  /** Errors in addition to those that every endpoint may answer. */
  readonly errors: readonly (ErrorCode | HttpCode)[];
  /** Answers carry an ETag for If-None-Match. */
  readonly hasEtag: boolean;
  /** A key with `as_of` is not refused: the answer is the same, or limited to what the key may see. */
  readonly takesFence: boolean;
  readonly isIdempotent: boolean;
  /** Media types of further representations for `Accept`. */
  readonly otherForms: readonly string[];
}

/** The definition of an endpoint: a row of the tables in this folder. */
interface Row<S extends Shapes> {
  readonly method: Method;
  /** Relative to `/api/v1`. `:name` matches one segment of the path. */
  readonly path: string;
  readonly doc: Doc;
  readonly given: S;
  /** It spends money or quota, so a request with an unknown body field is refused. */
  readonly costs?: boolean;
}

type Forms<F extends string> = readonly [Form<F>, ...Form<F>[]];

/** Values of the request beside its shapes. `form` is undefined for a row without forms. */
interface Unshaped<F extends string> {
  readonly idempotencyKey: string | undefined;
  readonly form: F | undefined;
  /** Whether the URL has this parameter, so that its default does not count. */
  readonly isGiven: (parameter: string) => boolean;
}

export interface ForwardingRow<C extends Contract, S extends Shapes, F extends string> extends Row<S> {
  readonly contract: C;
  readonly input: (given: Given<S>, unshaped: Unshaped<F>) => z.input<C['input']>;
  /** Representations for the parameter `format` and for `Accept`, the default first. Without them, JSON only. */
  readonly forms?: Forms<F>;
  /** The answer is cached until this market changes. */
  readonly cacheable?: (given: Given<S>) => Cacheable;
  /** The answer has nothing of the archive, so it is the same for a key with `as_of`. */
  readonly showsNoArchive?: boolean;
  /** The answer is about several markets: it is not cached, but has an ETag from their data versions. */
  readonly revalidates?: boolean;
}

export interface LocalRow<S extends Shapes>
  extends Row<S>, Pick<Operation, 'success'>, Partial<Pick<Operation, 'errors' | 'hasEtag' | 'isIdempotent'>> {
  /** Who may know the endpoint. For others its path does not exist. Undefined: everybody. */
  readonly isFor?: (caller: Caller) => boolean;
  /** It answers a key with `as_of` itself, with what that key may see. */
  readonly limitsToFence?: boolean;
  /** Finds faults of body fields that are valid alone but not together. */
  readonly together?: CheckTogether<S>;
  readonly answer: (given: Given<S>, exchange: Exchange, deps: RouteDeps) => Promise<void> | void;
}

/** A row prepared for requests: it validates, then answers or throws. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly takesBody: boolean;
  /** Not suggested for a path that does not exist. */
  readonly isHidden: boolean;
  readonly operation: Operation;
  readonly answer: (raw: Raw, exchange: Exchange, deps: RouteDeps) => Promise<void> | void;
}

export const forwarding = <C extends Contract, S extends Shapes, F extends string>(
  row: ForwardingRow<C, S, F>,
): Route => {
  const { method, path, contract, cacheable, forms, costs = false, revalidates = false } = row;
  const { showsNoArchive = false } = row;
  const validate = validated(validator(row.given, { costs }));
  const asOfPart = asOfPartOf(row.given);
  const negotiate = forms === undefined ? jsonOnly : formNegotiator<F>(forms);
  return {
    method,
    path,
    takesBody: row.given.body !== undefined || costs,
    isHidden: false,
    operation: {
      doc: row.doc,
      given: row.given,
      success: { json: contract.output },
      errors: contract.errors,
      hasEtag: cacheable !== undefined || revalidates,
      takesFence: showsNoArchive,
      isIdempotent: contract.input instanceof z.ZodObject && 'idempotency_key' in contract.input.shape,
      otherForms: (forms ?? []).slice(1).map(({ mediaType }) => mediaType),
    },
    answer: (raw, exchange, deps) => {
      const { form, unknown } = negotiate(raw.query, exchange.request);
      const valid = validate(raw, exchange, unknown);
      const given = showsNoArchive ? valid : withinFence(valid, asOfPart, exchange.caller);
      const idempotencyKey = exchange.request.get('idempotency-key') || ownKey(contract);
      const isGiven = (parameter: string): boolean => queryValues(raw.query).has(parameter);
      const input = row.input(given, { idempotencyKey, form: form?.id, isGiven });
      return completion(
        deps.forward({
          contract,
          input,
          exchange,
          path,
          form,
          revalidates,
          ...(cacheable ? { cacheable: cacheable(given) } : {}),
        }),
      );
    },
  };
};

/** A request without a key gets one, so that it is sent again if a server dies on its way. */
const ownKey = ({ repeats }: Contract): string | undefined => (repeats === 'with key' ? randomUUID() : undefined);

/** Validates a request, and notes what the endpoint does not know. */
const validated =
  <S extends Shapes>(validate: Validate<S>) =>
  (raw: Raw, { request, response }: Exchange, accept: Unknown | undefined): Given<S> => {
    const { given, notices } = validate(raw, { strict: isStrict(request.headers), accept });
    addNotices(response, notices);
    return given;
  };

const json = { id: 'json', mediaType: 'application/json', isText: true };
const negotiateJson = negotiateForm([json]);

const jsonOnly = (_query: string, request: Exchange['request']): { form: undefined; unknown: Unknown | undefined } => ({
  form: undefined,
  unknown: negotiateJson(request).unknown,
});

/** A file is sent as it is. A client may also accept only the JSON of its errors. */
const formsOf = (success: Success): Forms<string> => {
  if ('json' in success) return [json];
  const types = 'files' in success ? success.files : ['text/event-stream'];
  const [first = json, ...others] = types.map((mediaType) => ({ id: mediaType, mediaType, isText: true }));
  return [first, ...others, { ...json, id: 'error' }];
};

/** The parameter `format` precedes `Accept`. Its validation rejects other values. */
const formNegotiator = <F extends string>(forms: Forms<F>) => {
  const negotiate = negotiateForm<F>(forms);
  return (query: string, request: Exchange['request']): { form: Form<F>; unknown: Unknown | undefined } => {
    const named = query.includes('format=') ? queryValues(query).get('format') : undefined;
    const form = named === undefined ? undefined : forms.find(({ id }) => id === named);
    return form === undefined ? negotiate(request) : { form, unknown: undefined };
  };
};

/** A sent answer needs no promise. */
export const completion = (sending: SendResult): Promise<void> | void => (sending === 'sent' ? undefined : sending);

export const local = <S extends Shapes>(row: LocalRow<S>): Route => {
  const { method, path, doc, given, success } = row;
  const { errors = [], hasEtag = false, isIdempotent = false, costs = false, together } = row;
  const { limitsToFence = false, isFor } = row;
  const asOfPart = asOfPartOf(given);
  const validate = validated(validator(given, { costs, together }));
  const negotiate = negotiateForm(formsOf(success));
  return {
    method,
    path,
    takesBody: given.body !== undefined || costs,
    isHidden: isFor !== undefined,
    operation: {
      doc,
      given,
      success,
      errors,
      hasEtag,
      takesFence: limitsToFence,
      isIdempotent,
      otherForms: [],
    },
    answer: (raw, exchange, deps) => {
      if (isFor?.(exchange.caller) === false) throw pathNotFound();
      if (asOfPart === undefined && !limitsToFence) refuseFenced(exchange.caller);
      const valid = validate(raw, exchange, negotiate(exchange.request).unknown);
      return row.answer(limitsToFence ? valid : withinFence(valid, asOfPart, exchange.caller), exchange, deps);
    },
  };
};
