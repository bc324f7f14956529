import { DomainError } from '@almanac/contracts';

export type Request = readonly [name: string, ask: () => Promise<unknown>];

/** The answers, by the name of their request. A refusal is an answer, too. */
export const answersTo = async (requests: readonly Request[]): Promise<Map<string, string>> => {
  const answers = new Map<string, string>();
  for (const [name, ask] of requests) {
    const answer = await ask().then(
      (body) => JSON.stringify(body),
      (error: unknown) => {
        if (!(error instanceof DomainError) || error.code === 'internal' || error.code === 'unavailable') throw error;
        return `${error.code} ${error.detail}`;
      },
    );
    answers.set(name, answer);
  }
  return answers;
};
