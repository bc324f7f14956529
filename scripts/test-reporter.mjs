// A reporter of Node's test runner: one JSON line for every result that scripts/run-tests.mjs counts.
import { inspect } from 'node:util';

/**
 * Lines: {kind: 'passed' | 'skipped', name}, {kind: 'failed', name, reason}, {kind: 'note', text}, {kind: 'end'}.
 * Tests count, suites do not; a suite that failed by itself (a hook) counts as a failure.
 */
// oxlint-disable-next-line import/no-default-export -- The runner wants it so.
export default async function* report(events) {
  for await (const { type, data } of events) {
    const line = lineOf(type, data);
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
}

const lineOf = (type, data) => {
  if (type === 'test:summary') return { kind: 'end' };
  if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) return { kind: 'note', text: data.message };
  if (type !== 'test:pass' && type !== 'test:fail') return undefined;
  const { name, details } = data;
  const isSuite = details.type === 'suite';
  if (type === 'test:fail') {
    if (isSuite && details.error?.failureType === 'subtestsFailed') return undefined;
    return { kind: 'failed', name, reason: reasonOf(details.error) };
  }
  if (isSuite) return undefined;
  return { kind: data.skip === undefined && data.todo === undefined ? 'passed' : 'skipped', name };
};

/** Node wraps what a test threw; the cause is what its author wants to see. */
const reasonOf = (error) => {
  const cause = error?.cause ?? error;
  return cause instanceof Error ? inspect(cause, { depth: 5 }) : String(cause);
};
