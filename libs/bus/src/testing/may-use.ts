import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { isPermissionViolation } from '../bus.js';

/** The server refuses a message before it answers the PING that follows. Without a refusal the message was accepted. */
export const mayPublishOn = async (connection: NatsConnection, subject: string): Promise<boolean> => {
  let refused = false;
  const judge = (error: unknown): void => void (refused ||= isPermissionViolation(error));
  connection.request(subject, '', { timeout: 60_000 }).then(undefined, judge);
  await connection.flush();
  await turn();
  return !refused;
};

/** The server refuses a subscription before it answers the PING that follows. */
export const maySubscribeOn = async (connection: NatsConnection, subject: string): Promise<boolean> => {
  let refused: Error | undefined;
  const subscription = connection.subscribe(subject, { callback: (error) => void (refused ??= error ?? undefined) });
  await connection.flush();
  await turn();
  subscription.unsubscribe();
  if (refused === undefined) return true;
  assert.ok(isPermissionViolation(refused), refused.message);
  return false;
};
