// A reporter for Node's test runner. It writes one JSON line for every result that scripts/run-tests.mjs counts.
import { readFileSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';

const ticksPerSecond = 100;

/** Processor seconds of this process, and of the programs that it started and that have ended. Zero for these without /proc. */
const processorSeconds = () => {
  const { user, system } = process.cpuUsage();
  let started = 0;
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    started = (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  } catch {
    // Only Linux has it.
  }
  return { own: (user + system) / 1_000_000, started };
};

const usageFile = process.env.ALMANAC_TEST_USAGE;
if (usageFile !== undefined) process.on('exit', () => writeFileSync(usageFile, JSON.stringify(processorSeconds())));

/**
 * Lines: {kind: 'passed', name}, {kind: 'skipped' | 'failed', name, reason}, {kind: 'note', text}, {kind: 'end'}.
 * Tests count, suites do not. A suite that fails by itself (a hook) counts as one failure. A skipped suite counts as
 * one skipped test, because Node does not report how many tests it contains.
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
  const left = data.skip ?? data.todo;
  if (left !== undefined) return { kind: 'skipped', name, reason: left === true ? 'no reason given' : left };
  return isSuite ? undefined : { kind: 'passed', name };
};

/** Node wraps the error of a test. Its cause is the original. */
const reasonOf = (error) => {
  const cause = error?.cause ?? error;
  return cause instanceof Error ? inspect(cause, { depth: 5 }) : String(cause);
};
