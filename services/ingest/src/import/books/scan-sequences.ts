import type { SequenceRule } from '../../books/sequence-rules.js';
import type { Placed } from '../../books/subscriptions.js';

/** Lines of a file that decide. A longer file is like its beginning. */
export const scanLinesMax = 300_000;
/** Runs of consecutive numbers of all files, 32 bytes each. */
const runsMax = 1_000_000;

/** Consecutive numbers of one subscription in one file. */
interface Run {
  readonly fromUs: number;
  readonly from: number;
  toUs: number;
  to: number;
}

/** The numbers of one subscription in one file. */
export interface NumberedFile {
  readonly path: string;
  readonly runs: Run[];
  readonly tickers: Set<string>;
  messages: number;
  jumps: number;
  /** Whether it has the subscription from its first message on. */
  isFromStart: boolean;
  /** Whether the file goes on after what was read of it. */
  isCut: boolean;
}

/** What the files of an import show about the numbers of their subscriptions. */
export interface FoundSequences {
  ruleOf(path: string, sid: number | null): SequenceRule;
  isLost(path: string, from: Placed, to: Placed): boolean;
}

/** Collects the numbers of the files of an import. */
export const sequenceScan = () => {
  const bySid = new Map<number, NumberedFile[]>();
  let runs = 0;
  return {
    /** Adds the next numbered message of a file. `isFirst`: a subscription began just before it. */
    add: (path: string, { us, sid, seq }: Placed, { ticker, isFirst }: { ticker: string | null; isFirst: boolean }) => {
      if (sid === null || seq === null) return;
      const files = bySid.get(sid) ?? [];
      bySid.set(sid, files);
      let file = files.at(-1)?.path === path ? files.at(-1) : undefined;
      if (!file) files.push((file = newFile(path, isFirst && seq === 1)));
      if (ticker !== null && file.tickers.size < 2) file.tickers.add(ticker);
      file.messages += 1;
      const last = file.runs.at(-1);
      if (last !== undefined && seq === last.to + 1) {
        last.to = seq;
        last.toUs = us;
        return;
      }
      if (last !== undefined && seq > last.to) file.jumps += 1;
      if (runs >= runsMax) return;
      runs += 1;
      file.runs.push({ fromUs: us, from: seq, toUs: us, to: seq });
    },
    /** Says that a file has further messages, which are not added. */
    cut: (path: string) => {
      for (const files of bySid.values()) for (const file of files) if (file.path === path) file.isCut = true;
    },
    found: (): FoundSequences => decided(bySid, runs < runsMax),
  };
};

const newFile = (path: string, isFromStart: boolean): NumberedFile => ({
  path,
  runs: [],
  tickers: new Set(),
  messages: 0,
  jumps: 0,
  isFromStart,
  isCut: false,
});

interface Decision {
  readonly rule: SequenceRule;
  /** Numbers that no file has, with the times around them. Null: the file alone decides. */
  readonly holes: readonly Run[] | null;
  /** Later numbers were not read in all files, so each jump after it counts as a loss. */
  readonly knownTo: number;
}

const unknown: Decision = { rule: 'whole', holes: null, knownTo: Infinity };

const decided = (bySid: ReadonlyMap<number, readonly NumberedFile[]>, isWhole: boolean): FoundSequences => {
  const decisions = new Map<string, Decision>();
  for (const [sid, files] of bySid)
    for (const group of isWhole ? overlapping(files) : files.map((file) => [file]))
      for (const [path, decision] of decisionsOf(group)) decisions.set(`${sid} ${path}`, decision);
  const of = (path: string, sid: number | null): Decision => decisions.get(`${sid ?? ''} ${path}`) ?? unknown;
  return {
    ruleOf: (path, sid) => of(path, sid).rule,
    isLost: (path, from, to) => {
      const { holes, knownTo } = of(path, to.sid);
      if (holes === null || from.seq === null || to.seq === null) return true;
      const [low, high] = [from.seq, to.seq];
      if (high > knownTo) return true;
      return holes.some((hole) => hole.from >= low && hole.to <= high && hole.fromUs >= from.us && hole.toUs <= to.us);
    },
  };
};

/** Files of one time may have parts of one subscription. Those of other times have another one. */
const overlapping = (files: readonly NumberedFile[]): readonly (readonly NumberedFile[])[] => {
  const groups: NumberedFile[][] = [];
  let untilUs = -Infinity;
  for (const file of files.toSorted((a, b) => startOf(a) - startOf(b))) {
    if (startOf(file) > untilUs) groups.push([]);
    groups.at(-1)?.push(file);
    untilUs = Math.max(untilUs, file.runs.at(-1)?.toUs ?? 0);
  }
  return groups;
};

const startOf = ({ runs }: NumberedFile): number => runs[0]?.fromUs ?? 0;

const decisionsOf = (files: readonly NumberedFile[]): readonly (readonly [string, Decision])[] => {
  const [only] = files;
  const alone = (file: NumberedFile) => [file.path, { ...unknown, rule: ruleOf(file) }] as const;
  if (only === undefined || files.length === 1) return files.map(alone);
  const runs = files.flatMap((file) => file.runs).toSorted((a, b) => a.fromUs - b.fromUs || a.from - b.from);
  const holes: Run[] = [];
  let falls = 0;
  for (const [at, run] of runs.entries()) {
    const before = runs[at - 1];
    if (before === undefined || run.from === before.to + 1) continue;
    if (run.from <= before.to) falls += 1;
    else holes.push({ fromUs: before.toUs, from: before.to, toUs: run.fromUs, to: run.from });
  }
  // Two connections with one number: their messages are not one sequence.
  if (falls > files.length) return files.map(alone);
  const union: NumberedFile = {
    path: '',
    runs,
    tickers: new Set(files.flatMap(({ tickers }) => [...tickers])),
    messages: files.reduce((sum, { messages }) => sum + messages, 0),
    jumps: holes.length,
    isFromStart: false,
    isCut: false,
  };
  const knownTo = Math.min(...files.filter(({ isCut }) => isCut).map((file) => file.runs.at(-1)?.to ?? 0));
  return files.map(({ path }) => [path, { rule: ruleOf(union), holes, knownTo }] as const);
};

/** A jump at every tenth message of a single market comes from other markets, and not from losses. */
const ruleOf = ({ jumps, messages, tickers, isFromStart }: NumberedFile): SequenceRule => {
  if (jumps === 0 || isFromStart) return 'whole';
  const isMostlyJumps = jumps * 2 > messages || (jumps >= 4 && jumps * 4 > messages);
  return (tickers.size > 1 ? isMostlyJumps : jumps * 10 > messages) ? 'shared' : 'whole';
};
