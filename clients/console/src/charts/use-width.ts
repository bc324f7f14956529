import { type RefObject, useLayoutEffect } from 'react';
import { gutterPx, marginPx } from './axes.js';

/** Reports the pixels that a chart in the element has for its times. */
export const useWidth = (element: RefObject<HTMLElement | null>, report: (px: number) => void): void => {
  useLayoutEffect(() => {
    const host = element.current;
    if (host === null) return undefined;
    const measure = (): void => report(Math.max(0, host.clientWidth - gutterPx - marginPx));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(host);
    return () => observer.disconnect();
  }, [element, report]);
};
