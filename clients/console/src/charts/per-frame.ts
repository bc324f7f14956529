/** Work that is done at most once in a frame, before the browser paints it. */
export interface PerFrame {
  readonly request: () => void;
  readonly stop: () => void;
}

export const perFrame = (work: () => void): PerFrame => {
  let frame: number | undefined;
  return {
    request: () => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        work();
      });
    },
    stop: () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = undefined;
    },
  };
};
