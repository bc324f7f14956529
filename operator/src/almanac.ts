import { createInterface } from 'node:readline/promises';
import { runCommandLine } from './command-line.js';

const confirm = async (prompt: string): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`${prompt} Type yes to go on: `)).trim() === 'yes';
  } finally {
    terminal.close();
  }
};

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
  confirm: process.stdin.isTTY ? confirm : null,
});
