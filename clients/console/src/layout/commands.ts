import { setAsOf } from '../api/as-of.js';
import type { HitRow } from '../parts/combobox.js';
import { setZone, shownZone } from '../format/zone.js';
import { paths } from '../parts/link.js';
import { copyText } from '../parts/copy-text.js';
import type { Screen } from '../screens.js';
import { isMeant, timeIn } from './meaning.js';
import { setTheme, type Theme } from './theme.js';

/** What the search does besides finding: it leads to screens, and does what otherwise needs a button. */
export interface Command extends HitRow {
  readonly run: () => void;
}

interface Means {
  readonly screens: readonly Screen[];
  readonly navigate: (path: string) => void;
  /** The market whose screen is open. */
  readonly market: string | undefined;
}

const command = (kind: 'go to' | 'do', title: string, run: () => void): Command => ({
  kind,
  id: title,
  title,
  close_ts: null,
  status: null,
  run,
});

const themes: readonly Theme[] = ['light', 'dark', 'system'];

const commandsOf = ({ screens, navigate, market }: Means): Command[] => [
  ...(market === undefined
    ? []
    : [command('go to', 'Compare this market with another', () => navigate(paths.compare(market)))]),
  ...screens.flatMap(({ path, title }) =>
    title === undefined ? [] : [command('go to', title, () => navigate(path.replace('/*?', '')))],
  ),
  ...themes.map((theme) => command('do', `Theme: ${theme}`, () => setTheme(theme))),
  shownZone() === 'utc'
    ? command('do', 'Times of this device (local)', () => setZone('local'))
    : command('do', 'Times in UTC', () => setZone('utc')),
  command('do', 'Copy link to this view', () => void copyText(location.href)),
  command('do', 'Back to now', () => setAsOf(undefined)),
];

/** The commands that a text means, and all of them before anything is typed. */
export const commandsFor = (text: string, means: Means): Command[] => {
  const ts = timeIn(text);
  if (ts !== undefined) return [command('do', `Show the archive as of ${text.trim()} UTC`, () => setAsOf(ts))];
  const commands = commandsOf(means);
  return text.trim() === '' ? commands : commands.filter(({ title }) => isMeant(text, title ?? ''));
};
