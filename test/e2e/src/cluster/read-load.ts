import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ApiClient } from '../api.js';

/** A read that takes longer is slow. */
const slowMs = 1_000;
const slowestMax = 100;

/** Paths by the kind of read. The number makes them different where a read must not come from memory. */
export type Reads = Readonly<Record<string, (n: number) => string>>;

export interface Outcome {
  readonly kind: string;
  readonly status: number;
  readonly beganMs: number;
  readonly tookMs: number;
  /** Its trace, if the services send theirs somewhere (`OTEL_EXPORTER_OTLP_ENDPOINT`, `parentbased_always_off`). */
  readonly trace: string;
  /** What had happened before the read was sent. */
  readonly after: string;
  readonly text: string;
}

/** What sends reads. */
type ReadClient = Pick<ApiClient, 'send'>;

/**
 * Sends to the first client, as a load balancer that knows which gateways are ready. What it could not send, because its
 * gateway has ended or is not ready yet, it sends to the next one.
 */
export const balanced = ([first, ...others]: readonly ReadClient[]): ReadClient => ({
  send: async (path, init) => {
    if (first === undefined) throw new Error('there is no gateway');
    if (others.length === 0) return first.send(path, init);
    const answer = await first.send(path, init).catch(() => undefined);
    return answer === undefined || isStarting(answer) ? balanced(others).send(path, init) : answer;
  },
});

const isStarting = ({ status, bytes }: Answer): boolean => status === 503 && bytes.includes('This server is starting');

export interface ReadLoad {
  /** What happened last. */
  note(after: string): void;
  /** Resolves when every read has its outcome. */
  stop(): Promise<readonly Outcome[]>;
}

/** Sends reads of all kinds in turn at a fixed rate, whether answers come or not, at one gateway after the other. */
export const readLoad = (apis: readonly ReadClient[], reads: Reads, perSecond: number): ReadLoad => {
  const outcomes: Outcome[] = [];
  const open = new Set<Promise<void>>();
  const kinds = Object.entries(reads);
  const state = { after: 'nothing', stopped: false };
  const readOnce = async (n: number): Promise<void> => {
    const [kind, pathOf] = kinds[n % kinds.length] ?? [];
    const api = apis[Math.floor(n / kinds.length) % apis.length];
    if (kind === undefined || pathOf === undefined || api === undefined) throw new Error('there is nothing to read');
    const beganMs = performance.now();
    const { after } = state;
    const trace = randomBytes(16).toString('hex');
    const headers = { traceparent: `00-${trace}-${trace.slice(16)}-01` };
    const { status, text } = await api.send(pathOf(n), { headers }).then(
      (answer) => ({ status: answer.status, text: answer.status === 200 ? '' : answer.bytes.toString('utf8') }),
      (error: unknown) => ({ status: 0, text: String(error) }),
    );
    outcomes.push({ kind, status, beganMs, tookMs: performance.now() - beganMs, trace, after, text });
  };
  const pacing = (async () => {
    const startedMs = performance.now();
    let sent = 0;
    while (!state.stopped) {
      const due = ((performance.now() - startedMs) / 1_000) * perSecond;
      for (; sent < due; sent += 1) {
        const one: Promise<void> = readOnce(sent).finally(() => open.delete(one));
        open.add(one);
      }
      await delay(5);
    }
  })();
  return {
    note: (after) => void (state.after = after),
    stop: async () => {
      state.stopped = true;
      await pacing;
      await Promise.all(open);
      return outcomes;
    },
  };
};

/** Numbers and times of reads, by their kind. */
export const figuresOf = (outcomes: readonly Outcome[]) =>
  [...Map.groupBy(outcomes, ({ kind }) => kind), ['all', outcomes] as const].map(([kind, own]) => {
    const took = own.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
    const at = (part: number): number =>
      Math.round(took[Math.min(took.length - 1, Math.floor(part * took.length))] ?? 0);
    const failed = own.filter(({ status }) => status !== 200).length;
    const late = took.filter((ms) => ms > slowMs).length;
    return { kind, n: own.length, failed, over_1s: late, p50: at(0.5), p99: at(0.99), max: at(1) };
  });

/** How many reads were slow by the kinds of faults that lasted meanwhile, and the slowest ones. */
export const slowReadsOf = (
  outcomes: readonly Outcome[],
  faultsDuring: (sinceMs: number, untilMs: number) => readonly string[],
) => {
  const slow = outcomes
    .filter(({ tookMs }) => tookMs > slowMs)
    .toSorted((a, b) => b.tookMs - a.tookMs)
    .map(({ kind, beganMs, tookMs, trace }) => ({
      kind,
      took_ms: Math.round(tookMs),
      at_s: Math.round(beganMs / 100) / 10,
      faults: faultsDuring(beganMs, beganMs + tookMs),
      trace,
    }));
  const by: Record<string, number> = {};
  for (const { faults } of slow) {
    const met = [...new Set(faults.map((fault) => fault.split(' ')[0] ?? ''))].toSorted().join(' + ') || 'none';
    by[met] = (by[met] ?? 0) + 1;
  }
  return { by, slowest: slow.slice(0, slowestMax) };
};

/** How many reads failed, by kind, status and what had happened. */
export const failuresOf = (outcomes: readonly Outcome[]): Readonly<Record<string, number>> => {
  const failures: Record<string, number> = {};
  for (const { kind, status, after, text } of outcomes) {
    if (status === 200) continue;
    const name = `${kind} ${status} after ${after}: ${text.slice(0, 90)}`;
    failures[name] = (failures[name] ?? 0) + 1;
  }
  return failures;
};
