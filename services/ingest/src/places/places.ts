import { ImportError } from '../errors.js';
import { type Content, diskContent } from '../sources/packed/content.js';
import { Http, type HttpOptions } from './http.js';
import { httpsObjects } from './https.js';
import type { PlaceObject } from './place.js';
import { remoteContent, type RemoteFacts, remoteFacts } from './remote-file.js';
import { s3Objects } from './s3.js';
import { shownUrl } from './shown-url.js';

export type PlacesOptions = HttpOptions;

/** An object by the name that reports give it. */
export interface NamedObject {
  readonly name: string;
  readonly isNamed: boolean;
  readonly identity: string | null;
}

/** A place without what nobody should read. */
export const shownPlace = (place: string): string =>
  /^https?:/i.test(place) && URL.canParse(place) ? shownUrl(new URL(place)) : place.replace(/\/\/[^/@]*@/, '//');

/** The starts of objects that stay in memory. Each object is opened up to three times. */
const headBytesMax = 32 * 1024 * 1024;
/** Objects whose starts are requested before they are opened, because each answer takes a while. */
const aheadMax = 8;

/** The places that an import reads from, apart from local files and folders. */
export class Places {
  readonly #http: Http;
  readonly #environment: NodeJS.ProcessEnv;
  /** By name in reports. */
  readonly #objects = new Map<string, PlaceObject>();
  readonly #facts = new Map<string, RemoteFacts>();
  readonly #requested = new Map<string, Promise<RemoteFacts>>();
  #headBytes = 0;
  #expected: readonly string[] = [];
  #order: ReadonlyMap<string, number> = new Map();

  constructor(options: PlacesOptions = {}) {
    this.#environment = options.environment ?? process.env;
    this.#http = new Http({ ...options, environment: this.#environment });
  }

  /** The objects of a place. Throws an `ImportError` with the place if it cannot be read. */
  async *objects(place: string): AsyncGenerator<NamedObject, void, undefined> {
    for await (const object of this.#objectsOf(place)) {
      const name = this.#nameOf(object);
      this.#objects.set(name, object);
      if (object.facts !== null) this.#keep(name, object.facts);
      yield { name, isNamed: object.isNamed, identity: object.identity };
    }
  }

  /** Says which objects will be opened, in this order. */
  expect(names: readonly string[]): void {
    this.#expected = names;
    this.#order = new Map(names.map((name, index) => [name, index]));
  }

  /** Opens an object of a place by its name, or a local file. */
  readonly open = async (name: string): Promise<Content> => {
    const object = this.#objects.get(name);
    if (object === undefined) return diskContent(name);
    const pending = this.#factsOf(name);
    const index = this.#order.get(name);
    for (const next of index === undefined ? [] : this.#expected.slice(index + 1, index + 1 + aheadMax))
      // If it fails, it is requested again when it is opened, and reported.
      void this.#factsOf(next).catch(() => undefined);
    const facts = await pending;
    if (object.identity !== null && facts.identity !== object.identity)
      throw new ImportError(`${name}: the object changed since it was listed. Import it again`);
    return remoteContent(this.#http, { ...object.target, name }, facts);
  };

  close(): void {
    this.#http.close();
  }

  #objectsOf(place: string): AsyncGenerator<PlaceObject, void, undefined> {
    if (/^https?:/i.test(place)) return httpsObjects(place, this.#http);
    if (/^s3:/i.test(place)) return s3Objects(place, this.#http, this.#environment);
    const [scheme = ''] = place.split('//', 1);
    throw new ImportError(
      `${shownPlace(place)}: places with ${scheme} are not supported. Use https:// or s3://, which reads any store with AWS_ENDPOINT_URL`,
    );
  }

  /** Two addresses can differ in what reports do not show. */
  #nameOf({ target: { name, url } }: PlaceObject): string {
    for (let number = 1; ; number += 1) {
      const unique = number === 1 ? name : `${name} (${number})`;
      const known = this.#objects.get(unique);
      if (known === undefined || known.target.url.href === url.href) return unique;
    }
  }

  async #factsOf(name: string): Promise<RemoteFacts> {
    const known = this.#facts.get(name);
    const target = this.#objects.get(name)?.target;
    if (known !== undefined) return known;
    if (target === undefined) throw new Error('only a listed object is requested');
    const pending =
      this.#requested.get(name) ??
      remoteFacts(this.#http, { ...target, name }).finally(() => {
        this.#requested.delete(name);
      });
    this.#requested.set(name, pending);
    const facts = await pending;
    this.#keep(name, facts);
    return facts;
  }

  #keep(name: string, facts: RemoteFacts): void {
    if (this.#facts.has(name)) return;
    this.#facts.set(name, facts);
    this.#headBytes += facts.head.length;
    for (const [oldest, { head }] of this.#facts) {
      if (this.#headBytes <= headBytesMax) return;
      this.#facts.delete(oldest);
      this.#headBytes -= head.length;
    }
  }
}
