import type { ComponentProps, ReactNode } from 'react';
import { Link as RouterLink, useSearchParams } from 'wouter';

interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** A path of the console, such as `/markets/ABC`. */
  readonly to: string;
  readonly children: ReactNode;
}

/** The address of a screen, in the same point in time as the current one. */
export const useHref = (): ((to: string) => string) => {
  const [params] = useSearchParams();
  const asOf = params.get('as_of');
  return (to) => (asOf === null ? to : `${to}${to.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(asOf)}`);
};

/** A link within the console. */
export const Link = ({ to, children, ...others }: LinkProps): ReactNode => {
  const href = useHref();
  return (
    <RouterLink href={href(to)} {...others}>
      {children}
    </RouterLink>
  );
};

/** Ids can have any characters, such as a slash. */
export const paths = {
  market: (ticker: string): string => `/markets/${encodeURIComponent(ticker)}`,
  event: (ticker: string): string => `/events/${encodeURIComponent(ticker)}`,
  series: (id: string): string => `/series/${encodeURIComponent(id)}`,
  /** A comparison for which the other market is still to be chosen. */
  compare: (ticker: string): string => `/compare?market=${encodeURIComponent(ticker)}`,
  coverageOfSeries: (id: string): string => `/quality?series=${encodeURIComponent(id)}`,
};
