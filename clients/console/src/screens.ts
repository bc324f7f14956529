import type { OpenSession } from './api/session.js';
import { screenFile as load, type ScreenFile } from './states/screen-file.js';

export interface Screen {
  /** A pattern of wouter, below `/console`. */
  readonly path: string;
  /** Each screen is a file of its own, loaded when it is opened. It exports its component by the name `Screen`. */
  readonly component: ScreenFile;
  /** Its name in the navigation. A screen without one is reached by links. */
  readonly title?: string;
  readonly group?: 'archive' | 'account';
  /** Whether it is also for those who have not signed in. */
  readonly isPublic?: boolean;
  /** Who may open it. For others there is no such screen. Undefined: everybody. */
  readonly isFor?: (session: OpenSession) => boolean;
}

/** The screens of a session. */
export const screensOf = (session: OpenSession | null | undefined): readonly Screen[] =>
  screens.filter(({ isFor }) => isFor === undefined || (session !== null && session !== undefined && isFor(session)));

/** As the gateway decides it at `/operator/status`. */
const isOperator = ({ plan, as_of }: OpenSession): boolean => plan === 'internal' && as_of === null;

const series = load(() => import('./screens/series/screen.js'));

/** The table of all screens. To add one: a folder in `screens/` with a `screen.tsx`, and a row here. */
export const screens: readonly Screen[] = [
  { path: '/', component: load(() => import('./screens/home/screen.js')), title: 'Home', group: 'archive' },
  { path: '/browse', component: load(() => import('./screens/browse/screen.js')), title: 'Browse', group: 'archive' },
  {
    path: '/markets',
    component: load(() => import('./screens/markets/screen.js')),
    title: 'Markets',
    group: 'archive',
  },
  {
    path: '/quality',
    component: load(() => import('./screens/quality/screen.js')),
    title: 'Coverage',
    group: 'archive',
  },
  {
    path: '/compare',
    component: load(() => import('./screens/compare/screen.js')),
    title: 'Compare',
    group: 'archive',
  },
  { path: '/series/:id', component: series },
  { path: '/events/:id', component: load(() => import('./screens/event/screen.js')) },
  { path: '/markets/:ticker', component: load(() => import('./screens/market/screen.js')) },
  {
    path: '/exports/*?',
    component: load(() => import('./screens/exports/screen.js')),
    title: 'Exports',
    group: 'account',
  },
  { path: '/cart', component: load(() => import('./screens/cart/screen.js')), title: 'Cart', group: 'account' },
  {
    path: '/plan',
    component: load(() => import('./screens/plan/screen.js')),
    title: 'Plan and usage',
    group: 'account',
  },
  { path: '/keys', component: load(() => import('./screens/keys/screen.js')), title: 'Keys', group: 'account' },
  {
    path: '/webhooks/*?',
    component: load(() => import('./screens/webhooks/screen.js')),
    title: 'Webhooks',
    group: 'account',
  },
  {
    path: '/docs',
    component: load(() => import('./screens/docs/screen.js')),
    title: 'API reference',
    group: 'account',
    isPublic: true,
  },
  {
    path: '/operator',
    component: load(() => import('./screens/operator/screen.js')),
    title: 'Operator',
    group: 'account',
    isFor: isOperator,
  },
];

/** What most visits lead to. Their files are there before they are opened. */
export const preloaded = ['/markets/:ticker', '/events/:id'] as const;
