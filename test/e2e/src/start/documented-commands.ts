import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface DocumentedCommand {
  readonly line: string;
  /** The answer that the page shows, with `…` for what it leaves out. Null if it shows none. */
  readonly answer: string | null;
}

/** The code blocks of a language under a heading of a Markdown page. Without a heading, those before the first one. */
export const codeUnder = async (path: string, heading: string | null, language: string): Promise<string[]> => {
  const text = await readFile(path, 'utf8');
  const section = heading === null ? text : text.split(`\n## ${heading}\n`)[1];
  if (section === undefined) throw new Error(`${path} has no heading ${heading}`);
  const [body = ''] = section.split('\n## ');
  return [...body.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
};

/** The commands of the `sh` blocks under a heading of a Markdown page. An answer follows its command after `# →`. */
export const commandsUnder = async (path: string, heading: string): Promise<DocumentedCommand[]> => {
  const lines = (await codeUnder(path, heading, 'sh')).flatMap((block) =>
    // A backslash at the end of a line continues the command.
    block.replaceAll('\\\n', '').trimEnd().split('\n'),
  );
  const commands: { line: string; answer: string | null }[] = [];
  for (const line of lines) {
    const last = commands.at(-1);
    if (!line.startsWith('#')) commands.push({ line, answer: null });
    else if (last === undefined) throw new Error(`${path} has an answer before a command: ${line}`);
    else last.answer = `${last.answer ?? ''}${line.replace(/^#(?: →)?\s+/, '')}\n`;
  }
  return commands;
};

/** The page of tasks, and those of its sections whose commands only read, export and register. */
export const tourPage = 'docs/tour.md';
const tourSections = [
  'Set up',
  'Find data with holes',
  'Read prices, trades and books',
  'Backtest honestly',
  'Download in bulk',
  'Follow changes',
] as const;

/** The commands of the tour, in the order of the page, without those of clients and imports. */
export const tourCommands = async (repository: string): Promise<DocumentedCommand[]> => {
  const sections = tourSections.map((heading) => commandsUnder(join(repository, tourPage), heading));
  return (await Promise.all(sections)).flat();
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
  [/\b(GEN[A-Z\d]+)-\d\d[A-Z]{3}\d{4,8}(?:-(?:\d\d|T[\d.]+))?/g, '$1-TIME'],
  [/\b\d{4}-\d\d-\d\d\b/g, 'DATE'],
  [/\b\d\d:\d\d:\d\d\b/g, 'CLOCK'],
  [/"sha256":"[\da-f]{8}/g, '"sha256":"HASH'],
  [/\b\d{5,}(?:\.\d+)?/g, 'LONG'],
  [/\b\d+\.\d+\b/g, 'DECIMAL'],
];

/** Lines are joined last: joined before, the end of one line and the begin of the next could look like one number. */
const withoutVariables = (text: string): string =>
  variable.reduce((result, [pattern, name]) => result.replaceAll(pattern, name), text).replaceAll(/\s*\n\s*/g, '');

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
