import type { DeadLetter } from '@almanac/contracts';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Bus } from '../bus.js';
import { acknowledgedPrefix, deadLetterStream, subjects, unreadablePrefix } from '../names.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { requestContextHeaders } from '../tracing/trace-propagation.js';

const reasonMax = 1_000;
const deadPrefix = subjects.dead('');

/** The headers of a dead letter: the message that could not be processed, and the reason. */
export const deadLetterHeaders = (message: { subject: string; seq: number }, error: unknown): MsgHdrs => {
  const reason = String(error instanceof Error ? error.message : error).slice(0, reasonMax);
  const messageHeaders = requestContextHeaders();
  messageHeaders.set('Almanac-Subject', message.subject);
  messageHeaders.set('Almanac-Sequence', String(message.seq));
  messageHeaders.set('Almanac-Reason', reason.replaceAll(/[^\x20-\x7e]/g, ' '));
  return messageHeaders;
};

/** What the headers of a dead letter say of its message. */
export const messageOfDeadLetter = (
  letterHeaders: MsgHdrs | undefined,
): Pick<DeadLetter, 'subject' | 'sequence' | 'reason'> => ({
  subject: letterHeaders?.get('Almanac-Subject') ?? '',
  sequence: Number(letterHeaders?.get('Almanac-Sequence') ?? 0),
  reason: letterHeaders?.get('Almanac-Reason') ?? '',
});

export interface OpenDeadLetters {
  /** How many dead letters each durable consumer has. */
  readonly ofConsumers: ReadonlyMap<string, number>;
  /** Subjects of dead letters of unreadable messages that no operator has acknowledged. */
  readonly unreadable: ReadonlySet<string>;
}

/** The dead letters that wait for the operator. An acknowledged one stays in the stream until it expires. */
export const openDeadLetters = async (bus: Bus): Promise<OpenDeadLetters> => {
  const { state } = await bus[rawJetStream].jsm.streams.info(deadLetterStream, { subjects_filter: subjects.dead('*') });
  const counts = new Map(Object.entries(state.subjects ?? {}));
  const unreadable = new Set<string>();
  const ofConsumers = new Map<string, number>();
  for (const [subject, count] of counts) {
    if (subject.startsWith(acknowledgedPrefix)) continue;
    if (!subject.startsWith(unreadablePrefix)) ofConsumers.set(subject.slice(deadPrefix.length), count);
    else if (!counts.has(acknowledgementOf(subject))) unreadable.add(subject);
  }
  return { ofConsumers, unreadable };
};

const unreadableSubject = /^dead\.unreadable-(.+)-(\d+)$/;

/** The stream and the sequence that the subject of a dead letter of an unreadable message has. */
export const unreadableMessageOf = (subject: string): { stream: string; sequence: number } => {
  const [, stream = subject, sequence = '0'] = unreadableSubject.exec(subject) ?? [];
  return { stream, sequence: Number(sequence) };
};

/** The subject that marks the dead letter of an unreadable message as examined. */
export const acknowledgementOf = (subject: string): string =>
  `${acknowledgedPrefix}${subject.slice(unreadablePrefix.length)}`;

/** Whether a message of the stream is a dead letter of an unreadable message, or an acknowledgement of one. */
export const isAboutUnreadable = (subject: string): boolean =>
  subject.startsWith(unreadablePrefix) || subject.startsWith(acknowledgedPrefix);
