import { type AdminBus, type DiscardAnswer, discardNewerEvents, queryProcessStatus } from '@almanac/bus';
import type { ProcessStatus } from '@almanac/contracts';
import { pluralize } from '@almanac/runtime';
import { clean, moment } from '../history/format.js';
import type { CliContext, Command } from './command.js';
import { UsageError } from '../error-message.js';

/** An entity that newer events hold. */
interface HeldEntity extends DiscardAnswer {
  readonly subject: string;
  /** One of its newer events, as a process reported it. */
  readonly seq: number;
}

export const newerEventsDiscard: Command = {
  words: 'newer-events discard',
  takes: 'SUBJECT|all [--yes]',
  subjects: ['all'],
  does: 'Continues an account, file or market from the last event that this release can read. Later ones have no effect.',
  options: ['yes'],
  hasSubject: true,
  run: async (cliContext) => {
    const processes = await queryProcessStatus(cliContext.bus);
    requireOneRelease(processes);
    const chosen = await chosenOf(cliContext, processes);
    await confirm(cliContext, chosen);
    let failed = 0;
    for (const { subject, seq } of chosen) {
      const { newer, last, error } = await discardNewerEvents(cliContext.bus, { subject, seq, apply: true });
      if (error !== null) failed += 1;
      cliContext.show(
        [{ subject, discarded: error === null ? newer.length : 0, last, error }],
        error === null
          ? `${subject}: discarded ${pluralize(newer.length, 'event')}; ${continuation({ last })}`
          : `${subject}: not discarded: ${clean(error)}`,
      );
    }
    if (failed > 0) throw new UsageError(`${pluralize(failed, 'subject')} could not be changed.`);
  },
};

export const newerEventsList: Command = {
  words: 'newer-events',
  takes: '',
  does: 'Lists events that only a newer release can read, and that hold an account, file or market.',
  options: [],
  hasSubject: false,
  run: async ({ bus, show }) => {
    const held = await heldEntities(bus, await queryProcessStatus(bus));
    for (const { subject, newer, last, error } of held) {
      const events = newer.map(({ seq, type }) => `${clean(type)} (${seq})`).join(', ');
      show(
        [{ subject, newer, last, error }],
        `${subject}  ${error === null ? events : `not read: ${clean(error)}`}\n    ${continuation({ last })}`,
      );
    }
    show([], held.length === 0 ? 'No newer events.' : pluralize(held.length, 'subject'));
  },
};

const continuation = ({ last }: Pick<DiscardAnswer, 'last'>): string =>
  last === null ? 'no event can be read' : `last readable: ${clean(last.type)} (${last.seq}) of ${moment(last.time)}`;

/** While two releases run, the events are not wrong, and the newer release handles them. */
const requireOneRelease = (processes: readonly ProcessStatus[]): void => {
  const releases = [...new Set(processes.map(({ version }) => version))].toSorted();
  if (releases.length > 1) {
    throw new UsageError(
      `Processes of ${releases.join(' and ')} run. Finish the rollout first: it handles the events.`,
    );
  }
};

const heldEntities = async (bus: AdminBus, processes: readonly ProcessStatus[]): Promise<HeldEntity[]> => {
  const reported = new Map(processes.flatMap((one) => one.newer_events.map((event) => [event.subject, event.seq])));
  const held: HeldEntity[] = [];
  for (const [subject, seq] of reported) {
    const answer = await discardNewerEvents(bus, { subject, seq, apply: false });
    // Another process may have noted it before it was discarded.
    if (answer.error !== null || answer.newer.length > 0) held.push({ subject, seq, ...answer });
  }
  return held.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
};

const chosenOf = async ({ bus, subject }: CliContext, processes: readonly ProcessStatus[]): Promise<HeldEntity[]> => {
  if (subject === undefined || !(subject === 'all' || subject.startsWith('evt.'))) {
    throw new UsageError('Name the subject, or use all. To list the subjects, run: npm run almanac -- newer-events');
  }
  const held = await heldEntities(bus, processes);
  const listed = subject === 'all' ? held : held.filter((one) => one.subject === subject);
  if (listed.length > 0) return listed;
  // A process that started since then, and has not read the subject, does not report it.
  const answer = subject === 'all' ? undefined : await discardNewerEvents(bus, { subject, seq: 1, apply: false });
  if (answer !== undefined && answer.error !== null) throw new UsageError(`${subject}: ${clean(answer.error)}`);
  if (subject === 'all' || answer === undefined || answer.newer.length === 0) throw new UsageError('No newer events.');
  return [{ subject, seq: 1, ...answer }];
};

const confirm = async ({ yes, confirm: ask }: CliContext, chosen: readonly HeldEntity[]): Promise<void> => {
  const events = chosen.reduce((sum, { newer }) => sum + newer.length, 0);
  const prompt = `What ${pluralize(events, 'newer event')} of ${pluralize(chosen.length, 'subject')} say is lost.`;
  if (yes) return;
  if (ask === null) throw new UsageError(`${prompt} To confirm, add --yes.`);
  if (!(await ask(prompt))) throw new UsageError('Nothing was discarded.');
};
