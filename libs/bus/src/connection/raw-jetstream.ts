import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';

/**
 * The key of the JetStream clients in a `Bus`. The package does not export it, so other packages read JetStream only
 * through functions that report an outage as `unavailable` (jetstream-reads.ts).
 */
export const rawJetStream: unique symbol = Symbol('JetStream clients');

export interface JetStreamClients {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
}
