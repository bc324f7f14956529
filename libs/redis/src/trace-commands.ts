import { beginSpanOfCall, errorTypeOf, type SpanOptions } from '@almanac/runtime';
import type { Redis } from 'ioredis';

/**
 * Creates a span for each command sent within a recorded span. The client's own diagnostics channel would first
 * convert all arguments to text, perhaps a preview of 100 KB.
 */
export const traceCommands = (redis: Redis): void => {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    const span = beginSpanOfCall(() => commandSpan(command.name));
    if (span !== undefined) {
      command.promise.then(
        () => span.end(),
        (error: unknown) => {
          span.fail(errorTypeOf(error));
          span.end();
        },
      );
    }
    return send(command, stream);
  };
};

const commandSpan = (name: string): SpanOptions => {
  const operation = name.toUpperCase();
  return {
    kind: 'client',
    name: operation,
    attributes: { 'db.system.name': 'redis', 'db.operation.name': operation },
  };
};
