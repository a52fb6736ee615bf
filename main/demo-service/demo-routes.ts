import { randomUUID } from 'node:crypto';
import { adsEndpoint } from './ads-endpoint';
import { collectEndpoint, type createCollector } from './collector';
import type { DemoAd } from './demo-ad';
import type { RouteGroup } from './faults';
import { type Answer, header, type ServiceRequest } from './http-answer';
import { inventoryEndpoint } from './inventory-endpoint';
import type { Registration } from './kiosk-settings';
import { landingEndpoint } from './landing-endpoint';
import { mediaEndpoint, type readMediaFolder } from './media-endpoint';
import { nativeEndpoint } from './native-endpoint';
import { type createIssuedTokens, tokenEndpoint } from './token-endpoint';

/** A set of paths of the service, and their endpoint. */
interface DemoRoute {
  readonly group: RouteGroup;
  readonly fits: (path: string) => boolean;
  readonly answer: (request: ServiceRequest) => Answer;
}

interface DemoRoutesParts {
  readonly registration: Registration;
  readonly tokens: ReturnType<typeof createIssuedTokens>;
  readonly authentication: 'bearer' | 'none';
  readonly origin: string;
  readonly collector: ReturnType<typeof createCollector>;
  readonly media: ReturnType<typeof readMediaFolder>;
  readonly shownTime: () => number;
  readonly currentPlaylist: () => readonly DemoAd[];
  readonly onlineAds: () => DemoAd[] | null;
  readonly nativeAds: () => readonly unknown[] | null;
}

export function demoRoutes(parts: DemoRoutesParts): readonly DemoRoute[] {
  const { registration, tokens, authentication, origin, collector, media } = parts;
  const { shownTime, currentPlaylist } = parts;
  let turn = 0;
  return [
    {
      group: 'token',
      fits: (path) => path === '/oauth/v2/token',
      answer: (request) => tokenEndpoint(request, registration, tokens),
    },
    {
      group: 'inventory',
      fits: (path) => path === '/v1alpha/inventory/devices',
      answer: (request) => inventoryEndpoint(request, tokens, registration.projectId, registration.playerid),
    },
    {
      group: 'ads',
      fits: (path) => path === '/v1alpha2/ads',
      answer: (request) =>
        adsEndpoint(request, {
          tokens,
          authentication,
          ...registration,
          origin,
          now: shownTime(),
          mintRequestId: () => `req-${randomUUID()}`,
          playlist: currentPlaylist(),
          onlineAds: parts.onlineAds(),
          turn: turn++,
        }),
    },
    {
      group: 'native',
      fits: (path) => path === '/api/v3/native',
      answer: (request) =>
        nativeEndpoint(request, {
          ...registration,
          origin,
          mintInstance() {
            const instance = randomUUID();
            collector.delivered(instance, header(request, 'user-agent'));
            return instance;
          },
          turn: turn++,
          ads: parts.nativeAds(),
        }),
    },
    {
      group: 'media',
      fits: (path) => path.startsWith('/media/'),
      answer: (request) => mediaEndpoint(request, media),
    },
    { group: 'collector', fits: (path) => path.startsWith('/collect/'), answer: collectEndpoint },
    {
      group: 'landing',
      fits: (path) => path.startsWith('/landing/') || path.startsWith('/go/'),
      answer: (request) => landingEndpoint(request, origin),
    },
  ];
}
