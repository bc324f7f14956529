import { Interrupted } from './errors.js';
import { exitCodes } from './exit-codes.js';
import { runCommandLine } from './run.js';

const controller = new AbortController();
// The second Ctrl-C ends the process at once.
process.once('SIGINT', () => controller.abort(new Interrupted()));
process.once('SIGTERM', () => controller.abort(new Interrupted()));
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `almanac-data … | head` ends when head does.
    if (error.code === 'EPIPE') process.exit(0);
    const detail = `The output cannot be written (${error.code ?? error.message}).`;
    if (stream === process.stdout) process.stderr.write(`error: ${detail} What was written is incomplete.\n`);
    process.exit(exitCodes.file[0]);
  });
}

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr }, controller.signal);
// A request that was left behind must not keep the process.
if (controller.signal.aborted) process.exit();
