import { useSyncExternalStore } from 'react';
import { isDark, onTheme } from '../layout/theme.js';

const names = [
  'text',
  'text-soft',
  'text-faint',
  'line',
  'grid',
  'bid',
  'ask',
  'mid',
  'bid-line',
  'ask-line',
  'band',
  'coin',
  'gap',
  'covered',
  'missing',
  'surface',
  'warn',
] as const;
export type Colors = Readonly<Record<(typeof names)[number], string>>;

/** The colours of the theme for a canvas, which does not follow CSS. */
export const colorsNow = (): Colors => {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colors;
};

/** Changes when the theme does. */
export const useThemeName = (): string => useSyncExternalStore(onTheme, () => (isDark() ? 'dark' : 'light'));

/** Lines of many markets, in an order of good contrast to each other in both themes. */
const lineHues = [221, 24, 152, 330, 47, 190, 275, 95, 0, 210, 300, 60];
export const lineColor = (at: number, theme: string, isBehind = false): string => {
  const hue = lineHues[at % lineHues.length] ?? 0;
  // Not by transparency: a line is made of rectangles that overlap.
  if (isBehind) return theme === 'dark' ? `hsl(${hue} 35% 30%)` : `hsl(${hue} 50% 84%)`;
  return theme === 'dark' ? `hsl(${hue} 85% 70%)` : `hsl(${hue} 75% 38%)`;
};
