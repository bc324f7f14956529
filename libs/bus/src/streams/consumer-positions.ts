import { type ConsumerConfig, type ConsumerInfo, DeliverPolicy } from '@nats-io/jetstream';
import { z } from 'zod';
import { type Bus, unlessMissing } from '../bus.js';
import { rawJetStream } from '../connection/raw-jetstream.js';

/** The position of a durable consumer: it acknowledged every event up to `acknowledged`, and perhaps later ones. */
export const positionSchema = z.object({
  stream: z.string(),
  durable: z.string(),
  acknowledged: z.int(),
  config: z.custom<ConsumerConfig>((value) => z.looseObject({}).safeParse(value).success),
});
export type Position = z.output<typeof positionSchema>;

/**
 * The stored sequence up to which a consumer has acknowledged, or before which it started. The server reports 0 as the floor
 * of a consumer that has got no event.
 */
export const acknowledgedFloor = ({ ack_floor, config }: ConsumerInfo): number =>
  Math.max(ack_floor.stream_seq, (config.opt_start_seq ?? 1) - 1);

export const positionsOf = async (
  bus: Bus,
  consumers: readonly { stream: string; durable: string }[],
): Promise<Position[]> => {
  const found: Position[] = [];
  for (const { stream, durable } of consumers) {
    const info = await unlessMissing(bus[rawJetStream].jsm.consumers.info(stream, durable));
    if (info) found.push({ stream, durable, acknowledged: acknowledgedFloor(info), config: info.config });
  }
  return found;
};

/** Creates a consumer that continues after the acknowledged position. */
export const restorePosition = async (bus: Bus, { stream, acknowledged, config }: Position): Promise<void> => {
  const { opt_start_seq: _before, ...settings } = config;
  const start =
    acknowledged === 0
      ? { deliver_policy: DeliverPolicy.All }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: acknowledged + 1 };
  await bus[rawJetStream].jsm.consumers.add(stream, { ...settings, ...start });
};
