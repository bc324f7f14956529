import { painterOf, type Terminal } from '../terminal.js';
import { duration } from './values.js';

export interface ProgressBar {
  /** `what` is the amount in words. */
  show(done: number, total: number | null, what: string): void;
  /** Removes the bar. */
  end(): void;
}

const silent: ProgressBar = { show: () => undefined, end: () => undefined };
/** Faster changes cannot be read, and slow down a download. */
const frameMs = 100;
const cellsMax = 30;

/** A bar on stderr, so that the output can be piped. Without a terminal there is none. */
export const progressBar = (terminal: Terminal, title: string, isQuiet: boolean): ProgressBar => {
  const { stderr } = terminal;
  if (!stderr.isTTY || isQuiet) return silent;
  const paint = painterOf(terminal, stderr);
  const startedMs = performance.now();
  let lastMs = -Infinity;
  return {
    show: (done, total, what) => {
      const nowMs = performance.now();
      if (nowMs - lastMs < frameMs && done !== total) return;
      lastMs = nowMs;
      const share = total === null || total === 0 ? 0 : Math.min(1, done / total);
      const cells = Math.min(cellsMax, Math.max(5, (stderr.columns || 80) - title.length - what.length - 22));
      const full = Math.round(share * cells);
      const leftS = share > 0 ? ((nowMs - startedMs) / 1_000 / share) * (1 - share) : undefined;
      const percent = total === null ? '   ' : `${Math.floor(share * 100)} %`.padStart(5);
      const left = leftS === undefined || share === 1 ? '' : `  ${duration(leftS)} left`;
      const bar = `${paint('green', '█'.repeat(full))}${paint('dim', '░'.repeat(cells - full))}`;
      stderr.write(`\r\u001B[K${title} ${bar} ${percent}  ${what}${left}`);
    },
    end: () => stderr.write('\r\u001B[K'),
  };
};
