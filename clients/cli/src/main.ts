import { Interrupted } from './errors.js';
import { runCommandLine } from './run.js';

const controller = new AbortController();
// The second Ctrl-C ends the process at once.
process.once('SIGINT', () => controller.abort(new Interrupted()));
process.once('SIGTERM', () => controller.abort(new Interrupted()));
// `almanac-data … | head` ends when head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr }, controller.signal);
// A request that was left behind must not keep the process.
if (controller.signal.aborted) process.exit();
