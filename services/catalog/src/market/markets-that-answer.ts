import { allOf, anyOf, type Condition } from '../tables/filters.js';
import type { Asking } from '../tables/ask.js';
import { beginningsOf, byBegunWords, byIdPrefix, type Question } from '../tables/question.js';
import type { CatalogueSources } from './markets.js';

/** On `markets`: whatever answers a question, how well it does not matter. */
export const marketsThatAnswer = async (
  sources: CatalogueSources,
  question: Question | null,
  { signal }: Asking,
): Promise<Condition> => {
  if (question === null) return allOf();
  const byWords = byBegunWords(question, await beginningsOf(sources, question, signal));
  return anyOf(byIdPrefix(question), ...(byWords ? [byWords] : []));
};
