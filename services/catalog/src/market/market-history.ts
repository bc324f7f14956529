import {
  type DatedField,
  datedFields,
  historyLimits,
  type Knowledge,
  type KnownValues,
  unknownTime,
} from '@almanac/contracts';
import { isBetter, rankOf, timeOf } from '../knowledge-order.js';

/** A value of a field, and when it was known. */
interface Version extends Knowledge {
  readonly field: DatedField;
  readonly value: string;
}

/**
 * Merges what sources state, in any order and number. A value of a field has one knowledge time: that of the best basis,
 * then the earliest. So a repeated statement changes nothing, and a value that returns has its first time. Of too many
 * values, the earliest stay. A value that is too long to store stays undated.
 */
export const mergeHistory = (known: readonly KnownValues[], stated: readonly KnownValues[]): readonly KnownValues[] => {
  if (stated.length === 0) return known;
  const versions = new Map<string, Version>();
  for (const version of [...known, ...stated].flatMap(versionsIn)) {
    const key = `${version.field} ${version.value}`;
    const other = versions.get(key);
    if (other === undefined || isBetter(version, other)) versions.set(key, version);
  }
  const remaining = [...Map.groupBy(versions.values(), ({ field }) => field).values()].flatMap((ofField) =>
    ofField.toSorted(inOrder).slice(0, historyLimits(ofField[0]?.field ?? 'title').versions),
  );
  return groupsOf(remaining.toSorted(inOrder));
};

const versionsIn = ({ values, known_us, basis }: KnownValues): readonly Version[] =>
  datedFields.flatMap((field) => {
    const value = values[field]?.toWellFormed() ?? '';
    const isStored = value !== '' && value.length <= historyLimits(field).chars;
    return !isStored ? [] : [{ field, value, ...(known_us === null ? unknownTime : { known_us, basis }) }];
  });

/** Total, so equal histories are equal lists. */
const inOrder = (one: Version, other: Version): number => {
  const [a, b] = [timeOf(one), timeOf(other)];
  if (a !== b) return a < b ? -1 : 1;
  return rankOf(one) - rankOf(other) || compare(one.field, other.field) || compare(one.value, other.value);
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

/** When a value was known. Null if no source states it. */
export const knownUsOf = (history: readonly KnownValues[], field: DatedField, value: string): number | null =>
  history.find(({ values }) => values[field] === value)?.known_us ?? null;
