import { DomainError } from '@almanac/contracts';
import type { ObjectStore } from '@almanac/object-store';

/**
 * True only if the object store answers that the object is missing. An outage does not count: it answers `whenUnknown`,
 * or throws `unavailable` without it.
 */
export const isObjectMissing = async (
  objects: ObjectStore,
  storageKey: string,
  { whenUnknown }: { readonly whenUnknown?: boolean } = {},
): Promise<boolean> => {
  try {
    if ((await objects.head(storageKey)) !== undefined) return false;
    // Without its bucket the store reports every object as missing, and no file could be prepared again.
    await objects.check();
    return true;
  } catch (cause) {
    if (whenUnknown !== undefined) return whenUnknown;
    throw new DomainError('unavailable', 'The file is temporarily unavailable. Try again in a few seconds.', { cause });
  }
};
