import { type CompiledMapping, compileMapping } from '../../mapping/compile-mapping.js';
import { withDeclaredTimes } from '../../mapping/declared-times.js';
import type { Mapping } from '../../mapping/mapping.js';
import { onlyRows } from '../../mapping/only-rows.js';
import type { KnownOutcomes } from '../../sources/known-outcomes.js';
import type { Source } from '../../sources/source.js';
import { joinedRows } from './joined-rows.js';

interface BoundRows {
  readonly compiled: CompiledMapping;
  readonly source: Source;
  readonly warnings: readonly string[];
}

/** The rows of a file with what its mapping says about them. Throws an `ImportError` for a missing column. */
export const boundRows = (
  found: { readonly mapping: Mapping; readonly source: Source },
  file: string,
  outcomes: Pick<KnownOutcomes, 'get' | 'find'>,
): BoundRows => {
  const { mapping, warnings } = withDeclaredTimes(found.mapping, file, found.source);
  const chosen = onlyRows(found.source, mapping, file);
  const { fields, source } = joinedRows(chosen, mapping, { outcomes, file });
  return { compiled: compileMapping({ ...mapping, fields }, file, source.findCell), source, warnings };
};
