import {
  acknowledgementOf,
  type AdminBus,
  backedUpConsumers,
  deadLetterStream,
  isAboutUnreadable,
  messageOfDeadLetter,
  openDeadLetters,
  retryDeadLetter,
} from '@almanac/bus';
import { pluralize } from '@almanac/runtime';
import type { StoredMsg } from '@nats-io/jetstream';
import { clean, moment } from '../history/format.js';
import type { CliContext, Command } from './command.js';
import { UsageError } from '../error-message.js';

interface DeadLetter {
  /** Sequence in the stream of dead letters. Commands use it as the number. */
  readonly seq: number;
  readonly timeUs: number;
  readonly durable: string;
  /** The message that could not be processed. */
  readonly message: ReturnType<typeof messageOfDeadLetter>;
  /** The subject of the acknowledgement, for a message that is no event. It belongs to no consumer. */
  readonly acknowledgement: string | undefined;
}

export const deadLetterRetry: Command = {
  words: 'dead-letters retry',
  takes: 'NUMBER|all',
  subjects: ['all'],
  does: 'Makes the service process the event again, and removes the dead letter if this succeeds.',
  options: [],
  hasSubject: true,
  run: async (cliContext) => {
    let failed = 0;
    for (const letter of await chosen(cliContext, 'consumer')) {
      const outcome = await retryDeadLetter(cliContext.bus, { durable: letter.durable, seq: letter.message.sequence });
      if (outcome.done) await cliContext.bus.jsm.streams.deleteMessage(deadLetterStream, letter.seq);
      else failed += 1;
      cliContext.show(
        [{ number: letter.seq, consumer: letter.durable, ...outcome }],
        `${letter.seq} (${letter.durable}): ${outcome.done ? 'done' : `still fails: ${clean(outcome.why)}`}`,
      );
    }
    if (failed > 0) throw new UsageError(`${pluralize(failed, 'dead letter')} could not be processed.`);
  },
};

export const deadLetterDrop: Command = {
  words: 'dead-letters drop',
  takes: 'NUMBER|all [--yes]',
  subjects: ['all'],
  does: 'Removes dead letters permanently. Their events stay in their own streams.',
  options: ['yes'],
  hasSubject: true,
  run: async (cliContext) => {
    const letters = await chosen(cliContext, 'consumer');
    const prompt = `The work of ${pluralize(letters.length, 'dead letter')} will never be done.`;
    if (!cliContext.yes) {
      if (cliContext.confirm === null) throw new UsageError(`${prompt} To confirm, add --yes.`);
      if (!(await cliContext.confirm(prompt))) throw new UsageError('Nothing was removed.');
    }
    for (const { seq } of letters) await cliContext.bus.jsm.streams.deleteMessage(deadLetterStream, seq);
    cliContext.show([{ removed: letters.length }], `Removed ${pluralize(letters.length, 'dead letter')}.`);
  },
};

export const deadLetterAcknowledge: Command = {
  words: 'dead-letters acknowledge',
  takes: 'NUMBER|all',
  subjects: ['all'],
  does: 'Marks messages that are no events as examined, which ends their alert. They stay in their streams.',
  options: [],
  hasSubject: true,
  run: async (cliContext) => {
    const letters = await chosen(cliContext, 'unreadable');
    for (const { acknowledgement } of letters) {
      if (acknowledgement !== undefined) await cliContext.bus.js.publish(acknowledgement);
    }
    cliContext.show([{ acknowledged: letters.length }], `Acknowledged ${pluralize(letters.length, 'message')}.`);
  },
};

export const deadLetterList: Command = {
  words: 'dead-letters',
  takes: '',
  does: 'Lists events that no consumer could process and messages that are no events, with number and reason.',
  options: [],
  hasSubject: false,
  run: async ({ bus, show }) => {
    let found = 0;
    for await (const { seq, timeUs, durable, message } of deadLetters(bus)) {
      found += 1;
      const { subject, sequence, reason } = message;
      show(
        [{ number: seq, ts: timeUs / 1e6, consumer: durable, subject, event_seq: sequence, reason }],
        `${seq}  ${moment(timeUs)}  ${durable}  ${subject} (${sequence})\n    ${clean(reason)}`,
      );
    }
    show([], found === 0 ? 'No dead letters.' : pluralize(found, 'dead letter'));
  },
};

type Kind = 'consumer' | 'unreadable';

/** `all` selects the dead letters that the command can handle. */
const chosen = async ({ bus, subject }: CliContext, kind: Kind): Promise<DeadLetter[]> => {
  if (subject === undefined || !/^(all|[1-9]\d*)$/.test(subject)) {
    throw new UsageError(
      'Name the dead letter by its number, or use all. To list the numbers, run: npm run almanac -- dead-letters',
    );
  }
  const letters: DeadLetter[] = [];
  for await (const letter of deadLetters(bus)) {
    const isOfKind = (letter.acknowledgement === undefined) === (kind === 'consumer');
    if (subject === 'all' ? isOfKind : letter.seq === Number(subject)) letters.push(letter);
    if (letter.seq === Number(subject) && !isOfKind) throw new UsageError(otherKind[kind]);
  }
  if (letters.length === 0)
    throw new UsageError(subject === 'all' ? 'No dead letters.' : `No dead letter has the number ${subject}.`);
  return letters;
};

const otherKind: Readonly<Record<Kind, string>> = {
  consumer: 'The message of this dead letter is not an event. Use dead-letters acknowledge.',
  unreadable: 'This dead letter belongs to a consumer. Use dead-letters retry or dead-letters drop.',
};

async function* deadLetters(bus: AdminBus): AsyncGenerator<DeadLetter, void, void> {
  const { state } = await bus.jsm.streams.info(deadLetterStream);
  if (state.messages === 0) return;
  const { unreadable } = await openDeadLetters(bus);
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    // A removed dead letter has no message.
    const message = await bus.jsm.streams.getMessage(deadLetterStream, { seq });
    if (message === null) continue;
    const { subject } = message;
    if (unreadable.has(subject)) yield letterOf(message, acknowledgementOf(subject));
    else if (!isAboutUnreadable(subject)) yield letterOf(message, undefined);
  }
}

const letterOf = ({ seq, time, subject, header }: StoredMsg, acknowledgement: string | undefined): DeadLetter => ({
  seq,
  timeUs: time.getTime() * 1_000,
  durable:
    acknowledgement === undefined
      ? (backedUpConsumers.find(({ durable }) => subject.endsWith(`.${durable}`))?.durable ?? subject)
      : 'unreadable',
  message: messageOfDeadLetter(header),
  acknowledgement,
});
