import { JetStreamApiError } from '@nats-io/jetstream';
import { type Bus, hasNoResponders, isPermissionViolation } from '../bus.js';
import { rawJetStream } from '../connection/raw-jetstream.js';

/** `off`: the server has ended JetStream, as after a failed write, and needs a restart. `silent`: no answer in time. */
export type JetStreamAnswer = 'answers' | 'off' | 'silent';

/** Requests the state of each stream, because a single stream can hang. A stream that does not exist is an answer. */
export const probeJetStream = async (
  { [rawJetStream]: { jsm } }: Pick<Bus, typeof rawJetStream>,
  streams: readonly string[],
): Promise<JetStreamAnswer> => {
  const answers = await Promise.all(streams.map((stream) => jsm.streams.info(stream).then(() => null, answerOf)));
  return answers.find((answer) => answer !== null) ?? 'answers';
};

const answerOf = (error: unknown): JetStreamAnswer | null => {
  if (error instanceof JetStreamApiError || isPermissionViolation(error)) return null;
  // The client does not export the class of the second.
  return hasNoResponders(error) || (error instanceof Error && error.name === 'JetStreamNotEnabled') ? 'off' : 'silent';
};

const everyMs = 5_000;
const failingEveryMs = 1_000;
/** A busy server with millions of messages can be silent for some time. */
const silentMsMax = 15_000;

/** A check that probes streams in the background. A sentence if JetStream cannot serve this process, else null. */
export const jetStreamCheck = (bus: Bus, streams: readonly string[]): (() => string | null) => {
  let answer: JetStreamAnswer = 'answers';
  let failsSince: number | null = null;
  let probedAt = Number.NEGATIVE_INFINITY;
  let running = false;
  const probe = async (): Promise<void> => {
    running = true;
    probedAt = performance.now();
    answer = await probeJetStream(bus, streams);
    failsSince = answer === 'answers' ? null : (failsSince ?? probedAt);
    running = false;
  };
  return () => {
    const sinceMs = performance.now() - probedAt;
    if (!running && sinceMs >= (failsSince === null ? everyMs : failingEveryMs)) void probe();
    if (answer === 'off') return 'JetStream has ended, as after a full disk: free disk space and restart nats-server';
    if (failsSince === null || performance.now() - failsSince < silentMsMax) return null;
    return `JetStream has not answered for ${Math.round((performance.now() - failsSince) / 1_000)} s`;
  };
};
