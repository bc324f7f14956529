import { uuidV5 } from '@almanac/runtime';

/** A stable id for a command that a crash may repeat, so that its event is stored once. */
export const v5AccountId = (account: string, text: string): string => uuidV5(`commerce\n${account}\n${text}`);
