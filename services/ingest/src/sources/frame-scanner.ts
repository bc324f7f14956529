import { earliestUs, latestUs } from '../values/time.js';
import { KnownTexts } from './known-texts.js';

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const blank = 0x20;
const lastPlain = 0x7e;
const lineEnd = 0x0a;
const carriageReturn = 0x0d;
const letterN = 0x6e;

const decimals = 6;
/** Integers of so many digits are exact. */
const digitsMax = 15;
const powers = Array.from({ length: decimals + 1 }, (_, power) => 10 ** power);

/** The bytes of a name, to be compared with `isText`. */
export const nameBytes = (name: string): Uint8Array => Buffer.from(name, 'latin1');

/**
 * Reads JSON of one plain form byte by byte: texts without escapes and numbers without exponents. Each method moves behind what it
 * reads. If something else is there, it returns false or NaN, and the line must be parsed. A line ends with a line feed.
 */
export class FrameScanner {
  private bytes: Buffer = Buffer.alloc(0);
  at = 0;
  /** Whether the JSON is a text in JSON: its quotes have a backslash. */
  isInner = false;
  /** The text that was read last. */
  private from = 0;
  private to = 0;
  private readonly known = new KnownTexts();
  private day = Buffer.alloc(0);
  private dayUs = NaN;

  begin(bytes: Buffer, at: number): void {
    this.bytes = bytes;
    this.at = at;
    this.isInner = false;
  }

  /** A character outside of texts, after any blanks. */
  is(code: number): boolean {
    this.skipBlanks();
    if (this.bytes[this.at] !== code) return false;
    this.at += 1;
    return true;
  }

  /** The quote before or after a text. */
  quote(): boolean {
    const { bytes, at } = this;
    if (!this.isInner) {
      if (bytes[at] !== quote) return false;
      this.at = at + 1;
      return true;
    }
    if (bytes[at] !== backslash || bytes[at + 1] !== quote) return false;
    this.at = at + 2;
    return true;
  }

  /** A text. */
  text(): boolean {
    this.skipBlanks();
    if (!this.quote()) return false;
    const { bytes } = this;
    let { at } = this;
    this.from = at;
    for (let code = bytes[at] ?? 0; isPlain(code); code = bytes[at] ?? 0) at += 1;
    this.to = at;
    this.at = at;
    return this.quote();
  }

  /** A name and the colon behind it. */
  name(): boolean {
    return this.text() && this.is(0x3a);
  }

  isText(name: Uint8Array): boolean {
    const { bytes, from } = this;
    if (this.to - from !== name.length) return false;
    for (let at = 0; at < name.length; at += 1) if (bytes[from + at] !== name[at]) return false;
    return true;
  }

  /** The last text, which may come again. */
  knownText(): string {
    return this.known.of(this.bytes, this.from, this.to);
  }

  /** A number from 0 without decimals. */
  integer(): number {
    this.skipBlanks();
    const { bytes } = this;
    let { at } = this;
    const from = at;
    let value = 0;
    for (let digit = (bytes[at] ?? 0) - zero; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - zero) {
      value = value * 10 + digit;
      at += 1;
    }
    this.at = at;
    const digits = at - from;
    return digits === 0 || digits > digitsMax || (digits > 1 && bytes[from] === zero) ? NaN : value;
  }

  /** The last text as an integer. */
  textInteger(): number {
    const { bytes, from, to } = this;
    let value = 0;
    for (let at = from; at < to; at += 1) {
      if (!isDigit(bytes[at])) return NaN;
      value = value * 10 + (bytes[at] ?? 0) - zero;
    }
    return to === from || to - from > digitsMax ? NaN : value;
  }

  /** Digits of a receipt, as a number or as a text, of which the last `cut` are 0 and do not count. */
  digits(cut: number): number {
    this.skipBlanks();
    const isText = this.bytes[this.at] === quote;
    if (isText) this.at += 1;
    const { bytes, at: from } = this;
    let at = from;
    let value = 0;
    while (isDigit(bytes[at])) at += 1;
    const end = at - cut;
    for (let place = from; place < end; place += 1) value = value * 10 + (bytes[place] ?? 0) - zero;
    for (let place = Math.max(from, end); place < at; place += 1) if (bytes[place] !== zero) return NaN;
    this.at = at;
    if ((isText && !this.quote()) || bytes[from] === zero || end - from > digitsMax + 1) return NaN;
    return value;
  }

