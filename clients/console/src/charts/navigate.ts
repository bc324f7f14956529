import { createSignal, type Signal } from './signal.js';
import { isSame, panned, type Window, within, zoomed } from './window.js';

export interface Navigation {
  readonly view: Signal<Window>;
  readonly limits: Window;
  /** What is being selected by dragging. */
  readonly brush: Signal<Window | undefined>;
}

/** Its limits can move while charts hold it: data that arrives makes no new charts. */
export const createNavigation = (
  view: Signal<Window>,
  first: Window,
): { readonly nav: Navigation; readonly setLimits: (limits: Window) => void } => {
  let limits = first;
  const nav: Navigation = {
    view,
    get limits() {
      return limits;
    },
    brush: createSignal<Window | undefined>(undefined),
  };
  return { nav, setLimits: (next) => void (limits = next) };
};

const wheelZoom = 1.0016;
const pinchMin = 12;
/** A shorter drag is a click. */
const brushMinPx = 5;

/**
 * Select a time by dragging, zoom by the wheel, show all by a double click. Shift and dragging, and the horizontal wheel, pan.
 * One finger pans, two zoom. The width is what is known of it: to ask the browser would lay the page out again.
 */
export const navigateBy = (element: HTMLElement, nav: Navigation, widthOf: () => number): (() => void) => {
  const stop = new AbortController();
  const { signal } = stop;
  const timeAt = (clientX: number): number => {
    const { left, width } = element.getBoundingClientRect();
    const { from, to } = nav.view.get();
    const share = Math.min(1, Math.max(0, (clientX - left) / Math.max(1, width)));
    return from + share * (to - from);
  };
  const onWheel = (event: WheelEvent): void => {
    const { view, limits } = nav;
    const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const along = Math.abs(event.deltaX) > 0 ? event.deltaX : event.deltaY;
    const next = isPan
      ? panned(view.get(), along / widthOf(), limits)
      : zoomed(view.get(), wheelZoom ** event.deltaY, timeAt(event.clientX), limits);
    // Where nothing more is to be shown, the page scrolls.
    if (isSame(next, view.get()) && !event.ctrlKey) return;
    event.preventDefault();
    view.set(next);
  };
  element.addEventListener('wheel', onWheel, { passive: false, signal });
  element.addEventListener('dblclick', () => nav.view.set(nav.limits), { signal });
  selectBy(element, { nav, timeAt, signal });
  panBy(element, { nav, timeAt, signal, widthOf });
  return () => stop.abort();
};

interface Gestures {
  readonly nav: Navigation;
  readonly timeAt: (clientX: number) => number;
  readonly signal: AbortSignal;
}

const isPanning = ({ pointerType, shiftKey }: PointerEvent): boolean => pointerType === 'touch' || shiftKey;

const selectBy = (element: HTMLElement, { nav, timeAt, signal }: Gestures): void => {
  const { view, brush } = nav;
  let startX: number | undefined;
  const end = (): void => {
    startX = undefined;
    brush.set(undefined);
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || isPanning(event)) return;
    startX = event.clientX;
    element.setPointerCapture(event.pointerId);
  };
  const onMove = ({ clientX }: PointerEvent): void => {
    if (startX === undefined) return;
    const [from, to] = [startX, clientX].toSorted((one, other) => one - other).map(timeAt);
    const isDrag = Math.abs(clientX - startX) >= brushMinPx;
    brush.set(isDrag && from !== undefined && to !== undefined ? { from, to } : undefined);
  };
  const onUp = (): void => {
    const chosen = brush.get();
    end();
    if (chosen !== undefined) view.set(within(chosen, nav.limits));
  };
  element.addEventListener('pointerdown', onDown, { signal });
  element.addEventListener('pointermove', onMove, { signal });
  element.addEventListener('pointerup', onUp, { signal });
  element.addEventListener('pointercancel', end, { signal });
};

const panBy = (
  element: HTMLElement,
  { nav, timeAt, signal, widthOf }: Gestures & { readonly widthOf: () => number },
): void => {
  const { view } = nav;
  const pointers = new Map<number, number>();
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || !isPanning(event)) return;
    pointers.set(event.pointerId, event.clientX);
    element.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) view.set(panned(view.get(), (before - event.clientX) / widthOf(), nav.limits));
    else {
      const factor = Math.max(pinchMin, Math.abs(before - other)) / Math.max(pinchMin, Math.abs(event.clientX - other));
      view.set(zoomed(view.get(), factor, timeAt((event.clientX + other) / 2), nav.limits));
    }
    pointers.set(event.pointerId, event.clientX);
  };
  const onUp = (event: PointerEvent): void => void pointers.delete(event.pointerId);
  element.addEventListener('pointerdown', onDown, { signal });
  element.addEventListener('pointermove', onMove, { signal });
  for (const end of ['pointerup', 'pointercancel'] as const) element.addEventListener(end, onUp, { signal });
};

/** A finger that moves farther is no tap. */
const tapMaxPx = 8;

/** A tap puts the cursor there: a finger does not hover, and browsers report a tap as a mouse that did not move. */
export const tapBy = (element: HTMLElement, onTap: (left: number) => void): (() => void) => {
  const stop = new AbortController();
  const { signal } = stop;
  let start: { readonly x: number; readonly y: number } | undefined;
  element.addEventListener(
    'pointerdown',
    ({ pointerType, isPrimary, clientX, clientY }) => {
      // A second finger makes it a pinch.
      start = pointerType === 'touch' && isPrimary ? { x: clientX, y: clientY } : undefined;
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    ({ clientX, clientY }) => {
      const isTap = start !== undefined && Math.hypot(clientX - start.x, clientY - start.y) <= tapMaxPx;
      start = undefined;
      if (isTap) onTap(clientX - element.getBoundingClientRect().left);
    },
    { signal },
  );
  return () => stop.abort();
};

/** The keys of a chart that has the focus. Returns whether the key was one of them. */
export const navigateByKey = (
  key: string,
  isShifted: boolean,
  { view, limits }: Pick<Navigation, 'view' | 'limits'>,
): boolean => {
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
