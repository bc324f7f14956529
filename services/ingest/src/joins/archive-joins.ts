import type { CatalogueFact } from '@almanac/contracts';
import type { Archive, ObservationBatch } from '../archive.js';
import { CoinJoins } from './coin-joins.js';
import { ParentJoins } from './parent-joins.js';

/** Joins what an import stored with what earlier imports did, so that the order of imports does not matter. */
export class ArchiveJoins {
  private readonly parents: ParentJoins;
  private readonly coins: CoinJoins;

  constructor(
    private readonly archive: Archive,
    onLine: (line: string) => void,
  ) {
    this.parents = new ParentJoins(archive);
    this.coins = new CoinJoins(archive, onLine);
  }

  seeBatch(batch: ObservationBatch): void {
    this.coins.seeBatch(batch);
  }

  async seeFacts(facts: readonly CatalogueFact[]): Promise<void> {
    this.coins.seeFacts(facts);
    await this.parents.seeFacts(facts);
  }

  /** Resolves when queries can find everything. */
  async join(): Promise<void> {
    await this.archive.settled();
    if (await this.parents.join()) await this.archive.settled();
    if (await this.coins.join()) await this.archive.settled();
  }
}
