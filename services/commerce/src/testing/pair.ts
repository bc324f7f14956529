import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before } from 'node:test';
import { inspect } from 'node:util';
import { DomainError, type ErrorCode } from '@almanac/contracts';
import { startFixture, type CommerceFixture } from './fixture.js';

/** For `assert.rejects`: an expected refusal with this code, and no other error. */
export const refusal = (code: ErrorCode) => (error: unknown) => {
  assert.ok(error instanceof DomainError, inspect(error));
  assert.equal(error.code, code);
  return true;
};

export const usd = (amount: number) => ({ amount, currency: 'USD' });

/** A decision that a test stores instead of the service, such as one that crashed halfway. */
export const decision = (account: string, subject: string) => ({
  subject,
  id: randomUUID(),
  account,
  time: 1,
  timeoutMs: 10_000,
});

export interface ProcessPair {
  readonly fixture: () => CommerceFixture;
  /** Records this many events in the catalogue. */
  readonly events: (n: number) => Promise<string[]>;
  /** Ends both processes, for a test that starts others. */
  readonly stopPair: () => Promise<void>;
}

const dayMs = 86_400_000;

/** A time that began at noon of yesterday, for tests of what counts by the UTC day. They never cross midnight. */
export const timeFromNoon = (): (() => number) => {
  const startedMs = Date.now();
  const noonMs = Math.floor(startedMs / dayMs) * dayMs - dayMs / 2;
  return () => (noonMs + Date.now() - startedMs) * 1_000;
};

/** Two processes of the service on one bus, for the tests of a file. */
export const withProcessPair = (nowUs?: () => number): ProcessPair => {
  let fixture: CommerceFixture | undefined;
  const services: { stop(): Promise<void> }[] = [];
  const started = (): CommerceFixture => fixture ?? assert.fail('not started');
  before(async () => {
    fixture = await startFixture();
    for (let n = 0; n < 2; n += 1) services.push(await fixture.start({}, nowUs));
  });
  const stopPair = async (): Promise<void> => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
  };
  after(async () => {
    await stopPair();
    await fixture?.stop();
  });
  return {
    fixture: started,
    stopPair,
    events: async (n) => {
      const made = Array.from({ length: n }, () => `EV-${randomUUID().slice(0, 8)}.5`);
      await Promise.all(made.map((event) => started().recordEvent(event, { title: `About ${event}`, series: 'EV' })));
      return made;
    },
  };
};
