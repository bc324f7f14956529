import { type ComponentType, useEffect, useState } from 'react';
import { loadScreen } from './load-screen.js';

type Read = () => Promise<{ readonly Screen: ComponentType }>;

/** The file of a screen, which is loaded when it is opened or before. */
export interface ScreenFile {
  readonly loaded: () => ComponentType | undefined;
  readonly load: () => Promise<ComponentType>;
  /** Loads it for later. A failure does not matter yet. */
  readonly preload: () => void;
}

export const screenFile = (read: Read): ScreenFile => {
  let component: ComponentType | undefined;
  const keep = ({ Screen }: Awaited<ReturnType<Read>>): ComponentType => (component = Screen);
  return {
    loaded: () => component,
    load: async () => component ?? keep(await loadScreen(read)),
    preload: () => {
      if (component === undefined) void read().then(keep, () => undefined);
    },
  };
};

/**
 * The component of a file, or undefined while it is loading. Not `lazy` of React: it shows what follows a loading state only
 * after 300 ms, so that the first request of a screen would be as late.
 */
export const useScreenFile = (file: ScreenFile): ComponentType | undefined => {
  const [component, setComponent] = useState(file.loaded);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    let isShown = true;
    file.load().then(
      (loaded) => {
        if (isShown) setComponent(() => loaded);
      },
      (reason: unknown) => {
        if (isShown) setError(reason instanceof Error ? reason : new Error(String(reason)));
      },
    );
    return () => {
      isShown = false;
    };
  }, [file]);
  if (error !== undefined) throw error;
  return component;
};
