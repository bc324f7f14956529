import { beginSpanOfCall, errorTypeOf, type SpanOptions } from '@almanac/runtime';
import type { Redis } from 'ioredis';

/**
 * Makes a span of each command that is sent for work that has one. The client's own diagnostics channel would first make
 * a text of all that is sent, which may be a preview of 100 KB.
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
