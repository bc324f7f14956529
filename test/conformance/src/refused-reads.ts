import assert from 'node:assert/strict';
import { type Answer, jsonOf, type Request } from './http.js';
import { isRecord } from './shape.js';

/** Why a system without a fault may refuse a read: it starts, or this test sends much at once. */
const causes: Readonly<Record<string, RegExp>> = {
  'busy archive': /^The archive is busy\./,
  'bulk reads of one account': /^Your account already has \d+ bulk reads open\./,
  'keys being checked': /^Too many API keys are being checked\./,
  'large answers': /^Too many large answers wait for their clients\./,
  start: /^This server is starting\./,
  'copy behind its stream':
    /^The (?:catalogue does not include the latest changes|list of exports is not up to date) yet\./,
};

/** Calls inside the system wait at least this long before they give up. An outage that is answered sooner is a fault. */
const waitMsMin = 900;

/** The reads that were answered with 503 and sent again. */
export interface RefusedReads {
  /** Throws unless the system was busy or starting. */
  add(request: Pick<Request, 'method' | 'path'>, answer: Answer): void;
  summary(): string;
}

export const refusedReads = (): RefusedReads => {
  const counts = new Map<string, number>();
  return {
    add: ({ method, path }, answer) => {
      const { headers, bytes, ms } = answer;
      const what = `${method} ${path.slice(0, 300)} answered 503 after ${ms.toFixed()} ms: ${bytes.toString().slice(0, 500)}`;
      assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/, what);
      const cause = method === 'HEAD' ? 'HEAD' : causeOf(answer);
      assert.ok(cause !== undefined, what);
      counts.set(cause, (counts.get(cause) ?? 0) + 1);
    },
    summary: () => {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const parts = [...counts].map(([cause, count]) => `${count} x ${cause}`).join(', ');
      return `${total} reads were refused with 503 and sent again${parts === '' ? '' : `: ${parts}`}`;
    },
  };
};

const causeOf = (answer: Answer): string | undefined => {
  const body = jsonOf(answer);
  if (!isRecord(body) || body['code'] !== 'unavailable') return undefined;
  const detail = String(body['detail']);
  const [known] = Object.entries(causes).find(([, text]) => text.test(detail)) ?? [];
  return known ?? (answer.ms >= waitMsMin ? 'call without an answer in time' : undefined);
};
