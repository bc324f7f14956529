// A reporter for Node's test runner. It writes one JSON line for every result that scripts/run-tests.mjs counts.
import { inspect } from 'node:util';

/**
 * Lines: {kind: 'passed', name}, {kind: 'skipped' | 'failed', name, reason}, {kind: 'note', text}, {kind: 'remark', text},
 * {kind: 'file', name} after all results of a file, {kind: 'end'}. A remark is a diagnostic of a test that begins with
 * `Remark: `. Tests count, suites do not. A suite that fails by itself (a hook) counts as one failure. A skipped suite counts
 * as one skipped test, because Node does not report how many tests it contains.
 */
// oxlint-disable-next-line import/no-default-export -- The runner wants it so.
export default async function* report(events) {
  for await (const { type, data } of events) {
    for (const line of linesOf(type, data)) yield `${JSON.stringify(line)}\n`;
  }
}

const remark = 'Remark: ';

const linesOf = (type, data) => {
  if (type === 'test:summary') return [{ kind: 'end' }];
  if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) return [{ kind: 'note', text: data.message }];
  if (type === 'test:diagnostic' && data.message.startsWith(remark))
    return [{ kind: 'remark', text: data.message.slice(remark.length) }];
  if (type !== 'test:pass' && type !== 'test:fail') return [];
  const result = resultOf(type, data);
  const lines = result === undefined ? [] : [result];
  // Each file is a suite of scripts/test-group.mjs.
  if (data.nesting === 0) lines.push({ kind: 'file', name: data.name });
  return lines;
};

const resultOf = (type, { name, nesting, details, skip, todo }) => {
  const isSuite = details.type === 'suite';
  if (type === 'test:fail') {
    if (isSuite && details.error?.failureType === 'subtestsFailed') return undefined;
    return { kind: 'failed', name: nesting === 0 ? 'the file itself' : name, reason: reasonOf(details.error) };
  }
  const left = skip ?? todo;
  if (left !== undefined) return { kind: 'skipped', name, reason: left === true ? 'no reason given' : left };
  return isSuite ? undefined : { kind: 'passed', name };
};

/** Node wraps the error of a test. Its cause is the original. */
const reasonOf = (error) => {
  const cause = error?.cause ?? error;
  return cause instanceof Error ? inspect(cause, { depth: 5 }) : String(cause);
};
