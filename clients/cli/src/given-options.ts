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
