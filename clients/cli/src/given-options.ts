import { UsageError } from './errors.js';
import { durationSeconds, unixSeconds } from './times.js';

type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The options that were given, by their kind. */
export class GivenOptions {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Undefined where the option was not given, so that the API has its default. */
  flagOrUndefined(name: string): true | undefined {
    return this.flag(name) ? true : undefined;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Values of `--name a,b --name c`. */
  list(name: string): readonly string[] | undefined {
    const value = this.#values[name];
    if (!Array.isArray(value)) return undefined;
    const items = (value as readonly string[]).flatMap((text) => text.split(',')).map((text) => text.trim());
    if (items.some((item) => item === '')) throw new UsageError(`--${name} has an empty item.`);
    return items;
  }

  whole(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new UsageError(`--${name} is ${JSON.stringify(text)}.`, 'Give a whole number.');
  }

  /** A share between 0 and 1, also as a percentage such as 99%. */
  share(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const share = /^\d{1,9}(\.\d{1,9})?%$/.test(text) ? Number(text.slice(0, -1)) / 100 : Number(text);
    if (text.trim() !== '' && share >= 0 && share <= 1) return share;
    throw new UsageError(`--${name} is ${JSON.stringify(text)}.`, 'Give a share such as 0.99 or 99%.');
  }

  /** True with the first flag, false with the second, undefined without. */
  choice(yes: string, no: string): boolean | undefined {
    if (this.flag(yes) && this.flag(no)) throw new UsageError(`--${yes} and --${no} exclude each other.`);
    return this.flag(yes) ? true : this.flag(no) ? false : undefined;
  }

  /** Seconds of a duration such as 90, 15m or 1h. */
  seconds(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : durationSeconds(text, `--${name}`);
  }

  /** Unix seconds of a time such as 1771992900, 2026-02-25T04:30:00Z or now-15m. */
  time(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : unixSeconds(text, `--${name}`);
  }
}
