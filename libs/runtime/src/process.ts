import { totalmem } from 'node:os';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { ConfigError } from './config.js';
import { createHealth, type Health, type Readiness, readiness, serveHealth } from './health.js';
import { createLogger, type Logger } from './logger.js';
import { gauge } from './metrics.js';
import type { TracingConfig } from './span.js';
import { startTracing } from './tracing.js';

export interface Runtime {
  readonly log: Logger;
  readonly health: Health;
  /** Registers a stop function. Stop functions run one after the other, the last registered first. */
  readonly onStop: (name: string, stop: () => Promise<void> | void) => void;
}

export interface ProcessOptions<Config> {
  readonly name: string;
  readonly config: () => Config;
  readonly start: (config: Config, runtime: Runtime) => Promise<void>;
}

interface ProcessConfig extends TracingConfig {
  readonly HEALTH_HOST: string;
  readonly HEALTH_PORT: number;
  readonly LOG_LEVEL: string;
}

const stopMs = 10_000;
const checkEveryMs = 5_000;

/**
 * Runs a service as this process: configuration, start, health, and on SIGTERM or SIGINT a stop in reverse order
 * within 10 s. A failed start exits with code 1 and one line with the reason.
 */
export const runProcess = async <Config extends ProcessConfig>(options: ProcessOptions<Config>): Promise<void> => {
  const config = configOrExit(options);
  const log = createLogger(options.name, config.LOG_LEVEL);
  const health = createHealth();
  const stops: { name: string; stop: () => Promise<void> | void }[] = [];
  collectDefaultMetrics({ register: health.metrics });
  describeProcess(options.name, health.metrics);
  // Without a listener, a closed pipe or a full disk would end the process at its next warning.
  process.stderr.on('error', () => undefined);
  const stop = createStop({ health, log, stops });
  process.once('SIGTERM', () => void stop('SIGTERM'));
  process.once('SIGINT', () => void stop('SIGINT'));
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'unhandled error');
      void stop(event, 1);
    });
  }
  try {
    const tracer = await startTracing(options.name, config, log);
    // Stops last, because the other stop functions may create spans.
    if (tracer !== undefined) stops.push({ name: 'traces', stop: () => tracer.stop() });
    const served = await serveHealth(health, { host: config.HEALTH_HOST, port: config.HEALTH_PORT });
    stops.push({ name: 'health', stop: () => void served.server.close() });
    stops.push({ name: 'changes', stop: logHealthChanges(health, log) });
    await options.start(config, { log, health, onStop: (name, stopPart) => void stops.push({ name, stop: stopPart }) });
    health.serving = true;
    log.info({ health_port: served.port }, 'started');
    // For a parent process. It does not matter if the parent has exited.
    process.send?.({ started: options.name, healthPort: served.port }, undefined, undefined, () => undefined);
  } catch (error) {
    // A start that is interrupted by a stop has not failed.
    if (!health.stopping) log.fatal({ err: error }, 'the process could not start');
    await stop('failed start', 1);
  }
};

/** What alerts compare with: which services have a process, and how much memory each may use. */
const describeProcess = (service: string, register: Registry): void => {
  const info = 'the service of this process; always 1';
  new Gauge({ name: 'almanac_process_info', help: info, labelNames: ['service'], registers: [register] }).set(
    { service },
    1,
  );
  const constrained = process.constrainedMemory();
  const limit = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  gauge('almanac_memory_limit_bytes', 'memory of the container, or else of the machine', register).set(limit);
};

const configOrExit = <Config>(options: ProcessOptions<Config>): Config => {
  try {
    return options.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${options.name}: ${error.message}\n`);
    process.exit(1);
  }
};

const createStop = (context: {
  health: Health;
  log: Logger;
  stops: { name: string; stop: () => Promise<void> | void }[];
}) => {
  let stopping = false;
  return async (reason: string, code = 0): Promise<void> => {
    if (stopping) return;
    stopping = true;
    context.health.stopping = true;
    context.health.serving = false;
    context.log.info({ reason }, 'stopping');
    setTimeout(() => process.exit(code || 1), stopMs).unref();
    // The NATS client takes a stack trace when it closes, which nobody reads. With the source map of the whole bundle, it
    // takes half a second.
    const { sourceMapsEnabled } = process;
    process.setSourceMapsEnabled(false);
    for (const { name, stop } of context.stops.toReversed()) {
      try {
        await stop();
      } catch (error) {
        process.setSourceMapsEnabled(sourceMapsEnabled);
        context.log.error({ err: error, part: name }, 'a part of the process did not stop cleanly');
      }
    }
    process.exit(code);
  };
};

/**
 * Logs each check that starts to fail or recovers, whoever ran it. It also runs the checks by itself, because there
 * may be no requests to /readyz. Call the returned function to end it.
 */
const logHealthChanges = (health: Health, log: Logger): (() => void) => {
  const failingNames = new Set<string>();
  health.onReadiness = ({ checks, degraded = {} }: Readiness): void => {
    if (health.stopping) return;
    const outcomes = Object.entries({ ...checks, ...degraded });
    const failingChecks = new Map(outcomes.filter(([name, outcome]) => name !== 'process' && outcome !== 'ok'));
    for (const [check, outcome] of failingChecks) {
      if (!failingNames.has(check)) log.warn({ check, outcome, degraded: check in degraded }, 'a check fails');
      failingNames.add(check);
    }
    for (const check of [...failingNames].filter((name) => !failingChecks.has(name))) {
      log.info({ check }, 'a check passes again');
      failingNames.delete(check);
    }
  };
  const timer = setInterval(() => void readiness(health), checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
};
