import { UsageError } from '../error-message.js';

/** `EXPECTED_PROCESSES` of an environment, such as `gateway=3,keys=2`: how many processes of a service there should be. */
export const expectedIn = ({ EXPECTED_PROCESSES: text = '' }: NodeJS.ProcessEnv): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((one) => one !== '')
      .map((one): [string, number] => {
        const [, service, count] = /^([a-z]+)=(\d+)$/.exec(one.trim()) ?? [];
        if (service === undefined)
          throw new UsageError(`EXPECTED_PROCESSES has ${JSON.stringify(one)}. Write it as gateway=3,keys=2.`);
        return [service, Number(count)];
      }),
  );
