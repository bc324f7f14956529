import { ImportError, sentenceOf } from '../../errors.js';
import { loadMapping } from '../../mapping/load-mapping.js';
import { isPlace } from '../../places/place-list.js';
import type { KnownOutcomes } from '../../sources/known-outcomes.js';
import type { Mappings } from './detect-format.js';
import type { FoundFile } from './find-files.js';
import type { FileReport } from '../../intake/report.js';
import { fingerprint, idsMax, type WaitingFile, type WaitingFiles } from './waiting-files.js';

type How = WaitingFile['how'];

/** Files that can be imported again in one go. */
export interface ReadyFiles {
  readonly how: How;
  readonly mappings: Mappings;
  readonly files: readonly WaitingFile[];
}

/** What waits for a market, over imports. */
export class WaitingMarkets {
  /** Files and ids that were tried in this import. A file that lacks them again is not tried again. */
  private readonly tried = new Set<string>();
  private readonly lines: string[] = [];

  constructor(
    private readonly files: WaitingFiles,
    private readonly outcomes: KnownOutcomes,
    private readonly builtIn: () => Promise<Mappings>,
  ) {}

  /** Before the first file. */
  async begin(): Promise<void> {
    for (const { ids } of await this.files.list()) this.outcomes.watch(ids);
  }

  /** After each file: the newest import of a file decides whether it waits. */
  async note(
    { file, waitsFor, error }: FileReport,
    { inside, identity }: FoundFile,
    { how, startedAt }: { how: How; startedAt: Date },
  ): Promise<void> {
    if (waitsFor.size === 0) return error === null ? this.files.remove(file) : undefined;
    const ids = Array.from(waitsFor).slice(0, idsMax);
    const place = inside?.outer ?? file;
    await this.files.put({
      file,
      place,
      // An object of a place has a version of its own.
      ...(identity === undefined ? await fingerprint(place) : { bytes: 0, digest: identity }),
      ids,
      ids_n: waitsFor.size,
      since: startedAt.toISOString(),
      how,
    });
  }

  /** The files that waited for what this import has named since, and are the same as before. */
  async ready(): Promise<readonly ReadyFiles[]> {
    const named = (await this.files.list()).filter(({ file, ids }) => this.isNew(file, ids));
    const unchanged: WaitingFile[] = [];
    for (const waiting of named) {
      if (await isUnchanged(waiting)) unchanged.push(waiting);
      else {
        this.lines.push(`${waiting.file} waited for a market of this import, but it has changed or is gone.`);
        await this.files.remove(waiting.file);
      }
    }
    const groups = Map.groupBy(unchanged, ({ how }) => JSON.stringify(how)).values();
    const found: ReadyFiles[] = [];
    for (const files of groups) {
      const [first] = files;
      const mappings = first && (await this.mappingsOf(first));
      if (mappings) found.push({ how: first.how, mappings, files });
    }
    return found;
  }

  /** What could not be imported again, and why. */
  takeLines(): readonly string[] {
    return this.lines.splice(0);
  }

  private isNew(file: string, ids: readonly string[]): boolean {
    const arrived = ids.filter((id) => this.outcomes.hasArrived(id) && !this.tried.has(`${id} ${file}`));
    for (const id of arrived) this.tried.add(`${id} ${file}`);
    return arrived.length > 0;
  }

  private async mappingsOf({ file, how: { mapping } }: WaitingFile): Promise<Mappings | null> {
    if (mapping === null) return this.builtIn();
    try {
      return await loadMapping(mapping);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      this.lines.push(`${file} waited for a market of this import. Import it again: ${sentenceOf(error)}`);
      return null;
    }
  }
}

/** The newest version of an object is as good as the one that waited: its import reads all of it. */
const isUnchanged = async ({ place, digest }: WaitingFile): Promise<boolean> =>
  isPlace(place) || (digest !== null && digest === (await fingerprint(place)).digest);
