import type { WriteStream } from 'node:tty';
import type { FileProgress } from './import/import-file.js';

export interface ProgressView {
  show(progress: FileProgress): void;
  /** Removes what stands on the line, before other output. */
  clear(): void;
}

const barWidth = 24;
const redrawMs = 100;
const lineMs = 5_000;

/** A bar that is redrawn on a terminal; elsewhere a plain line every 5 s. */
export const progressView = (out: WriteStream | NodeJS.WriteStream, now: () => number): ProgressView => {
  const onTerminal = out.isTTY;
  let shownAt = now();
  let drawn = false;
  return {
    show: (progress) => {
      if (now() - shownAt < (onTerminal ? redrawMs : lineMs)) return;
      shownAt = now();
      drawn = onTerminal;
      out.write(onTerminal ? `\r\u001b[K${barLine(progress, out.columns || 80)}` : `${plainLine(progress)}\n`);
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

/** The line of a terminal, cut to its width: a wrapped line could not be redrawn. */
export const barLine = (progress: FileProgress, columns: number): string => {
  const share = shareOf(progress);
  const full = Math.round(share * barWidth);
  const bar = '#'.repeat(full).padEnd(barWidth, '.');
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `[${bar}] ${percent}% ${countsOf(progress)} ${progress.file}`.slice(0, Math.max(20, columns - 1));
};

export const plainLine = (progress: FileProgress): string =>
  `${progress.file}: ${Math.floor(shareOf(progress) * 100)}%, ${countsOf(progress)}`;
