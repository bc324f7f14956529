import { type StreamName, streams, type UserName, userNames } from '@almanac/contracts';
import { type Rights, rights } from '../rights/rights.js';

type Consumed = NonNullable<Rights['consumes']>;

/** The rights of a user as tests use them: every list is given, and an append has ids that the pattern admits. */
interface Access extends Pick<Required<Rights>, 'owns' | 'reads' | 'follows' | 'keeps'> {
  readonly appends: readonly (readonly [StreamName, string])[];
  readonly consumes: readonly (readonly [StreamName, string])[];
  readonly subscribesTo: readonly (readonly [StreamName, string])[];
}

export const allStreams = Object.keys(streams) as StreamName[];

/** Users have different ids, because each begins a state of its own. */
const appended = (user: UserName, pattern: string): readonly [StreamName, string][] => {
  const [, token, ...ids] = pattern.split('.');
  return allStreams
    .filter((stream) => streams[stream] === token)
    .flatMap((stream) =>
      ids.join('.') === '>'
        ? [user, `${user}.a.b`].map((id): [StreamName, string] => [stream, id])
        : [[stream, ids.join('.').replaceAll('*', user)]],
    );
};

const pairs = (consumed: Consumed = []) => consumed.map(({ stream, durable }) => [stream, durable] as const);

const accessOf = (user: UserName): Access => {
  const { owns = [], reads = [], follows = [], keeps = [], appends = [], consumes, subscribesTo } = rights[user];
  return {
    owns,
    reads,
    follows,
    keeps,
    appends: appends.flatMap((pattern) => appended(user, pattern)),
    consumes: pairs(consumes),
    subscribesTo: pairs(subscribesTo),
  };
};

export const accessByUser = Object.fromEntries(userNames.map((user) => [user, accessOf(user)])) as Readonly<
  Record<UserName, Access>
>;
