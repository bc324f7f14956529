import { useEffect, useState } from 'react';

/** A value that follows when the given one has not changed for a while, so that typing sends no request per letter. */
export const useDelayed = <T>(value: T, ms: number): T => {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return delayed;
};
