export interface FaultLog {
  /** What was done, as text for a failure. */
  readonly lines: readonly string[];
  /** How many were done, by kind: the first word. */
  readonly counts: Readonly<Record<string, number>>;
  /** Notes a fault while it lasts. */
  run(name: string, act: () => Promise<void>): Promise<void>;
  /** Whether a gateway was down or frozen at any time since then. */
  wasGatewayDown(since: number): boolean;
}

/** Connections of a gateway that was just resumed or started may still break. */
const afterMs = 500;

export const faultLog = (): FaultLog => {
  const began = performance.now();
  const gatewayFaults: { ended: number | null }[] = [];
  const [lines, counts]: [string[], Record<string, number>] = [[], {}];
  return {
    lines,
    counts,
    run: async (name, act) => {
      const since = performance.now();
      const fault: { ended: number | null } = { ended: null };
      if (/gateway|everything/.test(name)) gatewayFaults.push(fault);
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
    wasGatewayDown: (since) => gatewayFaults.some(({ ended }) => ended === null || ended + afterMs > since),
  };
};
