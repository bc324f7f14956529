import type { Signal } from './signal.js';
import { panned, type Window, within, zoomed } from './window.js';

export interface Navigation {
  readonly view: Signal<Window>;
  readonly limits: Window;
}

const wheelZoom = 1.0016;
const pinchMin = 12;

/** Pan by dragging, zoom by Ctrl and the wheel or by two fingers. The page itself still scrolls with the wheel. */
export const navigateBy = (element: HTMLElement, { view, limits }: Navigation): (() => void) => {
  const stop = new AbortController();
  const { signal } = stop;
  const pointers = new Map<number, number>();
  const timeAt = (clientX: number): number => {
    const { left, width } = element.getBoundingClientRect();
    const { from, to } = view.get();
    return from + ((clientX - left) / Math.max(1, width)) * (to - from);
  };
  const onWheel = (event: WheelEvent): void => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    if (isZoom) view.set(zoomed(view.get(), wheelZoom ** event.deltaY, timeAt(event.clientX), limits));
    else view.set(panned(view.get(), event.deltaX / element.clientWidth, limits));
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, event.clientX);
    element.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) view.set(panned(view.get(), (before - event.clientX) / element.clientWidth, limits));
    else {
      const factor = Math.max(pinchMin, Math.abs(before - other)) / Math.max(pinchMin, Math.abs(event.clientX - other));
      view.set(zoomed(view.get(), factor, timeAt((event.clientX + other) / 2), limits));
    }
    pointers.set(event.pointerId, event.clientX);
  };
  const onUp = (event: PointerEvent): void => void pointers.delete(event.pointerId);
  element.addEventListener('wheel', onWheel, { passive: false, signal });
  element.addEventListener('pointerdown', onDown, { signal });
  element.addEventListener('pointermove', onMove, { signal });
  for (const end of ['pointerup', 'pointercancel'] as const) element.addEventListener(end, onUp, { signal });
  return () => stop.abort();
};

/** The keys of a chart that has the focus. Returns whether the key was one of them. */
export const navigateByKey = (key: string, isShifted: boolean, { view, limits }: Navigation): boolean => {
  const shown = view.get();
  const middle = (shown.from + shown.to) / 2;
  const next = ((): Window | undefined => {
    if (key === '+' || key === '=') return zoomed(shown, 0.5, middle, limits);
    if (key === '-' || key === '_') return zoomed(shown, 2, middle, limits);
    if (key === '0') return limits;
    if (isShifted && key === 'ArrowLeft') return panned(shown, -0.25, limits);
    if (isShifted && key === 'ArrowRight') return panned(shown, 0.25, limits);
    return undefined;
  })();
  if (next === undefined) return false;
  view.set(within(next, limits));
  return true;
};
