import type { AlmanacOptions } from '@almanac/client/node';

/** The JSON answers of a command, because `--json` prints them unchanged. */
export interface RecordedAnswers {
  /** The option of the client that records. Undefined if nothing is wanted. */
  readonly onAnswer: AlmanacOptions['onAnswer'];
  /** The answers so far whose path ends with this, without those of failed attempts. */
  readonly answers: (path: RegExp) => readonly string[];
}

export const recordAnswers = (isWanted: boolean): RecordedAnswers => {
  const recorded: { readonly path: string; readonly text: string }[] = [];
  return {
    onAnswer: isWanted ? ({ url, text }) => void recorded.push({ path: new URL(url).pathname, text }) : undefined,
    answers: (path) => recorded.filter((each) => path.test(each.path)).map(({ text }) => text.trimEnd()),
  };
};
