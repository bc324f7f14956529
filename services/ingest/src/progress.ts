import type { FileProgress } from './import/import-file.js';

export interface ProgressOut {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressView {
  show(progress: FileProgress): void;
  /** Shows a sentence instead of the bar until the next progress. Without a terminal it prints a line. */
  printLine(sentence: string): void;
  clear(): void;
}

const barWidth = 24;
const redrawMs = 100;
const lineMs = 5_000;

/** A bar that is redrawn on a terminal. Otherwise a plain line every 5 s. */
export const progressView = (out: ProgressOut, now: () => number): ProgressView => {
  const onTerminal = out.isTTY === true;
  let shownAt = now();
  let drawn = false;
  return {
    show: (progress) => {
      if (now() - shownAt < (onTerminal ? redrawMs : lineMs)) return;
      shownAt = now();
      drawn = onTerminal;
      out.write(onTerminal ? `\r\u001b[K${barLine(progress, out.columns || 80)}` : `${plainLine(progress)}\n`);
    },
    printLine: (sentence) => {
      drawn = onTerminal;
      out.write(onTerminal ? `\r\u001b[K${cut(sentence, out.columns || 80)}` : `${sentence}\n`);
    },
    clear: () => {
      if (drawn) out.write('\r\u001b[K');
      drawn = false;
    },
  };
};

const shareOf = ({ bytesRead, sizeBytes }: FileProgress): number =>
  sizeBytes === 0 ? 1 : Math.min(1, bytesRead / sizeBytes);

const countsOf = ({ rowsRead, observationsStored }: FileProgress): string => {
  const rows = `${rowsRead.toLocaleString('en-US')} rows read`;
  return observationsStored === 0 ? rows : `${rows}, ${observationsStored.toLocaleString('en-US')} observations stored`;
};

/** Cut to the width of the terminal, because a wrapped line cannot be redrawn. */
const cut = (line: string, columns: number): string => line.slice(0, Math.max(20, columns - 1));

const barLine = (progress: FileProgress, columns: number): string => {
  const share = shareOf(progress);
  const full = Math.round(share * barWidth);
  const bar = '#'.repeat(full).padEnd(barWidth, '.');
  const percent = String(Math.floor(share * 100)).padStart(3);
  return cut(`[${bar}] ${percent}% ${countsOf(progress)} ${progress.file}`, columns);
};

const plainLine = (progress: FileProgress): string =>
  `${progress.file}: ${Math.floor(shareOf(progress) * 100)}%, ${countsOf(progress)}`;
