import { ConfigError, runProcess } from '@almanac/runtime';
import { captureArguments, captureUsage, readCaptureConfig } from './capture/capture-config.js';
import { runCapture } from './capture/start-capture.js';
import { ImportError } from './errors.js';

/** The command `npm run capture`. It runs until SIGTERM or SIGINT and exits with 0 after a clean end. */
const main = async (environment: NodeJS.ProcessEnv, given: readonly string[]): Promise<void> => {
  if (given.includes('--help') || given.includes('-h')) {
    console.log(captureUsage);
    return;
  }
  const config = await readCaptureConfig(environment, captureArguments(given));
  await runProcess({ name: 'capture', config: () => config, start: runCapture });
};

try {
  await main(process.env, process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ImportError || error instanceof ConfigError)) throw error;
  console.error(`capture: ${error.message}`);
  process.exitCode = 1;
}