  /** The last text as a decimal in millionths, as `readMillionths` reads it. */
  millionths(): number {
    const { bytes, to } = this;
    const isNegative = bytes[this.from] === minus;
    const first = this.from + (isNegative ? 1 : 0);
    let [value, fractionAt] = [0, -1];
    for (let at = first; at < to; at += 1) {
      const code = bytes[at] ?? 0;
      if (code === point && fractionAt < 0) fractionAt = at + 1;
      else if (isDigit(code)) value = value * 10 + code - zero;
      else return NaN;
    }
    const digits = to - first - (fractionAt < 0 ? 0 : 1);
    const fraction = fractionAt < 0 ? 0 : to - fractionAt;
    if (digits < 1 || digits > digitsMax || fraction > decimals) return NaN;
    value *= powers[decimals - fraction] ?? NaN;
    if (!Number.isSafeInteger(value)) return NaN;
    return isNegative && value !== 0 ? -value : value;
  }

  /** The last text as a time in UTC with up to six decimals, in microseconds: `2026-08-10T12:00:00.123456Z`. */
  isoTime(): number {
    const { bytes, from, to } = this;
    const fractionAt = from + 20;
    if (bytes[to - 1] !== 0x5a || bytes[from + 10] !== 0x54 || bytes[from + 13] !== 0x3a || bytes[from + 16] !== 0x3a)
      return NaN;
    const [hour, minute, second] = [this.pair(from + 11), this.pair(from + 14), this.pair(from + 17)];
    if (!(hour < 24 && minute < 60 && second < 60)) return NaN;
    let micros = 0;
    if (to !== fractionAt) {
      const places = to - 1 - fractionAt;
      if (bytes[fractionAt - 1] !== point || places < 1 || places > decimals) return NaN;
      for (let at = fractionAt; at < to - 1; at += 1) {
        if (!isDigit(bytes[at])) return NaN;
        micros = micros * 10 + (bytes[at] ?? 0) - zero;
      }
      micros *= powers[decimals - places] ?? NaN;
    }
    return inYears(this.dayStart() + (hour * 3_600 + minute * 60 + second) * 1_000_000 + micros);
  }

  /** A value that does not count: a text, or a number without an exponent. */
  skipValue(): boolean {
    this.skipBlanks();
    const { bytes } = this;
    const code = bytes[this.at] ?? 0;
    if (code !== minus && !isDigit(code)) return this.text();
    if (code === minus) this.at += 1;
    if (Number.isNaN(this.integer())) return false;
    if (bytes[this.at] !== point) return true;
    const from = (this.at += 1);
    while (isDigit(bytes[this.at])) this.at += 1;
    return this.at > from;
  }

  /** The begin of a text in JSON. */
  innerBegin(): boolean {
    this.skipBlanks();
    const isThere = this.quote();
    this.isInner = true;
    return isThere;
  }

  /** The end of a text in JSON, which may have a line feed before it. */
  innerEnd(): boolean {
    this.isInner = false;
    this.skipBlanks();
    if (this.bytes[this.at] === backslash && this.bytes[this.at + 1] === letterN) this.at += 2;
    return this.quote();
  }

  /** The end of the line. */
  lineEnd(): boolean {
    this.skipBlanks();
    if (this.bytes[this.at] === carriageReturn) this.at += 1;
    return this.bytes[this.at] === lineEnd;
  }

  private skipBlanks(): void {
    while (this.bytes[this.at] === blank) this.at += 1;
  }

  /** Two digits. NaN if they are none. */
  private pair(at: number): number {
    const { bytes } = this;
    const [tens, ones] = [bytes[at], bytes[at + 1]];
    return isDigit(tens) && isDigit(ones) ? ((tens ?? 0) - zero) * 10 + (ones ?? 0) - zero : NaN;
  }

  /** Neighbouring times share their day. */
  private dayStart(): number {
    const { bytes, from, day } = this;
    let isSame = day.length > 0;
    for (let at = 0; isSame && at < day.length; at += 1) isSame = bytes[from + at] === day[at];
    if (isSame) return this.dayUs;
    this.day = Buffer.from(bytes.subarray(from, from + 10));
    const text = this.day.toString('latin1');
    const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
    // Date.parse reads the 31st of a shorter month as the next month in some forms.
    this.dayUs = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text) ? ms * 1_000 : NaN;
    return this.dayUs;
  }
}

/** NaN: not between 1980 and 2100. */
export const inYears = (us: number): number => (us >= earliestUs && us <= latestUs ? us : NaN);

const isDigit = (code: number | undefined): boolean => code !== undefined && code >= zero && code <= zero + 9;

const isPlain = (code: number): boolean => code >= blank && code <= lastPlain && code !== quote && code !== backslash;
