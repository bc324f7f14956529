import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import { isPermissionViolation } from '../bus.js';

/** Which of the subjects the connection may publish. The server refuses a message before it answers the PING that follows. */
export const publishable = async (connection: NatsConnection, subjects: readonly string[]): Promise<string[]> => {
  const refused = new Set<string>();
  const statuses = connection.status();
  void (async () => {
    for await (const status of statuses) {
      if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue;
      if (status.error.operation === 'publish') refused.add(status.error.subject);
    }
  })();
  for (const subject of subjects) connection.publish(subject);
  await connection.flush();
  await turn();
  return subjects.filter((subject) => !refused.has(subject));
};

/** Which of the subjects the connection may receive. */
export const receivable = async (connection: NatsConnection, subjects: readonly string[]): Promise<string[]> => {
  const refusals = new Map<string, Error>();
  const subscriptions = subjects.map((subject) =>
    connection.subscribe(subject, { callback: (error) => void (error && refusals.set(subject, error)) }),
  );
  await connection.flush();
  await turn();
  for (const subscription of subscriptions) subscription.unsubscribe();
  for (const error of refusals.values()) assert.ok(isPermissionViolation(error), error.message);
  return subjects.filter((subject) => !refusals.has(subject));
};
