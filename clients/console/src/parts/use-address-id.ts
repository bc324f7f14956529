import { useLocation } from 'wouter';

/** The id in the address of a screen, such as `/console/markets/ABC`. The router leaves a slash in an id encoded. */
export const useAddressId = (): string => {
  // Renders when the address changes.
  useLocation();
  const [, , , segment = ''] = window.location.pathname.split('/');
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
