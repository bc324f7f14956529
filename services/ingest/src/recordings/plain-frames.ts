import { FrameColumns, frameRowsMax, frameRun } from '../model/frame-run.js';
import type { BookRuns } from '../model/book-source.js';
import type { BookMessage } from '../model/feed-message.js';
import { FrameScanner, inYears, nameBytes } from '../sources/frame-scanner.js';
import type { PlainReader } from '../venues/venue.js';
import type { Envelope } from './frame-envelope.js';

const lineEnd = 0x0a;
const open = 0x7b;
const close = 0x7d;
const comma = 0x2c;
/** Columns with fewer rows left are not begun with another line, which has one row or a few. */
const spareRowsMin = 64;

/** Digits of a receipt below the microsecond, and its microseconds. */
const unitsOf = { ns: { cut: 3, us: 1 }, us: { cut: 0, us: 1 }, ms: { cut: 0, us: 1_000 } } as const;

/** How the plain frames of a recording are read: the bytes of their envelope, and what the venue reads. */
export interface PlainForm {
  readonly frame: Uint8Array;
  readonly received: Uint8Array;
  readonly unit: (typeof unitsOf)[keyof typeof unitsOf];
  readonly reader: PlainReader;
}

/** Null: frames of this envelope or venue are parsed one by one. */
export const plainForm = ({ frame, received }: Envelope, reader: PlainReader | undefined): PlainForm | null => {
  if (reader === undefined || frame === null || received === null) return null;
  const { key, unit } = received;
  if (unit === 's' || unit === 'iso') return null;
  return { frame: nameBytes(frame), received: nameBytes(key), unit: unitsOf[unit], reader };
};

interface ReadLines {
  /** Null: nothing shows it yet. */
  readonly form: () => PlainForm | null;
  /** The messages of a line that is not plain. */
  readonly read: (line: string) => readonly BookMessage[];
  /** Counts a line, and returns its number. */
  readonly next: () => number;
}

/** A line of a block. */
interface Line {
  readonly from: number;
  readonly to: number;
  /** Its rows, if it is plain. */
  readonly columns: FrameColumns | null;
  readonly row: number;
  readonly count: number;
}

/**
 * Frames from the bytes of their lines. A line of two names, the receipt and the frame as a text, whose frame the venue reads as plain,
 * becomes rows of columns. Every other line is parsed.
 */
export class PlainFrames {
  private bytes = Buffer.alloc(0);
  private block: Line[] = [];
  private form: PlainForm | null = null;
  private columns = new FrameColumns();
  private readonly scan = new FrameScanner();

  constructor(private readonly lines: ReadLines) {}

  /** Takes whole lines. What was made of those before is no longer valid. */
  begin(text: string): void {
    const most = 3 * text.length + 1;
    if (this.bytes.length < most) this.bytes = Buffer.allocUnsafe(most);
    const end = this.bytes.write(text, 'utf8');
    this.bytes[end] = lineEnd;
    this.columns.count = 0;
    this.block = [];
    this.form = this.lines.form();
    for (let from = 0; from < end;) {
      const line = this.bytes[from] === lineEnd ? null : this.lineAt(from);
      if (line !== null) this.block.push(line);
      from = (line?.to ?? from) + 1;
    }
  }

  /** The lines that are parsed, as far as it is known. */
  parsed(): readonly string[] {
    return this.block.flatMap((line) => (line.columns === null ? this.textOf(line) : []));
  }

  /** The runs and messages of the lines. */
  items(): readonly (BookMessage | BookRuns)[] {
    const { lines } = this;
    const items: (BookMessage | BookRuns)[] = [];
    const isTried = this.form !== null;
    for (const given of this.block) {
      if (!isTried) this.form ??= lines.form();
      const line = isTried || this.form === null ? given : this.lineAt(given.from);
      const number = lines.next();
      if (!this.addRows(items, line, number)) items.push(...lines.read(this.textOf(line)));
    }
    return items;
  }

  private textOf({ from, to }: Line): string {
    return this.bytes.toString('utf8', from, to);
  }

  /** Adds the rows of a line to the last run, or begins another one. False: it must be parsed. */
  private addRows(items: (BookMessage | BookRuns)[], { columns, row, count }: Line, number: number): boolean {
    if (columns === null) return false;
    const reader = this.form?.reader;
    for (let at = row; at < row + count; at += 1) {
      if (reader?.isStill?.(columns, at) === false) return false;
      columns.line[at] = number;
    }
    const run = items.at(-1);
    const sid = columns.sid[row] ?? NaN;
    const goesOn =
      run?.kind === 'frames' &&
      run.columns === columns &&
      run.first + run.count === row &&
      (run.sid === null ? Number.isNaN(sid) : run.sid === sid);
    if (goesOn) run.count += count;
    else items.push(frameRun(columns, row, count));
    return true;
  }

  /** Reads a line into the next rows of the columns, if it is plain. */
  private lineAt(from: number): Line {
    const { form } = this;
    // The runs of the columns before were not taken yet.
    if (this.columns.count > frameRowsMax - spareRowsMin) this.columns = new FrameColumns();
    const { columns } = this;
    const row = columns.count;
    const count = form === null ? 0 : this.rowsOf(form, from);
    if (count === 0) return { from, to: this.bytes.indexOf(lineEnd, from), columns: null, row, count };
    columns.count = row + count;
    columns.us.fill(columns.us[row] ?? NaN, row, row + count);
    return { from, to: this.scan.at, columns, row, count };
  }

  /** The rows of a line. 0: it is not plain. */
  private rowsOf({ frame, received, unit, reader }: PlainForm, from: number): number {
    const { scan, columns } = this;
    const row = columns.count;
    scan.begin(this.bytes, from);
    if (!scan.is(open) || !scan.name()) return 0;
    const isFirst = scan.isText(frame);
    let count = 0;
    for (const isFrame of [isFirst, !isFirst]) {
      if (isFrame !== isFirst && !(scan.is(comma) && scan.name())) return 0;
      if (!scan.isText(isFrame ? frame : received)) return 0;
      if (isFrame) {
        count = scan.innerBegin() ? reader.read(scan, columns, row) : 0;
        if (count === 0 || !scan.innerEnd()) return 0;
      } else {
        const us = inYears(scan.digits(unit.cut) * unit.us);
        if (Number.isNaN(us)) return 0;
        columns.us[row] = us;
      }
    }
    return scan.is(close) && scan.lineEnd() ? count : 0;
  }
}
