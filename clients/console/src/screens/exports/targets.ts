import type { SearchHit } from '@almanac/client';
import type { Draft } from './request.js';

const targetsMax = 12;

/** Hits of the kind that is exported. A market that is found also leads to its event and its series. */
export const targetsOf = (hits: readonly SearchHit[], kind: Draft['kind']): SearchHit[] => {
  const targets = new Map<string, SearchHit>();
  for (const hit of hits) {
    const target = targetOfHit(hit, kind);
    // The hit itself has a title. What is only named by another one has none.
    if (target !== undefined && (target === hit || !targets.has(target.id))) targets.set(target.id, target);
  }
  return [...targets.values()].slice(0, targetsMax);
};

const targetOfHit = (hit: SearchHit, kind: Draft['kind']): SearchHit | undefined => {
  if (hit.kind === kind) return hit;
  const id = kind === 'event' ? hit.event_ticker : kind === 'series' ? hit.series : null;
  return id === null ? undefined : { ...hit, kind, id, title: null, status: null, close_ts: null };
};
