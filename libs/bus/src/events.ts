import type { StoredEvent } from '@almanac/contracts';
import { z } from 'zod';

const envelope = z.looseObject({
  id: z.string(),
  type: z.string(),
  version: z.literal(1),
  time: z.int(),
  account: z.string().nullable(),
});

export interface EventMessage<State = unknown> {
  readonly subject: string;
  readonly seq: number;
  readonly event: StoredEvent<State>;
}

/**
 * Parses a stored message as an event and checks its state with `state`. Throws a ZodError or a SyntaxError for an
 * unreadable message. Reading it again cannot help, so a consumer stores it as a dead letter at once.
 */
export const readEvent = <State>(
  message: { subject: string; seq: number; data: Uint8Array },
  state: z.ZodType<State>,
): EventMessage<State> => {
  const { subject, seq, data } = message;
  const parsed: unknown = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8'));
  const { data: eventData, state: stored, ...rest } = envelope.parse(parsed);
  return { subject, seq, event: { ...rest, data: eventData, state: state.parse(stored) } };
};
