// Shows how far a long step is: on a terminal as one line that is redrawn, elsewhere as a line at an interval.
const redrawMs = 500;

/**
 * Call the result with the state of the step whenever it changes, and `clear` before the outcome is printed.
 * `lineMs` is the shortest time between two lines of a file or pipe. The first state is always printed.
 */
export const progressOf = (name, { stream = process.stdout, lineMs = 10_000 } = {}) => {
  const started = performance.now();
  let state = '';
  let printed = -Infinity;
  const text = () => `${name}: ${state} (${((performance.now() - started) / 1_000).toFixed(0)} s)`;
  const draw = () => {
    if (state === '') return;
    if (stream.isTTY) stream.write(`\r\u001B[2K${text().slice(0, (stream.columns ?? 80) - 1)}`);
    else if (performance.now() - printed >= lineMs) {
      stream.write(`${text()}\n`);
      printed = performance.now();
    }
  };
  const timer = setInterval(draw, redrawMs);
  timer.unref();
  return {
    show: (next) => {
      const isFirst = state === '';
      state = next;
      if (isFirst || stream.isTTY) draw();
    },
    clear: () => {
      clearInterval(timer);
      if (stream.isTTY && state !== '') stream.write('\r\u001B[2K');
    },
  };
};
