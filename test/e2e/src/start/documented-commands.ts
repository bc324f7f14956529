import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

export interface DocumentedCommand {
  readonly line: string;
  /** The answer that the page shows, with `…` for what it leaves out. Null if it shows none. */
  readonly answer: string | null;
}

/** The commands of the `sh` blocks under a heading of a Markdown page. An answer follows its command after `# →`. */
export const commandsUnder = async (path: string, heading: string): Promise<DocumentedCommand[]> => {
  const text = await readFile(path, 'utf8');
  const [, section] = text.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`${path} has no heading ${heading}`);
  const [body = ''] = section.split('\n## ');
  const lines = [...body.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    // A backslash at the end of a line continues the command.
    block.replaceAll('\\\n', '').trimEnd().split('\n'),
  );
  const commands: { line: string; answer: string | null }[] = [];
  for (const line of lines) {
    const last = commands.at(-1);
    if (!line.startsWith('#')) commands.push({ line, answer: null });
    else if (last === undefined) throw new Error(`${path} has an answer before a command: ${line}`);
    else last.answer = (last.answer ?? '') + line.replace(/^#(?: →)?\s+/, '');
  }
  return commands;
};

export interface CommandResult extends DocumentedCommand {
  readonly output: string;
  readonly code: number;
}

const mark = '\u001E';

/** Pastes the commands into one bash, in their order. Stops at the first that fails. */
export const pasteIntoBash = async (
  commands: readonly DocumentedCommand[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<CommandResult[]> => {
  const script = commands.map(
    ({ line }) => `${line}\ncode=$?; printf '${mark}%s${mark}' $code; [ $code = 0 ] || exit 1`,
  );
  const shell = spawn('bash', ['--norc'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (part: Buffer) => (output += String(part)));
  shell.stdin.end(`${script.join('\n')}\n`);
  await once(shell, 'close');
  const parts = output.split(mark);
  return commands.flatMap((command, index) => {
    const [text, code] = parts.slice(2 * index, 2 * index + 2);
    return text === undefined || code === undefined ? [] : [{ ...command, output: text.trim(), code: Number(code) }];
  });
};

/** What differs from one archive and start to the next. Everything else in a shown answer must be as shown. */
const variable: readonly [RegExp, string][] = [
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, 'UUID'],
  [/\b(GEN[A-Z\d]+)-\d\d[A-Z]{3}\d{6,8}(?:-(?:\d\d|T[\d.]+))?/g, '$1-TIME'],
  [/\b\d{4}-\d\d-\d\d\b/g, 'DATE'],
  [/"sha256":"[\da-f]{8}/g, '"sha256":"HASH'],
  [/\b\d{5,}(?:\.\d+)?/g, 'LONG'],
  [/\b\d+\.\d+\b/g, 'DECIMAL'],
];

const withoutVariables = (text: string): string =>
  variable.reduce((result, [pattern, name]) => result.replaceAll(pattern, name), text.replaceAll(/\s*\n\s*/g, ''));

/** Why an output is not the shown answer, or null if it is. */
export const differenceFrom = (answer: string, output: string): string | null => {
  const fragments = withoutVariables(answer).split('…');
  const actual = withoutVariables(output);
  const [first = ''] = fragments;
  if (!actual.startsWith(first)) return `The answer does not start with ${first}`;
  const last = fragments.at(-1) ?? '';
  if (!actual.endsWith(last)) return `The answer does not end with ${last}`;
  let at = 0;
  for (const fragment of fragments) {
    const found = actual.indexOf(fragment, at);
    if (found === -1) return `The answer lacks ${fragment} after ${actual.slice(0, at).slice(-60)}`;
    at = found + fragment.length;
  }
  return null;
};
