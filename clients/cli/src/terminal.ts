import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './errors.js';

/** Where a command runs. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

const columnsDefault = 80;

/** Wide tables are cut only where somebody reads them. A pipe gets whole values. */
export const columnsOf = ({ stdout }: Terminal): number =>
  stdout.isTTY ? Math.max(40, stdout.columns || columnsDefault) : Infinity;

export type Style = 'bold' | 'dim' | 'green' | 'red';
const codes: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32 };

export type Paint = (style: Style, text: string) => string;

/** Colours only on a terminal, and not with NO_COLOR (no-color.org). */
export const painterOf = ({ env }: Terminal, stream: NodeJS.WriteStream): Paint => {
  const hasColors = stream.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return (style, text) => (hasColors && text !== '' ? `\u001B[${codes[style]}m${text}\u001B[0m` : text);
};

/** One line of input. A secret is not shown. */
export const prompt = async (
  { stdin, stderr }: Terminal,
  question: string,
  { isSecret, signal }: { readonly isSecret: boolean; readonly signal: AbortSignal },
): Promise<string> => {
  const unseen = new Writable({ write: (_bytes, _encoding, done) => done() });
  stderr.write(question);
  const lines = createInterface({ input: stdin, output: isSecret ? unseen : stderr, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      // The line editor takes Ctrl-C for itself.
      lines.once('line', resolve).once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      lines.once('close', () => reject(new UsageError('There is no input.')));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  } finally {
    lines.close();
    if (isSecret) stderr.write('\n');
  }
};
