import type { Contract, StreamName } from '@almanac/contracts';
import type { SpanOptions } from '@almanac/runtime';

/** Some collectors know only the older name, which the conventions deprecate. */
const rpcSystem = { 'rpc.system.name': 'nats', 'rpc.system': 'nats' } as const;
const messagingSystem = { 'messaging.system.name': 'nats', 'messaging.system': 'nats' } as const;

const rpcSpan = (kind: 'client' | 'server', { service, method }: Contract): SpanOptions => {
  const name = `${service}/${method}`;
  return { kind, name, attributes: { ...rpcSystem, 'rpc.method': name } };
};

export const rpcClientSpan = (contract: Contract): SpanOptions => rpcSpan('client', contract);
export const rpcServerSpan = (contract: Contract): SpanOptions => rpcSpan('server', contract);

/** `eventId` is the message id, which the stream uses for deduplication. */
export const producerSpan = (stream: StreamName, eventId: string): SpanOptions => ({
  kind: 'producer',
  name: `publish ${stream}`,
  attributes: {
    ...messagingSystem,
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'publish',
    'messaging.destination.name': stream,
    'messaging.message.id': eventId,
  },
});

/** The span of one delivery to a handler. `delivery` counts from 1. */
export const consumerSpan = (
  { stream, durable }: { stream: StreamName; durable: string },
  delivery: number,
): SpanOptions => ({
  kind: 'consumer',
  name: `process ${durable}`,
  attributes: {
    ...messagingSystem,
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': stream,
    'messaging.consumer.group.name': durable,
    'almanac.delivery': delivery,
  },
});
