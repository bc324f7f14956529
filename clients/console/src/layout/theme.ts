export type Theme = 'light' | 'dark' | 'system';
const name = 'almanac-theme';

/** A browser can refuse storage. */
export const storedTheme = (): Theme => {
  try {
    const stored = localStorage.getItem(name);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
};

export const setTheme = (theme: Theme): void => {
  try {
    if (theme === 'system') localStorage.removeItem(name);
    else localStorage.setItem(name, theme);
  } catch {
    // The theme then lasts as long as the page.
  }
  applyTheme(theme);
};

export const applyTheme = (theme: Theme = storedTheme()): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  window.dispatchEvent(new Event('almanac-theme'));
};

/** Of another tab. */
window.addEventListener('storage', ({ key }) => {
  if (key === name || key === null) applyTheme();
});

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');

export const isDark = (theme: Theme = storedTheme()): boolean =>
  theme === 'system' ? darkScheme.matches : theme === 'dark';

/** Canvases do not follow CSS: charts draw again when the theme changes. */
export const onTheme = (listener: () => void): (() => void) => {
  window.addEventListener('almanac-theme', listener);
  darkScheme.addEventListener('change', listener);
  return () => {
    window.removeEventListener('almanac-theme', listener);
    darkScheme.removeEventListener('change', listener);
  };
};
