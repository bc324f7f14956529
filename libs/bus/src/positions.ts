import { type ConsumerConfig, DeliverPolicy } from '@nats-io/jetstream';
import { z } from 'zod';
import { type Bus, isNotFound } from './bus.js';

/** How far a durable consumer was: it had acknowledged every event up to `acknowledged`, and perhaps some beyond. */
export const positionSchema = z.object({
  stream: z.string(),
  durable: z.string(),
  acknowledged: z.int(),
  config: z.custom<ConsumerConfig>((value) => z.looseObject({}).safeParse(value).success),
});
export type Position = z.output<typeof positionSchema>;

/** The positions of those durable consumers that are there. */
export const positionsOf = async (
  bus: Bus,
  consumers: readonly { stream: string; durable: string }[],
): Promise<Position[]> => {
  const found: Position[] = [];
  for (const { stream, durable } of consumers) {
    try {
      const { config, ack_floor: floor } = await bus.jsm.consumers.info(stream, durable);
      found.push({ stream, durable, acknowledged: floor.stream_seq, config });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return found;
};

/** Makes a consumer that goes on behind what was acknowledged. */
export const restorePosition = async (bus: Bus, { stream, acknowledged, config }: Position): Promise<void> => {
  const { opt_start_seq: _before, ...settings } = config;
  const start =
    acknowledged === 0
      ? { deliver_policy: DeliverPolicy.All }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: acknowledged + 1 };
  await bus.jsm.consumers.add(stream, { ...settings, ...start });
};
