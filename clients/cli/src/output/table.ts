import type { Paint } from '../terminal.js';
import { printable } from './values.js';

export interface Column<Item> {
  readonly title: string;
  readonly value: (item: Item) => unknown;
  readonly isRight?: boolean;
  /** On a narrow terminal this column is cut. */
  readonly isFlexible?: boolean;
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;

/** How many columns of a terminal a text has. */
export const widthOf = (text: string): number => {
  let width = 0;
  for (const character of text) {
    if (wide.test(character)) width += 2;
    else if (!/\p{M}|\u200D/u.test(character)) width += 1;
  }
  return width;
};

const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let [shown, used] = ['', 0];
  for (const character of text) {
    used += widthOf(character);
    if (used > width - 1) break;
    shown += character;
  }
  return `${shown}…`;
};

const flexibleMin = 12;
const between = '  ';

/** Aligned columns. An empty list has the sentence `none` instead. */
export const tableOf = <Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  { paint, width, none }: { readonly paint: Paint; readonly width: number; readonly none: string },
): string[] => {
  if (items.length === 0) return [none];
  const cells = items.map((item) => columns.map(({ value }) => printable(value(item))));
  const widths = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[at] ?? ''))),
  );
  shrink(widths, columns, width);
  const line = (row: readonly string[]): string =>
    row
      .map((text, at) => padded(cut(text, widths[at] ?? 0), widths[at] ?? 0, columns[at]?.isRight === true))
      .join(between)
      .trimEnd();
  return [paint('bold', line(columns.map(({ title }) => title))), ...cells.map(line)];
};

const padded = (text: string, width: number, isRight: boolean): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return isRight ? space + text : text + space;
};

const shrink = <Item>(widths: number[], columns: readonly Column<Item>[], width: number): void => {
  const total = widths.reduce((sum, each) => sum + each, between.length * (widths.length - 1));
  const at = columns.findIndex(({ isFlexible }) => isFlexible === true);
  const flexible = widths[at];
  if (total <= width || flexible === undefined) return;
  widths[at] = Math.max(Math.min(flexible, flexibleMin), flexible - (total - width));
};

/** Names and values below each other. */
export const factsOf = (facts: readonly (readonly [name: string, value: unknown])[], paint: Paint): string[] => {
  const width = Math.max(...facts.map(([name]) => widthOf(name)));
  return facts.map(([name, value]) => `${paint('dim', padded(name, width, false))}${between}${printable(value)}`);
};
