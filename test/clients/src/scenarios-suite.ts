import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import type { ClientDriver, Outcome } from './client-driver.js';
import { differences } from './match.js';
import type { ClientsSystem } from './clients-system.js';
import {
  at,
  type ClientName,
  clientNames,
  readScenarios,
  type Scenario,
  type Step,
  type Variables,
  withVariables,
} from './scenario.js';

const { scenarios } = await readScenarios(new URL('../scenarios.yaml', import.meta.url));

/** Runs every scenario with one client against a running system. */
export const describeScenarios = (
  name: ClientName,
  startDriver: () => Promise<ClientDriver>,
  clients: () => ClientsSystem,
): void => {
  describe(`the client ${name}`, () => {
    let driver: ClientDriver;
    before(async () => {
      driver = await startDriver();
    });
    after(() => driver.stop?.());

    for (const scenario of scenarios.filter(({ not_in }) => not_in[name] === undefined)) {
      it(scenario.name, () => runScenario(scenario, { name, driver }, clients()));
    }
  });
};

interface DrivenClient {
  readonly name: ClientName;
  readonly driver: ClientDriver;
}

const utcDay = (): number => Math.floor(Date.now() / 86_400_000);

const runScenario = async (scenario: Scenario, client: DrivenClient, clients: ClientsSystem): Promise<void> => {
  const day = utcDay();
  try {
    await runSteps(scenario, client, clients);
  } catch (error) {
    // At midnight, limits of a day begin again, and `today` is another day.
    if (utcDay() === day) throw error;
    await runSteps(scenario, client, clients);
  }
};

const runSteps = async (scenario: Scenario, { name, driver }: DrivenClient, clients: ClientsSystem): Promise<void> => {
  const variables = variablesOf(clients, name);
  variables.set('folder', await clients.makeFolder());
  const apiKey = await clients.key(scenario.plan);
  const client = { base_url: clients.baseUrl, api_key: apiKey };
  const end = await clients.begin(scenario.during);
  try {
    for (const step of scenario.steps.filter(({ not_in }) => not_in[name] === undefined)) {
      if (step.spend_requests) await spendRequests(clients.baseUrl, apiKey);
      const outcome = await runUntilExpected(step, { driver, client, variables });
      if (!('result' in outcome)) continue;
      for (const [key, path] of Object.entries(step.save)) variables.set(key, at(outcome.result, path));
    }
  } finally {
    await end();
  }
};

/** What scenarios name by variables, because it differs from one run to the next, and from one client to the next. */
const variablesOf = ({ markets, foreignUrl, closedUrl }: ClientsSystem, name: ClientName): Variables => {
  const market = markets[clientNames.indexOf(name)] ?? assert.fail('there are too few markets');
  const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  return new Map<string, unknown>([
    ['ticker', market.ticker],
    ['event', market.event],
    ['open_ts', market.openTs],
    ['close_ts', market.closeTs],
    ['mid_ts', market.openTs + 450],
    ['mid_fraction_ts', market.openTs + 450.250_001],
    ['ladder_ticker', market.ladderTicker],
    ['ladder_event', market.ladderEvent],
    ['future_s', Math.floor(Date.now() / 1_000) + 86_400],
    ['today', day(0)],
    ['yesterday', day(-1)],
    ['no_day', '2001-01-01'],
    ['foreign_url', foreignUrl],
    ['closed_url', closedUrl],
  ]);
};

const requestsMax = 1_000;

/** Sends requests until one is refused. A client whose calls take a second each would never reach the limit of a minute. */
const spendRequests = async (baseUrl: string, key: string): Promise<void> => {
  for (let sent = 0; sent < requestsMax; sent += 1) {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${baseUrl}/api/v1/plan`, { headers, signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    if (response.status === 429) return;
  }
  throw new Error(`none of ${requestsMax} requests was refused`);
};

interface StepContext {
  readonly driver: ClientDriver;
  readonly client: Readonly<Record<string, unknown>>;
  readonly variables: Variables;
}

const runUntilExpected = async (step: Step, context: StepContext): Promise<Outcome> => {
  const runOnce = async (): Promise<Outcome> => {
    const outcome = await runStep(step, context);
    checkOutcome(step, outcome, context.variables);
    return outcome;
  };
  return step.eventually ? eventually(runOnce) : runOnce();
};

const runStep = async (step: Step, { driver, client, variables }: StepContext): Promise<Outcome> => {
  const given = (fields: Record<string, unknown>) => withVariables(fields, variables) as Record<string, unknown>;
  const { call, take, max, times } = step;
  const driven = {
    call,
    take,
    max,
    args: given(step.args),
    options: given(step.options),
    client: { ...client, ...given(step.client) },
  };
  let outcome = await driver.run(driven);
  for (let run = 1; run < times && 'result' in outcome; run += 1) outcome = await driver.run(driven);
  return outcome;
};

const checkOutcome = (step: Step, outcome: Outcome, variables: Variables): void => {
  const { call, error: expectedError, expect: expected, count } = step;
  if (expectedError !== undefined) {
    assert.ok('error' in outcome, `${call} returned ${JSON.stringify(outcome).slice(0, 300)}`);
    assert.deepEqual(differences(outcome.error, withVariables(expectedError, variables), `the error of ${call}`), []);
    for (const name of ['detail', 'remedy']) assert.equal(typeof outcome.error[name], 'string', name);
    return;
  }
  assert.ok('result' in outcome, `${call} failed: ${JSON.stringify(outcome).slice(0, 500)}`);
  if (count !== undefined) assert.equal((outcome.result as unknown[]).length, count, `the number of items of ${call}`);
  if (expected === undefined) return;
  assert.deepEqual(differences(outcome.result, withVariables(expected, variables), call), []);
};
