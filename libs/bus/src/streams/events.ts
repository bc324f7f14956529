import {
  attachNewerFormat,
  eventFormats,
  isKnownType,
  newerFormatOf,
  parseCarrying,
  type StoredEvent,
  withPresentNames,
} from '@almanac/contracts';
import { z } from 'zod';
import { streamOf } from '../bus.js';
import { NewerEventError } from './newer-event.js';

const envelope = z.looseObject({
  id: z.string(),
  type: z.string(),
  version: z.int().min(1),
  time: z.int(),
  account: z.string().nullable(),
  data: z.unknown(),
  state: z.unknown(),
  /** Earlier releases wrote no format. */
  format: z.int().min(1).default(1),
});

export interface EventMessage<State = unknown> {
  readonly subject: string;
  readonly seq: number;
  readonly event: StoredEvent<State>;
}

/**
 * Parses a stored message as an event and checks its state with `state`. The state carries the fields that this release
 * does not know. Throws NewerEventError for an event that only a newer release can read. Throws a ZodError or a
 * SyntaxError for an unreadable message: reading it again cannot help, so a consumer stores it as a dead letter at once.
 */
export const readEvent = <State>(
  message: { subject: string; seq: number; data: Uint8Array },
  state: z.ZodType<State>,
): EventMessage<State> => {
  const { subject, seq, data } = message;
  const json: unknown = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8'));
  const { format, version, ...written } = envelope.parse(json);
  const stream = streamOf(subject);
  const isNewer = format > eventFormats[stream].format;
  const { data: eventData, state: stored, ...rest } = withPresentNames(stream, format, written);
  if (version !== 1 || (isNewer && !isReadable(state, rest.type, stored))) {
    throw new NewerEventError({ subject, seq, type: rest.type });
  }
  const parsed = parseCarrying(state, stored);
  if (isNewer) attachNewerFormat(parsed, format);
  return { subject, seq, event: { ...rest, version, data: eventData, state: parsed } };
};

const isReadable = (state: z.ZodType, type: string, stored: unknown): boolean =>
  isKnownType(state, type) && state.safeParse(stored).success;

/** Whether a newer release wrote the event, or one before it of the same subject. */
export const isOfNewerRelease = ({ event }: EventMessage): boolean => newerFormatOf(event.state) !== undefined;
