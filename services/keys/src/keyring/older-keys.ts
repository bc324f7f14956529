import { type Bus, nextMessage, readEvent, subjects } from '@almanac/bus';
import { type KeyringState, keyringState, type StoredKey } from '@almanac/contracts';
import { revokedKeys } from './keyring.decider.js';

/** A state of a keyring, and the sequence of its event. The keys that it lists were all revoked before `seq`. */
interface KeyringAt {
  readonly state: KeyringState;
  readonly seq: number;
}

/** Where earlier revoked keys begin: before `id` was revoked, which the event at `seq` or an earlier one did. */
export interface OlderPosition {
  readonly seq: number;
  readonly id: string;
}

export interface OlderKeys {
  /** Up to 99 keys, the last revoked one first. */
  readonly keys: readonly StoredKey[];
  readonly next: OlderPosition | null;
}

/** The position after the revoked keys of a state, or null if it has all that there ever were. */
const positionAfter = ({ state, seq }: KeyringAt): OlderPosition | null => {
  const revoked = revokedKeys(state.keys);
  const last = revoked.at(-1);
  return last !== undefined && (state.revoked_n ?? 0) > revoked.length ? { seq, id: last.id } : null;
};

/** All keys in the state, newest first. */
export const newestKeys = (loaded: KeyringAt | undefined): OlderKeys =>
  loaded === undefined
    ? { keys: [], next: null }
    : { keys: loaded.state.keys.toReversed(), next: positionAfter(loaded) };

/**
 * Reads the keys that were revoked before those of a later state. The event that revoked a key has the keys revoked
 * before it, so one page is the state of one event. A binary search finds it: about 20 reads in a stream of a million
 * events, however many keys the account had.
 */
export const olderKeys = async (bus: Bus, account: string, { seq, id }: OlderPosition): Promise<OlderKeys> => {
  const found = await revocationOf(bus, account, { seq, id });
  if (found === undefined) return { keys: [], next: null };
  return { keys: revokedKeys(found.state.keys).filter((key) => key.id !== id), next: positionAfter(found) };
};

/** The first state of the account up to `seq` in which the key is revoked. */
const revocationOf = async (bus: Bus, account: string, { seq, id }: OlderPosition): Promise<KeyringAt | undefined> => {
  let found: KeyringAt | undefined;
  let [from, upTo] = [1, seq];
  while (from <= upTo) {
    const middle = Math.floor((from + upTo) / 2);
    const at = await keyringFrom(bus, account, middle);
    if (at === undefined) return found;
    if (isRevoked(at.state, id)) {
      found = at;
      upTo = middle - 1;
    } else {
      from = at.seq + 1;
    }
  }
  return found;
};

const isRevoked = ({ keys }: KeyringState, id: string): boolean =>
  keys.some((key) => key.id === id && key.revoked_us !== null);

/** The account's first state at or after a sequence. */
const keyringFrom = async (bus: Bus, account: string, seq: number): Promise<KeyringAt | undefined> => {
  const message = await nextMessage(bus, 'EVT_KEYS', { subject: subjects.keyring(account), seq });
  if (message === null) return undefined;
  const { event, seq: at } = readEvent(message, keyringState);
  return { state: event.state, seq: at };
};
