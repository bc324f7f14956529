import { type ReactNode, useSyncExternalStore } from 'react';
import { onTheme, setTheme, storedTheme, type Theme } from './theme.js';

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const signs: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };

export const ThemeToggle = (): ReactNode => {
  const theme = useSyncExternalStore(onTheme, storedTheme);
  const toggle = (): void => setTheme(next[theme]);
  return (
    <button type="button" className="icon" onClick={toggle} aria-label={`Theme: ${theme}. Change`} title="Theme">
      <span aria-hidden="true">{signs[theme]}</span>
    </button>
  );
};
