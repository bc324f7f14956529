import {
  type DatedField,
  datedFields,
  historyLimits,
  type Knowledge,
  type KnownValues,
  unknownTime,
  versionsOf,
} from '@almanac/contracts';
import { rankOf, timeOf } from '../facts/knowledge-order.js';

/** A value of a field, and when it was known. */
interface Version extends Knowledge {
  readonly field: DatedField;
  readonly value: string;
}

/**
 * Merges what sources state, in any order and number. Every dated statement stays, because a value that returns, such as
 * the status of a market that is opened again, can only be placed among all of them. Of one value, only statements of the
 * best basis count. Of too many statements of a field, those between two equal ones go first, then the latest. A value
 * that is too long to store stays undated.
 */
export const mergeHistory = (known: readonly KnownValues[], stated: readonly KnownValues[]): readonly KnownValues[] => {
  if (stated.length === 0) return known;
  const versions = [...known, ...stated].flatMap(versionsIn);
  const ranks = new Map<string, number>();
  for (const version of versions) {
    const key = keyOf(version);
    ranks.set(key, Math.min(ranks.get(key) ?? Infinity, rankOf(version)));
  }
  const best = versions.filter((version) => rankOf(version) === ranks.get(keyOf(version)));
  const once = new Map(best.map((version) => [`${keyOf(version)} ${version.known_us ?? ''}`, version]));
  const remaining = [...Map.groupBy(once.values(), ({ field }) => field).values()].flatMap((ofField) => {
    const max = historyLimits(ofField[0]?.field ?? 'title').versions;
    const sorted = ofField.toSorted(inOrder);
    return (sorted.length > max ? sorted.filter(isEndOfRun) : sorted).slice(0, max);
  });
  return groupsOf(remaining.toSorted(inOrder));
};

const keyOf = ({ field, value }: Version): string => `${field} ${value}`;

/** Whether another value is before or after it. */
const isEndOfRun = ({ value }: Version, at: number, all: readonly Version[]): boolean =>
  all[at - 1]?.value !== value || all[at + 1]?.value !== value;

const versionsIn = ({ values, known_us, basis }: KnownValues): readonly Version[] =>
  datedFields.flatMap((field) => {
    const value = values[field]?.toWellFormed();
    // An empty text takes a value back, which only a time makes a statement.
    const isStored = value !== undefined && (value !== '' || known_us !== null);
    return !isStored || value.length > historyLimits(field).chars
      ? []
      : [{ field, value, ...(known_us === null ? unknownTime : { known_us, basis }) }];
  });

/** Total, so equal histories are equal lists. */
const inOrder = (one: Version, other: Version): number => {
  const [a, b] = [timeOf(one), timeOf(other)];
  if (a !== b) return a < b ? -1 : 1;
  // Of one time, the best basis is the last.
  return rankOf(other) - rankOf(one) || compare(one.field, other.field) || compare(one.value, other.value);
};

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** The versions of one time together, which takes less than half of the space. A second value of a field is a new item. */
const groupsOf = (versions: readonly Version[]): readonly KnownValues[] => {
  const groups: { known_us: number | null; basis: Knowledge['basis']; values: KnownValues['values'] }[] = [];
  for (const { field, value, known_us, basis } of versions) {
    const isSame = (group: Knowledge): boolean => group.known_us === known_us && group.basis === basis;
    const group = groups.find((one) => isSame(one) && one.values[field] === undefined);
    if (group === undefined) groups.push({ known_us, basis, values: { [field]: value } });
    else group.values[field] = value;
  }
  return groups;
};

/** The newest dated statement of a field. Undefined without one, and if the newest may have found no place. */
export const newestOf = (history: readonly KnownValues[], field: DatedField): string | undefined => {
  const versions = versionsOf(history, field);
  if (versions.length >= historyLimits(field).versions) return undefined;
  return versions.findLast(({ known_us }) => known_us !== null)?.value;
};
