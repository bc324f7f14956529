import type { Pages } from '@almanac/client/node';
import type { CommandContext, OptionSpec } from '../command.js';
import type { GivenOptions } from '../given-options.js';
import { columnsOf, type Paint, painterOf } from '../terminal.js';

export const listOptions = {
  limit: { value: 'N', summary: 'Maximum number of items in an answer' },
  all: { summary: 'List all items, not only the first page' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export const timeOption = (summary: string): OptionSpec => ({ value: 'TIME', summary });

export const stepOption = (summary: string): OptionSpec => ({ value: 'DURATION', summary });

export const stepMs = (options: GivenOptions): number | undefined => {
  const seconds = options.seconds('step');
  return seconds === undefined ? undefined : seconds * 1_000;
};

/** How tables are printed here. */
export const tableStyle = (
  { terminal }: CommandContext,
  none: string,
): { readonly paint: Paint; readonly width: number; readonly none: string } => ({
  paint: painterOf(terminal, terminal.stdout),
  width: columnsOf(terminal),
  none,
});

interface HasMore {
  readonly has_more: boolean;
}

/** The first answer of a list, or all with `--all`. A list that is cut says so. */
export const readList = async <Item, Answer extends HasMore>(
  { options }: CommandContext,
  list: Pages<Item, Answer>,
  itemsOf: (answer: Answer) => readonly Item[],
  hasMore: (answer: Answer) => boolean = ({ has_more }) => has_more,
): Promise<{ readonly items: readonly Item[]; readonly answers: readonly Answer[]; readonly remarks: string[] }> => {
  if (options.flag('all')) {
    const answers: Answer[] = [];
    for await (const answer of list.pages()) answers.push(answer);
    return { items: answers.flatMap(itemsOf), answers, remarks: [] };
  }
  const answer = await list.firstPage();
  const items = itemsOf(answer);
  return { items, answers: [answer], remarks: hasMore(answer) ? [moreRemark(items.length)] : [] };
};

const moreRemark = (shown: number): string => {
  if (shown === 0) return 'There is more. Add --all to list it.';
  return shown === 1
    ? 'This is the first of several. Add --all to list them all.'
    : `These are the first ${shown}. Add --all to list them all.`;
};
