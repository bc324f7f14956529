import type { ReplyMeta } from '@almanac/contracts';
import type { ReplyChunks } from './rpc-stream.js';

/** A reply with ready JSON bytes or with metadata. The compiler knows the value of `json`, and nothing of ready bytes. */
export class Reply<Value = never> {
  declare protected readonly value: Value;

  constructor(
    readonly bytes: Uint8Array,
    readonly meta: ReplyMeta = {},
  ) {}

  static json<Value>(value: Value, meta: ReplyMeta = {}): Reply<Value> {
    return new Reply(Buffer.from(JSON.stringify(value)), meta);
  }
}

/**
 * A reply whose length is not known before its end. `rest` fails soon after `abandon`, which the server calls when the
 * caller is gone or the process stops.
 */
export class StreamReply {
  constructor(
    readonly meta: ReplyMeta,
    readonly chunks: { readonly first: Uint8Array; readonly rest: ReplyChunks; readonly abandon: () => void },
  ) {}
}
