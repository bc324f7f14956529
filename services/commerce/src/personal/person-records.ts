import { createHash } from 'node:crypto';
import {
  type Bus,
  eraseMessage,
  isWrongSequence,
  lastMessage,
  personalStream,
  publishStored,
  subjects,
} from '@almanac/bus';
import { DomainError, person, type Person } from '@almanac/contracts';
import { z } from 'zod';

/** The person behind each account. E-mail addresses and names are only here, where they can be erased for good. */
export type PersonRecords = ReturnType<typeof personRecords>;

const attemptsMax = 5;

const owner = z.object({ account: z.string() });

/** Addresses that differ only in case belong to one person. */
const emailSubject = (email: string): string =>
  subjects.personEmail(createHash('sha256').update(email.trim().toLowerCase()).digest('hex'));

/** Throws `unavailable`. No error contains personal data. */
export const personRecords = (bus: Bus) => {
  const last = (subject: string) => lastMessage(bus, personalStream, subject);

  const read = async <T>(subject: string, shape: z.ZodType<T>): Promise<T | null> => {
    const message = await last(subject);
    return message === null ? null : shape.parse(message.json());
  };

  /** Returns false if an entry exists. */
  const put = async (subject: string, value: unknown): Promise<boolean> => {
    const expect = { streamName: personalStream, lastSubjectSequence: 0 };
    try {
      await publishStored(bus, subject, { data: Buffer.from(JSON.stringify(value)), options: { expect } });
      return true;
    } catch (error) {
      if (isWrongSequence(error)) return false;
      throw unreachable(error);
    }
  };

  /** Deletes the message and its bytes. A replaced or purged entry stays on disk until its block is full. */
  const wipe = async (subject: string): Promise<boolean> => {
    for (let attempt = 1; ; attempt += 1) {
      const message = await last(subject);
      if (message === null) return attempt > 1;
      try {
        return await eraseMessage(bus, personalStream, message.seq);
      } catch (error) {
        // Another process may have deleted it first. The next read shows that.
        if (attempt === attemptsMax) throw unreachable(error);
      }
    }
  };

  const personOf = (account: string) => read(subjects.person(account), person);
  const accountOf = async (email: string) => (await read(emailSubject(email), owner))?.account ?? null;
  return {
    personOf,
    accountOf,
    /** Claims an e-mail address for an account, unless another one has it. Returns the account that has it. */
    claim: async (email: string, account: string) =>
      (await put(emailSubject(email), { account })) ? account : ((await accountOf(email)) ?? account),
    /** Replaces the account's record. */
    put: async (account: string, record: Person) => {
      const subject = subjects.person(account);
      for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
        const before = await personOf(account);
        if (before?.email === record.email && before.name === record.name) return;
        if (before !== null) await wipe(subject);
        // Another process may have written first. If it wrote the same record, the next attempt ends.
        if (await put(subject, record)) return;
      }
      throw unreachable(new Error(`${attemptsMax} attempts met another writer`));
    },
    /** False if there was nothing to erase. A crash halfway leaves the record, so the call can be repeated. */
    erase: async (account: string) => {
      const record = await personOf(account);
      if (record === null) return false;
      if ((await accountOf(record.email)) === account) await wipe(emailSubject(record.email));
      return wipe(subjects.person(account));
    },
  };
};

const unreachable = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The personal records are temporarily unavailable. Try again in a few seconds.', {
    cause,
  });
