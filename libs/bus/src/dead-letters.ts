import type { MsgHdrs } from '@nats-io/transport-node';
import type { Bus } from './bus.js';
import { acknowledgedPrefix, deadLetterStream, subjects, unreadablePrefix } from './names.js';
import { rawJetStream } from './raw-jetstream.js';
import { requestContextHeaders } from './trace-propagation.js';

const reasonMax = 1_000;

/** The headers of a dead letter: the message that could not be processed, and the reason. */
export const deadLetterHeaders = (message: { subject: string; seq: number }, error: unknown): MsgHdrs => {
  const reason = String(error instanceof Error ? error.message : error).slice(0, reasonMax);
  const messageHeaders = requestContextHeaders();
  messageHeaders.set('Almanac-Subject', message.subject);
  messageHeaders.set('Almanac-Sequence', String(message.seq));
  messageHeaders.set('Almanac-Reason', reason.replaceAll(/[^\x20-\x7e]/g, ' '));
  return messageHeaders;
};

export interface OpenDeadLetters {
  /** Dead letters of consumers. */
  readonly ofConsumers: number;
  /** Subjects of dead letters of unreadable messages that no operator has acknowledged. */
  readonly unreadable: ReadonlySet<string>;
}

/** The dead letters that wait for the operator. An acknowledged one stays in the stream until it expires. */
export const openDeadLetters = async (bus: Bus): Promise<OpenDeadLetters> => {
  const { state } = await bus[rawJetStream].jsm.streams.info(deadLetterStream, { subjects_filter: subjects.dead('*') });
  const counts = new Map(Object.entries(state.subjects ?? {}));
  const unreadable = new Set<string>();
  let ofConsumers = 0;
  for (const [subject, count] of counts) {
    if (subject.startsWith(acknowledgedPrefix)) continue;
    if (!subject.startsWith(unreadablePrefix)) ofConsumers += count;
    else if (!counts.has(acknowledgementOf(subject))) unreadable.add(subject);
  }
  return { ofConsumers, unreadable };
};

/** The subject that marks the dead letter of an unreadable message as examined. */
export const acknowledgementOf = (subject: string): string =>
  `${acknowledgedPrefix}${subject.slice(unreadablePrefix.length)}`;

/** Whether a message of the stream is a dead letter of an unreadable message, or an acknowledgement of one. */
export const isAboutUnreadable = (subject: string): boolean =>
  subject.startsWith(unreadablePrefix) || subject.startsWith(acknowledgedPrefix);
