import type { AlmanacOptions, Wait } from '@almanac/client/node';
import { inShellWords } from './wording.js';

/** What the answers of a command do not show by themselves, for stderr. */
export interface RecordedNotices {
  readonly onNotice: AlmanacOptions['onNotice'];
  readonly lines: () => readonly string[];
}

/** Each notice once, whichever pages have it. A list that is cut says so itself, since it knows how to go on. */
export const recordNotices = (): RecordedNotices => {
  const details = new Set<string>();
  return {
    onNotice: ({ code, detail }) => {
      if (code !== 'window_clamped') details.add(detail);
    },
    lines: () => [...details],
  };
};

/** One line for a pause that somebody would take for a hang. */
export const waitLine = ({ error, seconds, attempt }: Wait): string =>
  `Waiting ${Math.ceil(seconds)} s, then attempt ${attempt}: ${inShellWords(error.detail)}`;
