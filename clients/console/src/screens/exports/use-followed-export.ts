import type { Export } from '@almanac/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { almanac } from '../../api/client.js';

/** An export that follows the server's events until its file is ready. */
export const useFollowedExport = (id: string) => {
  const client = useQueryClient();
  const queryKey = ['exports', 'one', id];
  const found = useQuery({ queryKey, queryFn: ({ signal }) => almanac.exports.get(id, { signal }) });
  const isPending = found.data?.status === 'pending';
  useEffect(() => {
    if (!isPending) return undefined;
    const left = new AbortController();
    const show = (state: Export): void => void client.setQueryData(['exports', 'one', id], state);
    const follow = async (): Promise<void> => {
      try {
        show(await almanac.exports.wait(id, { signal: left.signal, onProgress: show }));
      } catch {
        // A failed or cancelled export, or an outage: the newest state says which.
      }
      if (!left.signal.aborted) void client.invalidateQueries({ queryKey: ['exports'] });
    };
    void follow();
    return () => left.abort();
  }, [isPending, id, client]);
  return found;
};
