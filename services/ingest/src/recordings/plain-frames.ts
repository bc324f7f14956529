import { FrameColumns, type FrameRun, frameRowsMax, frameRun } from '../model/frame-run.js';
import type { BookMessage } from '../model/feed-message.js';
import { FrameScanner, inYears, nameBytes } from '../sources/frame-scanner.js';
import type { ReadPlain } from '../venues/venue.js';
import type { Envelope } from './frame-envelope.js';

const lineEnd = 0x0a;
const open = 0x7b;
const close = 0x7d;
const comma = 0x2c;

/** Digits of a receipt below the microsecond, and its microseconds. */
const unitsOf = { ns: { cut: 3, us: 1 }, us: { cut: 0, us: 1 }, ms: { cut: 0, us: 1_000 } } as const;

/** How the plain frames of a recording are read: the bytes of their envelope, and what the venue reads. */
export interface PlainForm {
  readonly frame: Uint8Array;
  readonly received: Uint8Array;
  readonly unit: (typeof unitsOf)[keyof typeof unitsOf];
  readonly read: ReadPlain;
}

/** Null: frames of this envelope or venue are parsed one by one. */
export const plainForm = ({ frame, received }: Envelope, read: ReadPlain | undefined): PlainForm | null => {
  if (read === undefined || frame === null || received === null) return null;
  const { key, unit } = received;
  if (unit === 's' || unit === 'iso') return null;
  return { frame: nameBytes(frame), received: nameBytes(key), unit: unitsOf[unit], read };
};

interface ReadLines {
  /** Null: nothing shows it yet. It is asked before each line. */
  readonly form: () => PlainForm | null;
  /** The messages of a line that is not plain. */
  readonly read: (line: string) => readonly BookMessage[];
  /** Counts a line, and returns its number. */
  readonly next: () => number;
}

/**
 * Frames from the bytes of their lines. A line of two names, the receipt and the frame as a text, whose frame the venue reads as plain,
 * becomes a row of columns. Every other line is parsed.
 */
export class PlainFrames {
  private bytes = Buffer.alloc(0);
  private columns = new FrameColumns();
  private readonly scan = new FrameScanner();
  private run: FrameRun | null = null;

  constructor(private readonly lines: ReadLines) {}

  /** The runs and messages of whole lines. They are valid until the next call. */
  read(text: string): readonly (BookMessage | FrameRun)[] {
    const { lines } = this;
    const end = this.load(text);
    const { bytes } = this;
    const items: (BookMessage | FrameRun)[] = [];
    for (let from = 0; from < end;) {
      if (bytes[from] === lineEnd) {
        from += 1;
        continue;
      }
      const form = lines.form();
      if (form !== null && this.isPlain(form, from)) {
        this.addRow(items);
        from = this.scan.at + 1;
        continue;
      }
      const to = bytes.indexOf(lineEnd, from);
      this.run = null;
      lines.next();
      for (const message of lines.read(bytes.toString('utf8', from, to))) items.push(message);
      from = to + 1;
    }
    return items;
  }

  /** Puts a text into bytes that end with a line feed. */
  private load(text: string): number {
    const most = 3 * text.length + 1;
    if (this.bytes.length < most) this.bytes = Buffer.allocUnsafe(most);
    const length = this.bytes.write(text, 'utf8');
    this.bytes[length] = lineEnd;
    this.columns.count = 0;
    this.run = null;
    return length;
  }

  private addRow(items: (BookMessage | FrameRun)[]): void {
    const { columns, run, lines } = this;
    const row = columns.count;
    columns.count = row + 1;
    const line = lines.next();
    if (run !== null && run.sid === columns.sid[row]) run.count += 1;
    else items.push((this.run = frameRun(columns, row, line)));
    if (columns.count < frameRowsMax) return;
    // A block has more rows. The runs of these columns were not taken yet.
    this.columns = new FrameColumns();
    this.run = null;
  }

  /** Reads a line into the next row of the columns. */
  private isPlain(form: PlainForm, from: number): boolean {
    const { scan } = this;
    scan.begin(this.bytes, from);
    if (!scan.is(open) || !scan.name()) return false;
    const isFrameFirst = scan.isText(form.frame);
    return (
      this.readPart(form, isFrameFirst) &&
      scan.is(comma) &&
      scan.name() &&
      this.readPart(form, !isFrameFirst) &&
      scan.is(close) &&
      scan.lineEnd()
    );
  }

  private readPart({ frame, received, unit, read }: PlainForm, isFrame: boolean): boolean {
    const { scan, columns } = this;
    if (!scan.isText(isFrame ? frame : received)) return false;
    if (isFrame) return scan.innerBegin() && read(scan, columns, columns.count) && scan.innerEnd();
    const us = inYears(scan.digits(unit.cut) * unit.us);
    columns.us[columns.count] = us;
    return !Number.isNaN(us);
  }
}
