import { type ReactNode, useState } from 'react';
import { setTheme, storedTheme, type Theme } from './theme.js';

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const signs: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };

export const ThemeToggle = (): ReactNode => {
  const [theme, setShown] = useState(storedTheme);
  const toggle = (): void => {
    setTheme(next[theme]);
    setShown(next[theme]);
  };
  return (
    <button type="button" className="icon" onClick={toggle} aria-label={`Theme: ${theme}. Change`} title="Theme">
      <span aria-hidden="true">{signs[theme]}</span>
    </button>
  );
};
