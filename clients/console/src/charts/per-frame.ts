/** Work that is done at most once in a frame, before the browser paints it. */
export interface PerFrame {
  readonly request: () => void;
  readonly stop: () => void;
}

const due = new Set<() => void>();
let frame: number | undefined;

/** One callback for all of it: after each one, React would render again, and rows and charts by the dozen follow one cursor. */
const runDue = (): void => {
  frame = undefined;
  const now = [...due];
  due.clear();
  for (const run of now) {
    try {
      run();
    } catch (error) {
      reportError(error);
    }
  }
};

export const perFrame = (work: () => void): PerFrame => {
  let isDue = false;
  const run = (): void => {
    // What ran before it can have stopped it.
    if (!isDue) return;
    isDue = false;
    work();
  };
  return {
    request: () => {
      isDue = true;
      due.add(run);
      frame ??= requestAnimationFrame(runDue);
    },
    stop: () => {
      isDue = false;
      due.delete(run);
    },
  };
};
