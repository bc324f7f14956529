import { uuidV5 } from '@almanac/runtime';

/** The id of a command of an account that a crash may repeat, so that it is stored once. */
export const v5AccountId = (account: string, text: string): string => uuidV5(`commerce\n${account}\n${text}`);
