import { type ComponentType, useEffect, useEffectEvent, useRef, useState } from 'react';
import { z } from 'zod';
import type { AdminInput } from '../../shared/admin';
import { type Call, holdPort, type RpcPort } from '../../shared/rpc';
import { ErrorBoundary } from '../kiosk/layer-view';
import type { Cover, OverlayProps } from './overlay';

declare global {
  interface Window {
    /** Absent where no admin bridge was given to the page. */
    readonly endcapAdmin?: RpcPort;
  }
}

/** Call number of everything sent here; the loaded overlay uses positive numbers. */
const OWN_CALL = 0;

const Closed = z.object({
  overlay: z.object({ view: z.literal('closed') }),
  maintenanceUntil: z.null(),
});
/** A message of main that says that nothing covers the stage: news or an answer. */
const SaysClosed = z.union([z.object({ output: Closed }), z.object({ value: z.object({ state: Closed }) })]);
/** An answer to a loaded overlay that has thrown meanwhile. */
const LateAnswer = z.object({ call: z.int().gt(OWN_CALL) });
const NothingToShow = z.union([SaysClosed, LateAnswer]);

/** A port that holds the messages of main, and calls `load` at each one for which the overlay is needed. */
export const untilNeeded = (bridge: RpcPort, load: () => void): RpcPort =>
  holdPort(bridge, Number.POSITIVE_INFINITY, (message) => {
    if (!NothingToShow.safeParse(message).success) load();
  });

/**
 * The small part of the admin overlay that every kiosk loads. It draws nothing. It reports presses to main, which
 * recognises the gesture, and loads the rest at the first press or when main has something to show. If the rest throws,
 * the stage is uncovered, and the rest comes back in the same way.
 */
export function AdminOverlay({ bridge, ...shown }: Omit<OverlayProps, 'port'> & { bridge: RpcPort }) {
  const [Overlay, setOverlay] = useState<ComponentType<OverlayProps> | null>(null);
  const line = useRef<RpcPort>(null);
  const cover = useRef<Cover>('nothing');

  const onCover = (now: Cover) => {
    cover.current = now;
    shown.onCover(now);
  };
  const awaitNeed = () => {
    // If its files cannot be read, the log says so, and only a reload of this page would read them again.
    const load = () => void import('./overlay').then((module) => setOverlay(() => module.Overlay));
    line.current = untilNeeded(bridge, load);
  };
  /** Unlike at the start, main is not asked, or an overlay that throws at once would come back without end. */
  const onError = () => {
    setOverlay(null);
    onCover('nothing');
    awaitNeed();
  };
  const onMount = useEffectEvent(awaitNeed);

  const onPress = useEffectEvent((event: PointerEvent) => {
    if (!event.isTrusted || cover.current === 'overlay') return;
    // A window may be larger than the display it is on.
    const size = {
      width: Math.min(innerWidth, screen.width),
      height: Math.min(innerHeight, screen.height),
    };
    const input = picturePoint({ x: event.clientX, y: event.clientY, ...size }, shown.rotation);
    // Sent without the RPC client: the contract is loaded with the rest.
    bridge.send({ call: OWN_CALL, command: 'tap', input } satisfies Call);
  });
  useEffect(() => {
    onMount();
    // An overlay may have been open when the window before this one crashed.
    bridge.send({ call: OWN_CALL, command: 'overlay', input: null } satisfies Call);
    addEventListener('pointerdown', onPress, { capture: true, passive: true });
    return () => removeEventListener('pointerdown', onPress, { capture: true });
  }, [bridge]);

  if (Overlay === null || line.current === null) return null;
  return (
    <ErrorBoundary onError={onError}>
      <Overlay {...shown} port={line.current} onCover={onCover} />
    </ErrorBoundary>
  );
}

/** A point of the picture as the shopper sees it, and the picture's size; px. */
type PicturePoint = AdminInput<'tap'>;

/**
 * Where a point of the window lies on the picture, which is turned clockwise by
 * `rotation` about the window's middle. `x`, `y`, `width` and `height` are the
 * window's, in px.
 */
export function picturePoint({ x, y, width, height }: PicturePoint, rotation: OverlayProps['rotation']) {
  switch (rotation) {
    case 0:
      return { x, y, width, height };
    case 180:
      return { x: width - x, y: height - y, width, height };
    case 90:
      return { x: y, y: width - x, width: height, height: width };
    case 270:
      return { x: height - y, y: x, width: height, height: width };
  }
}
