// The status line of the tests at the bottom of a terminal. Elsewhere it prints nothing by itself.
const redrawMs = 500;

/**
 * `begin` and `end` report what runs, and how many files have ended with it. `print` writes lines above the status line, and `stop` removes the status
 * line. `stream` is a terminal's output, or a file or pipe, where only `print` writes.
 */
export const progressOn = (stream, filesN) => {
  const started = performance.now();
  const running = new Set();
  let ended = 0;
  const clear = () => stream.isTTY && stream.write('\r\u001B[2K');
  const draw = () => {
    if (!stream.isTTY) return;
    const minutes = Math.floor((performance.now() - started) / 60_000);
    const seconds = String(Math.floor((performance.now() - started) / 1_000) % 60).padStart(2, '0');
    const line = `${ended}/${filesN} files, ${minutes}:${seconds}, running ${[...running].join(', ')}`;
    stream.write(`\r\u001B[2K${line.slice(0, (stream.columns ?? 80) - 1)}`);
  };
  const timer = stream.isTTY ? setInterval(draw, redrawMs) : undefined;
  timer?.unref();
  return {
    begin: (file) => {
      running.add(file);
      draw();
    },
    end: (file, files) => {
      running.delete(file);
      ended += files;
      draw();
    },
    print: (text) => {
      clear();
      stream.write(`${text}\n`);
      draw();
    },
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
};
