export interface FaultLog {
  /** What was done, as text for a failure. */
  readonly lines: readonly string[];
  /** How many were done, by kind: the first word. */
  readonly counts: Readonly<Record<string, number>>;
  /** Notes a fault while it lasts. */
  run(name: string, act: () => Promise<void>): Promise<void>;
  /** Whether a fault with this in its name lasted at any time since then. */
  wasFaulty(name: RegExp, since: number): boolean;
  /** The faults that lasted at any moment of this time. */
  during(since: number, until: number): string[];
}

/** Connections of a process that was just resumed or started may still break. */
const afterMs = 500;

export const faultLog = (): FaultLog => {
  const began = performance.now();
  const faults: { name: string; since: number; ended: number | null }[] = [];
  const [lines, counts]: [string[], Record<string, number>] = [[], {}];
  return {
    lines,
    counts,
    run: async (name, act) => {
      const since = performance.now();
      const fault: (typeof faults)[number] = { name, since, ended: null };
      faults.push(fault);
      try {
        await act();
      } finally {
        fault.ended = performance.now();
        const [from, to] = [since, fault.ended].map((at) => ((at - began) / 1_000).toFixed(1));
        lines.push(`${from} s to ${to} s: ${name}`);
      }
      const [kind = ''] = name.split(' ');
      counts[kind] = (counts[kind] ?? 0) + 1;
    },
    wasFaulty: (pattern, since) =>
      faults.some(({ name, ended }) => pattern.test(name) && (ended === null || ended + afterMs > since)),
    during: (from, until) =>
      faults
        .filter(({ since, ended }) => since <= until && (ended ?? Infinity) + afterMs > from)
        .map(({ name }) => name),
  };
};
